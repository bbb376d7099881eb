import { ApiRefusal } from '../adapters/api/session.ts';
import type { Pods } from '../pods/create-pods.ts';
import type { PodApi } from '../ports/api/pod-api.ts';
import type { ContainerStreams } from '../ports/machine/container-streams.ts';
import type { Runtime } from '../ports/machine/runtime.ts';
import type { AgentPods } from '../ports/pods/agent-pods.ts';

/** A runtime that may give logs and streams. */
export type ServedRuntime = Pick<Runtime, 'pod' | 'onChange'> & { readonly streams?: ContainerStreams };

/** The API shows a node its own pods only: neither those of others, nor those that are not there. */
const isOfOthers = (error: unknown): boolean => error instanceof ApiRefusal && error.status === 403;

/** The pods as the agent's server asks for them; nothing if the runtime gives nothing for it. */
export const servedPods = (
  runtime: ServedRuntime,
  { find }: Pick<Pods, 'find'>,
  api: Pick<PodApi, 'get'>,
): Pick<AgentPods, 'served'> => {
  const { streams } = runtime;
  if (!streams) return {};
  return {
    served: {
      find,
      streams,
      read: (namespace, name) =>
        api.get(namespace, name).catch((error: unknown) => {
          if (isOfOthers(error)) return undefined;
          throw error;
        }),
      isRunning: async (podUid, id) => {
        const pod = await runtime.pod(podUid);
        return pod?.containers.some((one) => one.id === id && one.state === 'running') ?? false;
      },
      onChange: (callback) => runtime.onChange(callback),
    },
  };
};
