/** Names and identities of a StatefulSet's pods. Source: kubernetes v1.34 pkg/controller/statefulset `stateful_set_utils.go`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { ApiObject } from '../../../kube/types/meta.ts';
import type { ControllerRevision, PodTemplateSpec, Workload } from '../../../kube/types/workloads.ts';
import { podFromTemplate } from '../children/pod-from-template.ts';
import { claimNameOf } from './stateful-set-claims.ts';
import { claimTemplatesOf, ordinalsOf, partitionOf, serviceNameOf } from './stateful-set-spec.ts';

const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';
const REVISION_LABEL = 'controller-revision-hash';
/** The greatest ordinal: a signed integer of 32 bits. */
const MOST_ORDINAL = 2 ** 31 - 1;
const ORDINAL = /^(?:0|[1-9]\d*)$/;

/** A revision of the pod template. */
export interface SetRevision {
  /** Name of the ControllerRevision, and the value of the pods' label. */
  readonly name: string;
  readonly template: PodTemplateSpec;
}

/** What a ControllerRevision says of the template of the StatefulSet: the present one, if it says nothing. */
export const setRevision = (set: Workload, { metadata, data }: ControllerRevision): SetRevision => {
  const { spec } = (data ?? {}) as { readonly spec?: { readonly template?: PodTemplateSpec } };
  const { $patch: _directive, ...template } = {
    ...(spec?.template ?? set.spec?.template),
  } as PodTemplateSpec & {
    readonly $patch?: string;
  };
  return { name: metadata.name, template };
};

/** The name of the pod with this ordinal (W-130). */
export const podNameOf = (set: Workload, ordinal: number): string => `${set.metadata.name}-${ordinal}`;

/** The ordinal in the name of a pod of this StatefulSet; `undefined` if its pods are not called so (W-130). */
export const ordinalOf = (set: ApiObject, { metadata }: ApiObject): number | undefined => {
  const prefix = `${set.metadata.name}-`;
  const rest = metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : '';
  const ordinal = ORDINAL.test(rest) ? Number(rest) : undefined;
  return ordinal !== undefined && ordinal <= MOST_ORDINAL ? ordinal : undefined;
};

/** Whether a pod of this name could be one of a StatefulSet. */
export const hasOrdinal = (name: string): boolean => ORDINAL.test(name.slice(name.lastIndexOf('-') + 1));

/** Whether the StatefulSet wants a pod with this ordinal (W-131). */
export const isWanted = (set: Workload, ordinal: number): boolean => {
  const { start, end } = ordinalsOf(set);
  return ordinal >= start && ordinal < end;
};

/** The revision that the pod says it was made from. */
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[REVISION_LABEL] ?? '';

/** The pod with the labels that name it and its ordinal; the same object if it has them (W-133). */
export const withIdentity = (pod: Pod, ordinal: number): Pod => {
  const { labels, name } = pod.metadata;
  if (labels?.[POD_NAME_LABEL] === name && labels[POD_INDEX_LABEL] === String(ordinal)) return pod;
  const own = { [POD_NAME_LABEL]: name, [POD_INDEX_LABEL]: String(ordinal) };
  return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...own } } };
};

interface Volume {
  readonly name?: string;
}

/** The volumes of the pod: its claims first, then those of the template that have other names (W-134). */
const volumesOf = (set: Workload, template: PodTemplateSpec, ordinal: number) => {
  const names = claimTemplatesOf(set).map(({ metadata }) => metadata?.name ?? '');
  const given = (template.spec?.['volumes'] ?? []) as readonly Volume[];
  const claimed = new Set(names);
  return [
    ...names.map((name) => ({
      name,
      persistentVolumeClaim: { claimName: claimNameOf(set, name, ordinal) },
    })),
    ...given.filter(({ name = '' }) => !claimed.has(name)),
  ];
};

/** A new pod of the StatefulSet with this ordinal, of this revision (W-132 to W-134). */
export const memberPod = (set: Workload, { name: revision, template }: SetRevision, ordinal: number): Pod => {
  const pod = podFromTemplate(set, template);
  const name = podNameOf(set, ordinal);
  const volumes = volumesOf(set, template, ordinal);
  const labels = { ...pod.metadata.labels, [REVISION_LABEL]: revision };
  const spec = {
    ...pod.spec,
    hostname: name,
    subdomain: serviceNameOf(set),
    ...(volumes.length === 0 ? {} : { volumes }),
  };
  return withIdentity({ ...pod, metadata: { ...pod.metadata, name, labels }, spec }, ordinal);
};

/** Which revision a new pod with this ordinal gets (W-139). */
export const revisionFor = (
  set: Workload,
  { current, update }: { readonly current: SetRevision; readonly update: SetRevision },
  ordinal: number,
): SetRevision => {
  const partition = partitionOf(set);
  return partition !== undefined && ordinal < ordinalsOf(set).start + partition ? current : update;
};
