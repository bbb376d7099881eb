/** Strategies of Deployments, ReplicaSets, DaemonSets and StatefulSets. */

import {
  defaultDaemonSet,
  defaultDeployment,
  defaultReplicaSet,
  defaultStatefulSet,
} from '../../kube/defaults/workload.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Workload } from '../../kube/types/workloads.ts';
import { TEMPLATE_GENERATION } from '../../rules/workloads/daemon-set/daemon-pod.ts';
import { storedObject, withGeneration } from '../contract/stored-object.ts';
import {
  validateNewStatefulSet,
  validateSelectorUpdate,
  validateStatefulSetUpdate,
  validateWorkload,
  type WorkloadKind,
} from './validate-workload.ts';

const stored = (kind: WorkloadKind, changeRules = validateSelectorUpdate) => ({
  kind: { group: 'apps', version: 'v1', kind, resource: `${kind.toLowerCase()}s`, namespaced: true },
  message: `apps.v1.${kind}`,
  rules: validateWorkload(kind),
  changeRules,
});

const specOrAnnotations = (after: Workload, before: Workload): boolean =>
  !deepEqual(after.spec, before.spec) || !deepEqual(after.metadata.annotations, before.metadata.annotations);

/** How Deployments behave. */
export const deploymentStrategy = storedObject<Workload>(stored('Deployment'), {
  ...withGeneration<Workload>({}, specOrAnnotations),
  defaults: defaultDeployment,
});

/** How ReplicaSets behave. */
export const replicaSetStrategy = storedObject<Workload>(stored('ReplicaSet'), {
  ...withGeneration<Workload>({ replicas: 0 }),
  defaults: defaultReplicaSet,
});

const DAEMON_PARTS = withGeneration<Workload>({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

const templateGeneration = ({ metadata: { annotations } }: Workload): number => {
  const given = Number(annotations?.[TEMPLATE_GENERATION]);
  return Number.isSafeInteger(given) && given > 0 ? given : 1;
};

const withTemplateGeneration = (object: Workload, generation: number): Workload => {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  return { ...object, metadata: { ...object.metadata, annotations } };
};

/** How DaemonSets behave. An annotation counts the changes of the template; clients cannot set it after the creation. */
export const daemonSetStrategy = storedObject<Workload>(stored('DaemonSet'), {
  ...DAEMON_PARTS,
  forCreate: (object, now) =>
    withTemplateGeneration(DAEMON_PARTS.forCreate(object, now), templateGeneration(object)),
  forUpdate: (after, before) => {
    const isChanged = !deepEqual(after.spec?.template, before.spec?.template);
    const generation = templateGeneration(before) + Number(isChanged);
    return withTemplateGeneration(DAEMON_PARTS.forUpdate(after, before), generation);
  },
  defaults: defaultDaemonSet,
});

/** How StatefulSets behave. */
export const statefulSetStrategy = storedObject<Workload>(
  { ...stored('StatefulSet', validateStatefulSetUpdate), newRules: validateNewStatefulSet },
  {
    ...withGeneration<Workload>({ replicas: 0, availableReplicas: 0 }),
    defaults: defaultStatefulSet,
  },
);
