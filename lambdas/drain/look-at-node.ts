/** One look at a node: tries the pods that may go, tells what is left, and plans the next look. */
import type { Sighting } from '../../shared/ports/store/control-store.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { type DrainState, drainState } from '../../shared/rules/drain/drain-progress.ts';
import { type DrainDeps, type DrainReport, NOTHING } from './deps.ts';
import { type DrainingNode, drainingNode } from './nodes/draining-node.ts';
import { tellCancelled, tellState } from './nodes/publish-state.ts';
import { forgetLook, nextLookAt, planLook, plannedLook } from './planned-looks.ts';
import { evictPods } from './pods/evict-pods.ts';
import { podsOfNode } from './pods/pods-of-node.ts';

/** Milliseconds after which a run begins with no further pod and plans the next look at once. */
const RUN_MS = 10_000;

const withoutRequest = async (
  deps: DrainDeps,
  row: LiveRow | undefined,
  seen: Sighting | undefined,
): Promise<DrainReport> => {
  // A request that has come meanwhile has a message of its own.
  const isCancelled = row !== undefined && (await tellCancelled(deps, row));
  await forgetLook(deps, seen);
  return isCancelled ? { ...NOTHING, ended: 'cancelled' } : NOTHING;
};

const endedBy = (state: DrainState): Pick<DrainReport, 'ended'> =>
  state === 'drained' || state === 'gaveUp' ? { ended: state } : {};

const atDraining = async (
  deps: DrainDeps,
  node: DrainingNode,
  seen: Sighting | undefined,
): Promise<DrainReport> => {
  const { row, request } = node;
  const { name } = row.key;
  const shared = { node };
  const pods = await podsOfNode(deps, name);
  const { progress, counts } = await evictPods(deps, pods, shared, deps.clock.now() + RUN_MS);
  const now = deps.clock.now();
  const state = drainState(progress, request, now);
  const isNews = await tellState(deps, row, request, state, progress);
  const next = nextLookAt(state, request, now);
  if (next === undefined) await forgetLook(deps, seen);
  else await planLook(deps, { topic: 'drain', name }, seen, next);
  return { looks: 1, ...counts, ...(isNews ? endedBy(state) : {}) };
};

/** Looks at a node. Throws if something could not be read or written; the message is then delivered again. */
export const lookAtNode = async (deps: DrainDeps, name: string): Promise<DrainReport> => {
  const seen = await plannedLook(deps, 'drain', name);
  const row = liveRow(await deps.objects.read(nodeKey(name)));
  const node = drainingNode(row);
  return node ? atDraining(deps, node, seen) : withoutRequest(deps, row, seen);
};
