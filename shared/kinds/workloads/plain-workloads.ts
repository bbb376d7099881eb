/**
 * Strategies of ControllerRevisions, PodTemplates and ReplicationControllers. Objects are only stored: no
 * controller creates pods for them.
 */

import { defaultPodTemplate } from '../../kube/defaults/pod-template.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { ControllerRevision, PodTemplate } from '../../kube/types/workloads.ts';
import { counted, storedObject, withGeneration } from '../contract/stored-object.ts';
import { validateMetadataUpdate } from '../fields/metadata.ts';
import { validatePodTemplate } from '../pod-spec/pod-template.ts';
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
} from './validate-controller-revision.ts';
import type { ReplicationController } from './validate-replication-controller.ts';
import {
  defaultReplicationController,
  validateReplicationController,
  validateReplicationStatus,
} from './validate-replication-controller.ts';

/** How ControllerRevisions behave. */
export const controllerRevisionStrategy = storedObject<ControllerRevision>(
  {
    kind: {
      group: 'apps',
      version: 'v1',
      kind: 'ControllerRevision',
      resource: 'controllerrevisions',
      namespaced: true,
    },
    message: 'apps.v1.ControllerRevision',
    rules: validateControllerRevision,
    changeRules: validateControllerRevisionUpdate,
  },
  { defaults: (object) => ({ ...object, revision: object.revision ?? 0 }) },
);

const coreKind = (kind: string, resource: string) => ({
  group: '',
  version: 'v1',
  kind,
  resource,
  namespaced: true,
});

/** How PodTemplates behave. */
export const podTemplateStrategy = storedObject<PodTemplate>(
  {
    kind: coreKind('PodTemplate', 'podtemplates'),
    message: 'core.v1.PodTemplate',
    rules: validatePodTemplate,
  },
  {
    ...counted<PodTemplate>((after, before) => !deepEqual(after.template, before.template)),
    defaults: defaultPodTemplate,
    deletionReturnsObject: true,
  },
);

/** How ReplicationControllers behave. */
export const replicationControllerStrategy = storedObject<ReplicationController>(
  {
    kind: coreKind('ReplicationController', 'replicationcontrollers'),
    message: 'core.v1.ReplicationController',
    rules: validateReplicationController,
  },
  {
    ...withGeneration<ReplicationController>({ replicas: 0 }),
    orphansDependents: true,
    defaults: defaultReplicationController,
    validateStatusUpdate: (after, before) => [
      ...validateMetadataUpdate(after.metadata, before.metadata),
      ...validateReplicationStatus(after),
    ],
    fields: ({ status }) => ({ 'status.replicas': String(Number(status?.['replicas'] ?? 0)) }),
  },
);
