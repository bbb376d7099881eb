/** Looks at nodes that drain and at NodeMaintenances as messages ask for it. A look at a node tries the pods that may go, tells what is left, and plans the next look. */
import type { Sighting } from '../../shared/ports/store/control-store.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { type DrainState, drainState } from '../../shared/rules/drain/drain-progress.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import { type DrainDeps, type DrainReport, NOTHING } from './deps.ts';
import { lookAtMaintenance } from './look-at-maintenance.ts';
import type { DrainMessage } from './message.ts';
import { type DrainingNode, drainingNode } from './nodes/draining-node.ts';
import type { MaintenanceReport } from './nodes/maintain-nodes.ts';
import { tellCancelled, tellState } from './nodes/publish-state.ts';
import {
  forgetLook,
  hastenLook,
  nextLookAt,
  planLook,
  plannedLook,
  plannedLooks,
  type Topic,
} from './planned-looks.ts';
import { evictPods } from './pods/evict-pods.ts';
import { podsOfNode } from './pods/pods-of-node.ts';

/** Queues delay by whole seconds, so a planned look may come this much (ms) too early. */
const EARLY_MS = 1_000;
/** Milliseconds for which what happens on a node is gathered, so that a hundred pods that go cause no hundred looks. */
const GATHER_MS = 1_000;
/** The same for the nodes of a NodeMaintenance: a look reads all Nodes. */
const GATHER_NODES_MS = 2_000;
/** Nodes beyond the number of disruptions that a budget allows: some of the nodes wait for other budgets. */
const MORE_NODES = 4;

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
  const next = nextLookAt(state, request, now, progress.heldUntil);
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

type Message<K> = Extract<DrainMessage, { kind: K }>;

/** Whether the look of the message is still the planned one. It waits for the instant if that is near. */
const isDue = async (
  deps: DrainDeps,
  topic: Topic,
  { name, at, token }: Message<'look' | 'window'>,
): Promise<boolean> => {
  const seen = await plannedLook(deps, topic, name);
  if (seen?.uid !== token) return false;
  if (at - deps.clock.now() <= EARLY_MS) await waitUntil(deps.clock, at);
  return true;
};

/** Of many nodes that wait, only as many look again as the budget may serve, in any order. The others look at their next planned instant. */
const hastenSome = async (deps: DrainDeps, { allowed }: Message<'budget'>): Promise<void> => {
  const looks = (await plannedLooks(deps, 'drain')).map((look) => ({ look, order: deps.ids.random() }));
  const chosen = looks.toSorted((a, b) => a.order - b.order).slice(0, allowed + MORE_NODES);
  for (const { look } of chosen)
    await planLook(deps, { topic: 'drain', name: look.name }, look, deps.clock.now());
};

/** What a message has led to; `undefined`: to a planned look at most. */
const handle = async (
  deps: DrainDeps,
  message: DrainMessage,
): Promise<DrainReport | MaintenanceReport | undefined> => {
  const now = deps.clock.now();
  switch (message.kind) {
    case 'node':
      return lookAtNode(deps, message.name);
    case 'look':
      return (await isDue(deps, 'drain', message)) ? lookAtNode(deps, message.name) : undefined;
    case 'nudge':
      await hastenLook(deps, 'drain', message.name, now + GATHER_MS);
      return undefined;
    case 'budget':
      await hastenSome(deps, message);
      return undefined;
    case 'maintenance':
      return lookAtMaintenance(deps, message.name, message.hasNodes);
    case 'window':
      return (await isDue(deps, 'maintenance', message)) ? lookAtMaintenance(deps, message.name) : undefined;
    case 'maintained':
      await hastenLook(deps, 'maintenance', message.name, now + GATHER_NODES_MS);
      return undefined;
  }
};

/** Handles a queued message. Throws if something could not be read or written; the message is then delivered again. */
export const reconcile = async (
  deps: DrainDeps,
  message: DrainMessage,
): Promise<DrainReport | MaintenanceReport> => (await handle(deps, message)) ?? NOTHING;
