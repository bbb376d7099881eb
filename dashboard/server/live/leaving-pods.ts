/** Reads the pods of nodes that have NoExecute taints, when something changes about them. Nothing is asked while there are none. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { newestVersion } from '../history/collection-log.ts';
import { PODS, podsOn } from '../requests/paths.ts';
import type { DashboardApi } from './api.ts';
import type { EvictingNode, EvictingNodes } from './evicting-nodes.ts';
import { type FollowDeps, type Follower, follow } from './follow.ts';

type Api = Pick<DashboardApi, 'get' | 'list' | 'watch'>;

/** The pods as a state without any: their changes from now on are all that is wanted. */
const changesOnly = (api: Api): Pick<DashboardApi, 'list' | 'watch'> => ({
  watch: api.watch,
  list: async function* () {
    yield { position: String(await newestVersion(api, PODS)), items: [] };
  },
});

const read = async (api: Api, name: string, signal: AbortSignal): Promise<readonly Pod[] | undefined> => {
  try {
    const pods: Pod[] = [];
    for await (const { items } of api.list(podsOn(name), signal)) pods.push(...(items as Pod[]));
    return pods;
  } catch {
    // The watch of the pods tells why.
    return undefined;
  }
};

/** Starts to read; it ends with the signal. Returns the work of one look, to be done now and then. */
export const readLeavingPods = (
  { api, source }: Pick<FollowDeps, 'source'> & { readonly api: Api },
  nodes: EvictingNodes,
  told: Pick<Follower, 'onAnswer' | 'onFailure'>,
  signal: AbortSignal,
): (() => void) => {
  let watching: AbortController | undefined;
  const touch = (object: ApiObject): void => nodes.touch((object as Pod).spec.nodeName);

  const watch = (): void => {
    watching = new AbortController();
    const all = AbortSignal.any([signal, watching.signal]);
    const follower: Follower = {
      ...told,
      onReset: nodes.outdated,
      onObject: touch,
      onDeleted: touch,
      onWhole: nodes.touchAll,
    };
    void follow({ api: changesOnly(api), source }, PODS, follower, all);
  };
  /** Whatever kept the pods from being watched does not matter any more. */
  const stop = (): void => {
    watching?.abort();
    watching = undefined;
    told.onAnswer();
  };
  const readOne = async (one: EvictingNode): Promise<void> =>
    nodes.wasRead(one, await read(api, one.name, signal));

  return () => {
    if (nodes.size() > 0 && !watching) watch();
    if (nodes.size() === 0 && watching) stop();
    for (const one of nodes.take()) void readOne(one);
  };
};
