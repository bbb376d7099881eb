import { defaultPod } from '../../kube/defaults/pod.ts';
import { qosClassOf } from '../../kube/defaults/qos-class.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import { demandedValue } from '../../kube/selector/field-selector.ts';
import type { Pod, PodStatus } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import { liveRow, namespaceKey } from '../../ports/store/rows.ts';
import { withMergedLabelKeys } from '../../rules/pod-admission/merged-label-keys.ts';
import { podGraceSeconds } from '../../rules/pods/deletion.ts';
import { admitNewPod, admitPod, type PodAdmission, type PodPlugins } from '../admission/admission.ts';
import { readClassOf } from '../admission/priority-classes.ts';
import { readAccountOf } from '../admission/service-account.ts';
import type { CreateDeps } from '../contract/create-deps.ts';
import type { Strategy } from '../contract/strategy.ts';
import { validatePod, validatePodUpdate } from './validate-pod.ts';
import { validatePodStatusUpdate } from './validate-pod-status.ts';
import { podWarnings } from './warn-pod.ts';

const gatedCondition = (now: EpochMs): Condition & { readonly lastProbeTime: null } => ({
  type: 'PodScheduled',
  status: 'False',
  lastProbeTime: null,
  lastTransitionTime: toTime(now),
  reason: 'SchedulingGated',
  message: 'Scheduling is blocked due to non-empty scheduling gates',
});

const newStatus = ({ spec }: Pod, now: EpochMs): PodStatus => ({
  phase: 'Pending',
  ...(Array.isArray(spec['schedulingGates']) ? { conditions: [gatedCondition(now)] } : {}),
  qosClass: qosClassOf(spec),
});

/** A new generation if the specification has changed. */
export const withGeneration = (after: Pod, before: Pod): Pod => {
  const was = before.metadata.generation ?? 1;
  return {
    ...after,
    metadata: { ...after.metadata, generation: deepEqual(after.spec, before.spec) ? was : was + 1 },
  };
};

// Old kubelets drop owner references and QoS class when they write a status, so the stored ones are kept.
const withOwnFields = (after: Pod, before: Pod): Pod => {
  const { ownerReferences: _owners, ...metadata } = after.metadata;
  const { ownerReferences } = before.metadata;
  const qosClass = after.status?.['qosClass'] ?? before.status?.['qosClass'];
  return {
    ...after,
    metadata: { ...metadata, ...(ownerReferences ? { ownerReferences } : {}) },
    status: { ...after.status, ...optional('qosClass', qosClass) },
  };
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const fieldsOf = ({ spec, status }: Pod): Readonly<Record<string, string>> => ({
  'spec.nodeName': text(spec.nodeName),
  'spec.restartPolicy': text(spec['restartPolicy']),
  'spec.schedulerName': text(spec['schedulerName']),
  'spec.serviceAccountName': text(spec['serviceAccountName']),
  'spec.hostNetwork': String(spec['hostNetwork'] === true),
  'status.phase': text(status?.phase),
  'status.podIP': text(status?.['podIP']),
  'status.nominatedNodeName': text(status?.['nominatedNodeName']),
});

const runtimeClassAdmission = async (
  given: Pod,
  deps: CreateDeps,
): Promise<Pick<PodAdmission, 'addRuntimeClass'>> => {
  // The spec may be missing: the pod is not validated yet.
  const { runtimeClassName, overhead } = { ...given.spec };
  if (runtimeClassName === undefined && overhead === undefined) return {};
  const { readRuntimeClassOf } = await import('../admission/runtime-classes.ts');
  return { addRuntimeClass: await readRuntimeClassOf(given, deps) };
};

const pluginAdmission = async ({ config }: CreateDeps): Promise<PodPlugins | undefined> => {
  if (config.enableAdmissionPlugins.length === 0) return undefined;
  const { podPlugins } = await import('../admission/optional-plugins.ts');
  return podPlugins(config.enableAdmissionPlugins);
};

/** How Pods behave. */
export const podStrategy: Strategy<Pod> = {
  kind: { group: '', version: 'v1', kind: 'Pod', resource: 'pods', namespaced: true },
  schema: kindSchema('core.v1.Pod'),
  defaults: defaultPod,
  forCreate: (pod, now) => ({
    ...withMergedLabelKeys(pod),
    metadata: { ...pod.metadata, generation: 1 },
    status: newStatus(pod, now),
  }),
  forUpdate: (after, before) => withGeneration({ ...after, status: before.status ?? {} }, before),
  forStatusUpdate: (after, before) => withOwnFields({ ...after, spec: before.spec }, before),
  validate: validatePod,
  warnings: podWarnings,
  validateUpdate: validatePodUpdate,
  validateStatusUpdate: validatePodStatusUpdate,
  admit: (request) => admitPod(request),
  fields: fieldsOf,
  source: (requirements) => {
    const podsOfNode = demandedValue(requirements, 'spec.nodeName');
    if (podsOfNode === '') return { unbound: true };
    return podsOfNode === undefined ? undefined : { podsOfNode };
  },
  deletionReturnsObject: true,
  graceSeconds: podGraceSeconds,
  prepared: async (given, deps) => {
    const [addAccount, priorityClass, runtimeClass, plugins] = await Promise.all([
      readAccountOf(given, deps),
      readClassOf(given, deps),
      runtimeClassAdmission(given, deps),
      pluginAdmission(deps),
    ]);
    const admission = { addAccount, priorityClass, plugins, ...runtimeClass };
    return { ...podStrategy, admit: (request) => admitNewPod(request, admission) };
  },
  admitsByNamespace: true,
  preparedForUpdate: async (name, deps) => {
    const plugins = await pluginAdmission(deps);
    if (!plugins) return podStrategy;
    const row = liveRow(await deps.objects.read(namespaceKey(name)));
    const given = row ? { namespace: row.object } : {};
    return { ...podStrategy, admit: (request) => admitPod({ ...request, ...given }, plugins) };
  },
};
