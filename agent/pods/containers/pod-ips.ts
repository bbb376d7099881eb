/** The addresses that a pod's containers are told. */
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { PodDeps } from '../worker/worker-deps.ts';
import { uidOf } from '../worker/worker-state.ts';

/** A pod has the node's addresses if it uses its network, or has none of its own. */
export const podIPsOf = ({ view, node }: Pick<PodDeps, 'view' | 'node'>, pod: AgentPod): readonly string[] =>
  pod.spec.hostNetwork === true ? node.hostIPs() : (view.latest().get(uidOf(pod))?.ips ?? node.hostIPs());
