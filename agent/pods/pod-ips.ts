/** The addresses that a pod's containers are told. */
import type { AgentPod } from '../domain/pods/agent-pod.ts';
import type { PodDeps } from './worker-deps.ts';
import { uidOf } from './worker-state.ts';

/** A pod has the node's addresses if it uses its network, or has none of its own. */
export const podIPsOf = ({ view, node }: Pick<PodDeps, 'view' | 'node'>, pod: AgentPod): readonly string[] =>
  pod.spec.hostNetwork === true ? node.hostIPs() : (view.latest().get(uidOf(pod))?.ips ?? node.hostIPs());
