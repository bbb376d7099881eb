/** The body that writes a pod's status. Source: kubernetes v1.34 pkg/util/pod `PatchPodStatus`. */

import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import { type MergeKeys, twoWayMergePatch } from '../../../shared/kube/patch/two-way-merge.ts';
import type { AgentPod, AgentPodStatus } from '../containers/agent-pod.ts';
import { statusForm } from './status-form.ts';

const KEYS: MergeKeys = {
  'status.conditions': 'type',
  'status.podIPs': 'ip',
  'status.hostIPs': 'ip',
  'status.resourceClaimStatuses': 'name',
};

/**
 * The patch from the status of the API's pod to `next`; `undefined` if there is nothing to write. The uid in it keeps the patch off
 * another pod of the same name.
 */
export const statusPatch = (
  { metadata, spec, status = {} }: AgentPod,
  next: AgentPodStatus,
): JsonObject | undefined => {
  const [before, after] = [statusForm(spec, status), statusForm(spec, next)];
  const patch = twoWayMergePatch({ status: before }, { status: after }, KEYS);
  return 'status' in patch ? { metadata: { uid: metadata.uid }, ...patch } : undefined;
};
