/** Pods that are read from manifests of the machine, and their copies in the API. Source: kubernetes v1.34 pkg/kubelet/config `applyDefaults`, pkg/kubelet/pod `mirrorClient`. */

import { validatePod } from '../../../shared/kinds/pods/validate-pod.ts';
import { defaultPod } from '../../../shared/kube/defaults/pod.ts';
import { summarize } from '../../../shared/kube/errors/field-error.ts';
import type { Pod, Toleration } from '../../../shared/kube/types/core.ts';
import { type EpochMs, toTime } from '../../../shared/kube/values/time.ts';
import { MIRROR_ANNOTATION } from '../../../shared/rules/pods/mirror-pod.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import { environmentSources } from '../containers/environment/environment.ts';
import { projectionsOf, volumesOf } from '../volumes/volume.ts';
import { SOURCE_ANNOTATION } from './pod-kind.ts';

export const HASH_ANNOTATION = 'kubernetes.io/config.hash';
const SEEN_ANNOTATION = 'kubernetes.io/config.seen';

export interface ManifestFacts {
  readonly nodeName: string;
  /** Path of the manifest. */
  readonly file: string;
  /** The MD5 of a text, in hexadecimal digits. */
  readonly digest: (text: string) => string;
  readonly now: EpochMs;
}

export type StaticPod = { readonly pod: AgentPod } | { readonly fault: string };

/** The agent does not end it for a taint of its own node. */
const TOLERATES_NO_EXECUTE: Toleration = { operator: 'Exists', effect: 'NoExecute' };

const isPod = (manifest: unknown): manifest is Pod => {
  const { kind, apiVersion, spec, metadata } = (manifest ?? {}) as Partial<Pod>;
  return (
    kind === 'Pod' && apiVersion === 'v1' && typeof spec === 'object' && typeof metadata?.name === 'string'
  );
};

/** Objects of the API that the pod refers to: it has to start without the API. Source: kubernetes v1.34 `HasAPIObjectReference`. */
const apiReference = (pod: AgentPod): string | undefined => {
  const { spec } = pod;
  if (spec.serviceAccountName !== undefined) return 'serviceaccounts';
  const sources = volumesOf(pod).flatMap((volume) => projectionsOf(volume) ?? []);
  const environments = [...(spec.initContainers ?? []), ...spec.containers].map(environmentSources);
  const refers = (kind: 'configMaps' | 'secrets'): boolean => environments.some((one) => one[kind].size > 0);
  if (refers('configMaps') || sources.some(({ configMap }) => configMap)) return 'configmaps';
  if (refers('secrets') || sources.some(({ secret }) => secret)) return 'secrets';
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken)) return 'serviceaccounts';
  return volumesOf(pod).some((volume) => volume['persistentVolumeClaim'])
    ? 'persistentvolumeclaims'
    : undefined;
};

const named = (manifest: Pod, { nodeName, file, digest, now }: ManifestFacts): AgentPod => {
  const uid = manifest.metadata.uid || digest(`host:${nodeName}file:${file}${JSON.stringify(manifest)}`);
  const { metadata, spec } = defaultPod(manifest);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      uid,
      name: `${metadata.name}-${nodeName.toLowerCase()}`,
      namespace: metadata.namespace || 'default',
      annotations: {
        ...metadata.annotations,
        [HASH_ANNOTATION]: uid,
        [SOURCE_ANNOTATION]: 'file',
        [SEEN_ANNOTATION]: toTime(now),
      },
    },
    spec: {
      ...(spec as AgentPod['spec']),
      nodeName,
      tolerations: [...(spec.tolerations ?? []), TOLERATES_NO_EXECUTE],
    },
    status: { phase: 'Pending' },
  };
};

/** The pod of a manifest, or why it cannot run. */
export const staticPod = (manifest: unknown, facts: ManifestFacts): StaticPod => {
  if (!isPod(manifest)) return { fault: 'it is not a Pod of v1 with a name and a spec' };
  const pod = named(manifest, facts);
  const faults = validatePod(pod);
  if (faults.length > 0) return { fault: `invalid pod: ${summarize(faults)}` };
  const reference = apiReference(pod);
  return reference === undefined ? { pod } : { fault: `static pods may not reference ${reference}` };
};

/** The copy to create. The API gives it a uid of its own. */
export const mirrorOf = (
  { metadata, spec, ...rest }: AgentPod,
  node: { readonly name: string; readonly uid: string },
): AgentPod => {
  const { name, namespace, labels, annotations = {} } = metadata;
  const { status: _status, ...envelope } = rest;
  return {
    ...envelope,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels }),
      annotations: { ...annotations, [MIRROR_ANNOTATION]: annotations[HASH_ANNOTATION] ?? '' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', ...node, controller: true }],
    },
    spec,
  };
};

/** Whether the API's copy shows this pod: it is of the same manifest, and not being deleted. */
export const isMirrorUpToDate = (mirror: AgentPod, pod: AgentPod): boolean =>
  mirror.metadata.deletionTimestamp === undefined &&
  mirror.metadata.annotations?.[MIRROR_ANNOTATION] === pod.metadata.annotations?.[HASH_ANNOTATION];
