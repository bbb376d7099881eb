import { waitUntil } from '../../shared/state/wait-until.ts';
import { type DrainDeps, type DrainReport, NOTHING } from './deps.ts';
import { lookAtNode } from './look-at-node.ts';
import type { DrainMessage } from './message.ts';
import { planLook, plannedLook, plannedLooks } from './planned-looks.ts';

/** Queues delay by whole seconds, so a planned look may come this much (ms) too early. */
const EARLY_MS = 1_000;
/** Milliseconds for which what happens on a node is gathered, so that a hundred pods that go cause no hundred looks. */
const GATHER_MS = 1_000;
/** Nodes beyond the number of disruptions that a budget allows: some of the nodes wait for other budgets. */
const MORE_NODES = 4;

type Message<K> = Extract<DrainMessage, { kind: K }>;

const planned = async (deps: DrainDeps, { name, at }: Message<'look'>): Promise<DrainReport> => {
  const seen = await plannedLook(deps, name);
  // Another look was planned in its place.
  if (seen?.since !== at) return NOTHING;
  if (at - deps.clock.now() <= EARLY_MS) await waitUntil(deps.clock, at);
  return lookAtNode(deps, name);
};

const nudge = async (deps: DrainDeps, name: string): Promise<void> => {
  const seen = await plannedLook(deps, name);
  if (seen) await planLook(deps, seen, seen, deps.clock.now() + GATHER_MS);
};

/** Of many nodes that wait, only as many look again as the budget may serve, in any order. The others look at their next planned instant. */
const nudgeSome = async (deps: DrainDeps, { allowed }: Message<'budget'>): Promise<void> => {
  const looks = (await plannedLooks(deps)).map((look) => ({ look, order: deps.ids.random() }));
  const chosen = looks.toSorted((a, b) => a.order - b.order).slice(0, allowed + MORE_NODES);
  for (const { look } of chosen) await planLook(deps, look, look, deps.clock.now());
};

/** Handles a queued message. Throws if something could not be read or written; the message is then delivered again. */
export const reconcile = async (deps: DrainDeps, message: DrainMessage): Promise<DrainReport> => {
  switch (message.kind) {
    case 'node':
      return lookAtNode(deps, message.name);
    case 'look':
      return planned(deps, message);
    case 'nudge':
      await nudge(deps, message.name);
      return NOTHING;
    case 'budget':
      await nudgeSome(deps, message);
      return NOTHING;
  }
};
