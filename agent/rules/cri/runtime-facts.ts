/** What a runtime says of itself, in the agent's terms. Source: kubernetes v1.34 pkg/kubelet `updateRuntimeUp`, `toKubeRuntimeStatus`. */
import type { RuntimeHandler } from '../node/inventory.ts';
import type { RuntimeCondition } from '../node/runtime-state.ts';
import type { StatusResponse } from './messages/runtime.ts';

export const conditionsOf = ({ status }: StatusResponse): readonly RuntimeCondition[] =>
  status?.conditions ?? [];

export const handlersOf = ({ runtimeHandlers }: StatusResponse): readonly RuntimeHandler[] =>
  runtimeHandlers.map(({ name, features }) => ({
    name,
    recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
    userNamespaces: features?.userNamespaces ?? false,
  }));
