/** Makes the book follow from the Holds, and wakes what has waited for those that have ended. */
import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import { CLOUD_NODE } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { HoldBook, HoldScope, PastHold } from '../../shared/rules/holds/hold-book.ts';
import { spreadFor } from '../../shared/rules/holds/spread-after-hold.ts';
import { HOLDS, type SettledHolds, settleHolds } from '../../shared/store/holds/settle-holds.ts';
import { createLister } from '../../shared/store/lists/lists.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { readBook } from '../../shared/store/writer/known-holds.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { ControllerConfig } from '../contract/controller.ts';
import { DRAIN_QUEUE } from '../drain/queue.ts';
import { TAINT_EVICTION_QUEUE } from '../taint-eviction/queue.ts';
import { holdEnded, holdInForce } from './events.ts';
import { countHeld, waitingIn } from './scope.ts';

/** The most Nodes that a message to cloud-node names. */
const NODES_OF_MESSAGE = 100;
/** Events that are recorded at the same time. */
const AT_ONCE = 8;

/** What the controller asks for. */
export interface HoldControllerDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly control: Pick<ControlStore, 'holdBook' | 'replaceHoldBook' | 'sightings'>;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly config: Pick<ControllerConfig, 'nodeEvictionRate'>;
}

/** What a look has led to. */
export interface HoldReport {
  /** Holds in the book. */
  readonly active: number;
  readonly begun: number;
  readonly ended: number;
  /** Milliseconds since the oldest of them began; 0 without one. */
  readonly oldestMs: number;
}

const oldestMs = ({ active }: HoldBook, now: EpochMs): number =>
  Math.max(0, ...active.map(({ from }) => now - from));

const targetOf = ({ name, uid }: HoldScope) => ({ kind: 'Hold', namespace: '', name, uid }) as const;

/** Nodes that drain, or wait to. */
const draining = async ({ control }: HoldControllerDeps): Promise<readonly string[]> =>
  (await control.sightings('drain')).map(({ name }) => name);

/** Each node and pod looks itself when its turn is. */
const wake = async (deps: HoldControllerDeps, ended: readonly PastHold[]): Promise<void> => {
  const [{ tainted, down }, drains] = await Promise.all([waitingIn(deps, ended), draining(deps)]);
  const messages = (names: readonly string[]) =>
    names.map((name) => ({ body: { v: 1, kind: 'node', name } }));
  await deps.queues.send(TAINT_EVICTION_QUEUE.name, messages(tainted));
  await deps.queues.send(DRAIN_QUEUE.name, messages(drains));
  const looks = chunksOf(down, NODES_OF_MESSAGE).flatMap((names) =>
    ['nodes', 'proofs'].map((kind) => ({ body: { v: 1, kind, names } })),
  );
  await deps.queues.send(CLOUD_NODE, looks);
};

const tell = async ({ recorder }: HoldControllerDeps, { begun, ended }: SettledHolds): Promise<void> => {
  await inParallel(begun, AT_ONCE, (hold) => {
    const { name, uid = '' } = hold.metadata;
    return recorder.record(targetOf({ name, uid, stops: [], from: 0 }), holdInForce(hold), uid);
  });
  await inParallel(ended, AT_ONCE, (hold) => recorder.record(targetOf(hold), holdEnded(hold.name), hold.uid));
};

/** What has waited is counted once, before a hold may end. */
const spreadOf = async (deps: HoldControllerDeps): Promise<() => number> => {
  const { active } = await readBook(deps);
  const waited = active.length === 0 ? 0 : (await draining(deps)).length;
  const spreadMs = spreadFor(waited, deps.config.nodeEvictionRate);
  return () => spreadMs;
};

/** Looks at all Holds. Throws if something could not be read or written; the message is then delivered again. */
export const reconcile = async (deps: HoldControllerDeps): Promise<HoldReport> => {
  const lister = createLister(deps);
  const settled = await settleHolds({ ...deps, lister }, await spreadOf(deps), (hold) =>
    countHeld(deps, hold),
  );
  const { book, begun, ended } = settled;
  await tell(deps, settled);
  if (ended.length > 0) await wake(deps, ended);
  return {
    active: book.active.length,
    begun: begun.length,
    ended: ended.length,
    oldestMs: oldestMs(book, deps.clock.now()),
  };
};

/** The same, where there are Holds, or some stand in the book. */
export const sweep = async (deps: HoldControllerDeps): Promise<HoldReport | undefined> => {
  if (!deps.objects.mayHave(HOLDS)) return undefined;
  const { active } = await readBook(deps);
  const { rows } = await deps.objects.page({ resource: HOLDS, namespace: '', limit: 1 });
  return active.length + rows.length === 0 ? undefined : reconcile(deps);
};
