/**
 * The next look at a node or a NodeMaintenance: its instant is stored with a token that its message carries, so that one chain of messages
 * leads from look to look, however often a message is delivered.
 */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Sighting } from '../../shared/ports/store/control-store.ts';
import type { DrainState } from '../../shared/rules/drain/drain-progress.ts';
import type { DrainRequest } from '../../shared/rules/drain/drain-request.ts';
import { delayUntil, LONGEST_DELAY_SECONDS } from '../../shared/rules/wake-up.ts';
import type { DrainDeps } from './deps.ts';
import { DRAIN_QUEUE } from './queue.ts';

/** A stored instant further ahead than this (ms) was stored before the clock was set back. */
const FARTHEST_MS = (LONGEST_DELAY_SECONDS + 60) * 1000;
/** A look that is planned for so soon (ms) is as good as one at once. */
const SOON_MS = 1_000;
/** Milliseconds after which a look that was planned is taken for lost. */
const LOST_MS = 30_000;

/**
 * Milliseconds until the next look at a node in this state, if no message asks for one earlier: pods that stop, budgets that let more pods
 * go and changes of the request do.
 */
const LOOK_AGAIN_MS: Readonly<Record<DrainState, number | undefined>> = {
  drained: undefined,
  gaveUp: undefined,
  invalid: undefined,
  evicting: 0,
  // The end of a hold sends messages of its own.
  held: 60_000,
  waiting: 15_000,
  stopping: 30_000,
  refused: 60_000,
};

/** When (ms) a node in this state is looked at again at the latest, of which pods are held until `heldUntil`; `undefined`: nothing is left to do. */
export const nextLookAt = (
  state: DrainState,
  { deadlineAt, deleteAt }: DrainRequest,
  now: EpochMs,
  heldUntil?: EpochMs,
): EpochMs | undefined => {
  const wait = LOOK_AGAIN_MS[state];
  if (wait === undefined) return undefined;
  const instants = [deadlineAt, deleteAt, heldUntil].filter(
    (at) => at !== undefined && at > now,
  ) as EpochMs[];
  return Math.min(now + wait, ...instants);
};

/** What is looked at: a node that drains, or a NodeMaintenance. */
export type Topic = Extract<Sighting['topic'], 'drain' | 'maintenance'>;

/** The object to look at. */
export interface LookedAt {
  readonly topic: Topic;
  readonly name: string;
}

const KINDS: Readonly<Record<Topic, string>> = { drain: 'look', maintenance: 'window' };

/** The planned look; `undefined`: none. */
export const plannedLook = (
  { control }: DrainDeps,
  topic: Topic,
  name: string,
): Promise<Sighting | undefined> => control.sighting({ topic, name });

/** All planned looks. */
export const plannedLooks = ({ control }: DrainDeps, topic: Topic): Promise<readonly Sighting[]> =>
  control.sightings(topic);

/** Whether the message of a planned look seems to be lost, or its instant means nothing. */
export const isLost = ({ since }: Sighting, now: EpochMs): boolean =>
  since + LOST_MS <= now || since > now + FARTHEST_MS;

/** Plans a look at the instant (ms), in place of the one that was `seen`, unless that one is still to come, and comes before it or soon. */
export const planLook = async (
  { clock, control, ids, queues }: DrainDeps,
  { topic, name }: LookedAt,
  seen: Sighting | undefined,
  nextAt: EpochMs,
): Promise<void> => {
  const now = clock.now();
  if (seen && seen.since > now && seen.since <= Math.max(nextAt, now + SOON_MS)) return;
  const at = Math.min(Math.max(nextAt, now + 1), now + LONGEST_DELAY_SECONDS * 1000);
  const token = ids.uuid();
  const body = { v: 1, kind: KINDS[topic], name, at, token };
  // Before the instant is stored, so that no crash can leave a look that nobody takes.
  await queues.send(DRAIN_QUEUE.name, [{ body, delaySeconds: delayUntil(at, now) }]);
  await control.replaceSighting({ topic, name }, seen, { topic, name, uid: token, since: at });
};

/** Brings a planned look forward to the instant (ms). Without one, nobody looks. */
export const hastenLook = async (deps: DrainDeps, topic: Topic, name: string, at: EpochMs): Promise<void> => {
  const seen = await plannedLook(deps, topic, name);
  if (seen) await planLook(deps, { topic, name }, seen, at);
};

/** Nothing is left to do. */
export const forgetLook = async ({ control }: DrainDeps, seen: Sighting | undefined): Promise<void> => {
  if (seen) await control.replaceSighting(seen, seen, undefined);
};
