/** As whom a container runs. Source: kubernetes v1.34 pkg/securitycontext, pkg/kubelet/kuberuntime `verifyRunAsNonRoot`. */
import type { AgentPod } from './agent-pod.ts';
import type { Container } from './container.ts';

interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly runAsNonRoot?: boolean;
  readonly supplementalGroups?: readonly number[];
  readonly fsGroup?: number;
}

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

const contextOf = (one: { readonly [field: string]: unknown }): SecurityContext =>
  one['securityContext'] ?? {};

const podText = ({ metadata }: AgentPod): string =>
  `${metadata.name}_${metadata.namespace ?? ''}(${metadata.uid ?? ''})`;

/** The user; `undefined`: the agent's own, which is root on a node. A group alone, or groups alone, belong to root. */
export const runAs = (
  pod: AgentPod,
  container: Container,
): { readonly user?: RunAs } | { readonly fault: string } => {
  const [ofPod, own] = [contextOf(pod.spec), contextOf(container)];
  const uid = own.runAsUser ?? ofPod.runAsUser;
  const gid = own.runAsGroup ?? ofPod.runAsGroup;
  const where = `(pod: "${podText(pod)}", container: ${container.name})`;
  if (own.runAsNonRoot ?? ofPod.runAsNonRoot) {
    if (uid === undefined) return { fault: `container has runAsNonRoot and image will run as root ${where}` };
    if (uid === 0) return { fault: `container's runAsUser breaks non-root policy ${where}` };
  }
  const groups = [
    ...(ofPod.supplementalGroups ?? []),
    ...(ofPod.fsGroup === undefined ? [] : [ofPod.fsGroup]),
  ];
  if (uid === undefined && gid === undefined && groups.length === 0) return {};
  return { user: { uid: uid ?? 0, gid: gid ?? 0, groups } };
};
