/** The memory of a sink, and the right to send to it, in one stored sighting: one run at a time sends. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { ControlStore, Sighting } from '../../ports/store/control-store.ts';
import { NEW_SINK, needsLook, type SinkState } from '../../rules/notifications/sink-state.ts';

/** Where the memory is kept. */
export interface SinkMemoryDeps {
  readonly control: Pick<ControlStore, 'sighting' | 'replaceSighting'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<IdSource, 'uuid'>;
}

/** What was read of a sink. */
export interface ReadSink {
  readonly name: string;
  readonly stored: Sighting | undefined;
  readonly state: SinkState;
}

const topic = 'sink';
/** Milliseconds for which a run may send: a delivery takes ten seconds at most, and what was told is removed after it. */
const LEASE_MS = 30_000;

/** Each write has an id of its own: a store takes a row that is equal to ours for one that we have written ourselves, and whose answer was lost. */
const textOf = (state: SinkState, write: string): string => JSON.stringify({ ...state, write });

/** Reads the memory of a sink. */
export const readSink = async ({ control }: SinkMemoryDeps, name: string): Promise<ReadSink> => {
  const stored = await control.sighting({ topic, name });
  return { name, stored, state: stored ? (JSON.parse(stored.uid) as SinkState) : NEW_SINK };
};

/** Whether another run sends at `now`. A lease that ends later than one that begins now was taken before the clock was set back. */
export const isHeld = ({ stored }: ReadSink, now: EpochMs): boolean =>
  stored !== undefined && stored.since > now && stored.since <= now + LEASE_MS;

const store = async (
  { control, ids }: SinkMemoryDeps,
  { name, stored }: ReadSink,
  state: SinkState,
  since: EpochMs,
): Promise<ReadSink | undefined> => {
  const next = { topic, name, uid: textOf(state, ids.uuid()), since } as const;
  const isStored = await control.replaceSighting({ topic, name }, stored, next);
  return isStored ? { name, stored: next, state } : undefined;
};

/** Takes the right to send; `undefined`: another run was faster. */
export const holdSink = (deps: SinkMemoryDeps, read: ReadSink): Promise<ReadSink | undefined> =>
  store(deps, read, read.state, deps.clock.now() + LEASE_MS);

/** Stores the memory and gives the right back. If another run has taken over in the meantime, its memory stays. */
export const releaseSink = async (deps: SinkMemoryDeps, held: ReadSink, state: SinkState): Promise<void> => {
  await store(deps, held, state, 0);
};

/** Notes that a look at `at` is planned. The caller that gets `true` sends its message; one that is not sent is made up for by the sweep. */
export const planLook = async (deps: SinkMemoryDeps, name: string, at: EpochMs): Promise<boolean> => {
  const read = await readSink(deps, name);
  const now = deps.clock.now();
  // The run that sends has its memory to itself. Who comes upon it looks again.
  if (isHeld(read, now)) return true;
  if (!needsLook(read.state, at, now)) return false;
  return (await store(deps, read, { ...read.state, plannedAt: at }, 0)) !== undefined;
};
