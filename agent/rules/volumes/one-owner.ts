/** Pods whose containers have one user and one group, which are the agent's own: a namespace of users shows them as those that the pod names. */
import type { AgentPod } from '../containers/agent-pod.ts';

type Owned = { readonly [field: string]: unknown };

const withoutOwner = <T extends Owned>(part: T): T => {
  const { fsGroup: _group, runAsUser: _user, ...context } = (part['securityContext'] ?? {}) as Owned;
  return { ...part, securityContext: context };
};

/** The pod as its volumes see it: no file is given to another user or group, which only root may do. */
export const withOneOwner = (pod: AgentPod): AgentPod => {
  const { containers, initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...withoutOwner(pod.spec),
      containers: containers.map(withoutOwner),
      ...(initContainers && { initContainers: initContainers.map(withoutOwner) }),
    },
  };
};
