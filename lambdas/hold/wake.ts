/** What has waited for a Hold, and how it goes on after it. */
import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import { CLOUD_NODE, DRAINS, TAINT_EVICTIONS } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { isInZones } from '../../shared/rules/holds/held-by.ts';
import type { HoldScope, PastHold } from '../../shared/rules/holds/hold-book.ts';
import { spreadFor } from '../../shared/rules/holds/spread-after-hold.ts';
import type { NodeHealthRow } from '../../shared/rules/nodes/node-health.ts';
import { readBook } from '../../shared/store/writer/known-holds.ts';
import type { ControllerConfig } from '../contract/controller.ts';

/** The most Nodes that a message to cloud-node names. */
const NODES_OF_MESSAGE = 100;

/** What this part asks for. */
export interface WakeDeps {
  readonly objects: Pick<ObjectStore, 'nodeHealth'>;
  readonly control: Pick<ControlStore, 'holdBook' | 'sightings'>;
  readonly queues: WorkQueues;
  readonly config: Pick<ControllerConfig, 'nodeEvictionRate'>;
}

/** Nodes to which holds may have applied. */
interface WaitingNodes {
  /** Those with NoExecute taints. */
  readonly tainted: readonly string[];
  /** Those that are not ready. */
  readonly down: readonly string[];
}

/** The nodes in the zones of these holds that may have waited for them. */
const waitingIn = async (
  { objects }: WakeDeps,
  holds: readonly Pick<HoldScope, 'zones'>[],
): Promise<WaitingNodes> => {
  const rows: NodeHealthRow[] = [];
  for await (const { value } of objects.nodeHealth())
    rows.push(...value.filter((row) => holds.some((hold) => isInZones(hold.zones, row.zone))));
  return {
    tainted: rows.filter(({ noExecute }) => noExecute.length > 0).map(({ name }) => name),
    down: rows.filter(({ ready }) => ready !== undefined && ready !== 'True').map(({ name }) => name),
  };
};

/** Nodes that drain, or wait to. */
const draining = async ({ control }: WakeDeps): Promise<readonly string[]> =>
  (await control.sightings('drain')).map(({ name }) => name);

/** Each node and pod looks itself when its turn is. */
export const wake = async (deps: WakeDeps, ended: readonly PastHold[]): Promise<void> => {
  const [{ tainted, down }, drains] = await Promise.all([waitingIn(deps, ended), draining(deps)]);
  const messages = (names: readonly string[]) =>
    names.map((name) => ({ body: { v: 1, kind: 'node', name } }));
  await deps.queues.send(TAINT_EVICTIONS, messages(tainted));
  await deps.queues.send(DRAINS, messages(drains));
  const looks = chunksOf(down, NODES_OF_MESSAGE).flatMap((names) =>
    ['nodes', 'proofs'].map((kind) => ({ body: { v: 1, kind, names } })),
  );
  await deps.queues.send(CLOUD_NODE, looks);
};

/** How long (ms) that which has waited takes to begin. It is counted once, before a hold may end. */
export const spreadOf = async (deps: WakeDeps): Promise<number> => {
  const { active } = await readBook(deps);
  const waited = active.length === 0 ? 0 : (await draining(deps)).length;
  return spreadFor(waited, deps.config.nodeEvictionRate);
};
