/**
 * Strategies of ControllerRevisions, PodTemplates and ReplicationControllers. Objects are only stored: no
 * controller creates pods for them.
 */
import { defaultPodTemplate } from '../../kube/defaults/pod-template.ts';
import { type FieldError, invalidValue, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { ControllerRevision, PodTemplate } from '../../kube/types/workloads.ts';
import { ignored } from '../contract/ignored.ts';
import { counted, storedObject, withGeneration } from '../contract/stored-object.ts';
import { validateMetadataUpdate } from '../fields/metadata.ts';
import { notNegative } from '../fields/not-negative.ts';
import { validatePodTemplate } from '../pod-spec/pod-template.ts';
import {
  defaultReplicationController,
  type ReplicationController,
  validateReplicationController,
  validateReplicationStatus,
} from './validate-replication-controller.ts';

const dataFaults = (data: unknown): readonly FieldError[] => {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  return typeof data === 'object' && !Array.isArray(data)
    ? []
    : [required('data', 'data must be a valid JSON object')];
};

/** Rules of ControllerRevisions. Source: kubernetes v1.34 `ValidateControllerRevisionCreate`. */
const validateControllerRevision = ({ data, revision = 0 }: ControllerRevision): readonly FieldError[] => [
  ...notNegative(revision, 'revision'),
  ...dataFaults(data),
];

/** The data of a ControllerRevision is immutable. */
const validateControllerRevisionUpdate = (
  after: ControllerRevision,
  before: ControllerRevision,
): readonly FieldError[] =>
  deepEqual(after.data, before.data) ? [] : [invalidValue('data', after.data ?? null, 'field is immutable')];

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
    ...ignored('ReplicationController', 'no pod is created for it'),
    orphansDependents: true,
    defaults: defaultReplicationController,
    validateStatusUpdate: (after, before) => [
      ...validateMetadataUpdate(after.metadata, before.metadata),
      ...validateReplicationStatus(after),
    ],
    fields: ({ status }) => ({ 'status.replicas': String(Number(status?.['replicas'] ?? 0)) }),
  },
);
