/** Fields of a pod that its containers may read. Source: kubernetes v1.34 pkg/fieldpath, pkg/kubelet `podFieldSelectorRuntimeValue`. */

import { ownMember } from '../../../../shared/kube/json/own-member.ts';
import { byText } from '../../../../shared/kube/text/compare-text.ts';
import { quote } from '../../../../shared/kube/text/go-quote.ts';
import type { AgentPod } from '../agent-pod.ts';

/** Addresses of the pod and of its node; the first is the main one. */
export interface PodAddresses {
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
}

const PLAIN: Readonly<Record<string, (pod: AgentPod, addresses: PodAddresses) => string>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
  'metadata.uid': ({ metadata }) => metadata.uid ?? '',
  'metadata.labels': ({ metadata }) => mapText(metadata.labels),
  'metadata.annotations': ({ metadata }) => mapText(metadata.annotations),
  'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
  'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
  'status.podIP': (_pod, { podIPs }) => podIPs[0] ?? '',
  'status.podIPs': (_pod, { podIPs }) => podIPs.join(','),
  'status.hostIP': (_pod, { hostIPs }) => hostIPs[0] ?? '',
  'status.hostIPs': (_pod, { hostIPs }) => hostIPs.join(','),
};

/** As a file of the downward API has them. */
const mapText = (entries: Readonly<Record<string, string>> = {}): string =>
  Object.entries(entries)
    .toSorted(([a], [b]) => byText(a, b))
    .map(([key, value]) => `${key}=${quote(value)}`)
    .join('\n');

const ENTRY = /^metadata\.(labels|annotations)\['(.*)'\]$/;

/** The field's text; `undefined` for a field that pods cannot read. A label or annotation that is not there is empty. */
export const podField = (pod: AgentPod, path: string, addresses: PodAddresses): string | undefined => {
  const [, map, key = ''] = ENTRY.exec(path) ?? [];
  if (map === 'labels' || map === 'annotations') return ownMember(pod.metadata[map], key) ?? '';
  return ownMember(PLAIN, path)?.(pod, addresses);
};
