/** What passes learn of the silences that nodes survive, where a policy adapts their grace periods. Without one nothing is kept, read or written. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { Heartbeats } from '../../../shared/rules/nodes/node-health.ts';
import {
  learnedGraceMs,
  type Patience,
  patienceAfter,
} from '../../../shared/rules/patience/adaptive-grace.ts';
import { createProcessState } from '../../../shared/store/lists/process-state.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { Viewpoint } from '../judge/judgement.ts';
import type { Pause } from '../judge/slices.ts';
import type { LearnReport, NodeError } from '../report.ts';
import type { Looks } from './looks.ts';
import { awaits, type Ended, NONE_ENDED, settle } from './settle.ts';
import { type HeardNodes, type Survived, survivedSince } from './survived.ts';

/** A scan shows after this time (ms) what was stored. */
const SEEN_AFTER_MS = 60_000;

interface Memory {
  looks?: Looks;
  ended: Ended;
  /** By the uid of a Node: what this process has stored, until scans show it. */
  readonly stored: Map<string, Patience & { readonly storedAt: EpochMs }>;
}

export interface LearnDeps {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly heartbeats: Pick<HeartbeatStore, 'learn'>;
  readonly pause?: Pause;
  readonly config: { readonly writeConcurrency: number };
}

/** What a pass has learned before it judges. */
export interface Lesson {
  /** The beats of a node with what a scan may not show yet. */
  readonly beats: HeardNodes['beats'];
  /** Silences by which nodes have learned, to be stored. */
  readonly learned: readonly Survived[];
  /** Whether a later pass has to judge a silence that has ended. */
  readonly awaits: boolean;
}

const inProcess = createProcessState<LearnDeps, Memory>(() => ({ ended: NONE_ENDED, stored: new Map() }));

const forget = (memory: Memory): void => {
  delete memory.looks;
  memory.ended = NONE_ENDED;
  memory.stored.clear();
};

const newer = (beats: Heartbeats | undefined, own: Patience | undefined): Heartbeats | undefined =>
  beats && own && own.learnedAt > (beats.patience?.learnedAt ?? 0) ? { ...beats, patience: own } : beats;

/** The beats with what the process has stored: no pass judges by a shorter grace period because a scan is late. V-83. */
const withStored = ({ nodes, beats }: HeardNodes, { stored }: Memory): HeardNodes['beats'] =>
  stored.size === 0 ? beats : (place) => newer(beats(place), stored.get(nodes[place]?.uid ?? ''));

/** Compares the beats with those of the last pass of the process, and says what nodes have learned. */
export const learn = async (deps: LearnDeps, heard: HeardNodes, view: Viewpoint): Promise<Lesson> => {
  if (!view.settings.adaptsGrace) {
    await inProcess(deps, async (memory) => forget(memory));
    return { beats: heard.beats, learned: [], awaits: false };
  }
  return inProcess(deps, async (memory) => {
    const { now } = view;
    for (const [uid, { storedAt }] of memory.stored)
      if (storedAt > now || now - storedAt > SEEN_AFTER_MS) memory.stored.delete(uid);
    const beats = withStored(heard, memory);
    const seen = await survivedSince(memory.looks, { ...heard, beats }, view, deps.pause);
    const { learned, next } = settle(memory.ended, seen.survived, heard.nodes, now);
    memory.looks = seen.looks;
    memory.ended = next;
    return { beats, learned, awaits: awaits(next) };
  });
};

interface Stored {
  readonly graceMs: number;
}

const storeOne = async (
  { clock, heartbeats }: LearnDeps,
  { stored }: Memory,
  { node, uid, silentMs, endedAt, known, range }: Survived,
): Promise<Stored | NodeError | undefined> => {
  const own = stored.get(uid);
  const read = own ? { silentMs: own.silentMs, learnedAt: own.learnedAt } : known;
  const next = range && patienceAfter(range, read, silentMs, endedAt);
  if (!range || !next) return undefined;
  try {
    if (!(await heartbeats.learn({ node, uid, read, next }))) return undefined;
    stored.set(uid, { ...next, storedAt: clock.now() });
    return { graceMs: learnedGraceMs(range, next, endedAt) };
  } catch (error) {
    return { node, error };
  }
};

/**
 * Stores what nodes have learned, each by one conditional write. Begins none at or after `until` (ms): a node that learns nothing now learns by its next
 * silence.
 */
export const storeLearned = async (
  deps: LearnDeps,
  { learned, awaits: awaitsSilences }: Lesson,
  until: EpochMs,
): Promise<{ readonly lessons: LearnReport; readonly errors: readonly NodeError[] }> => {
  if (learned.length === 0) return { lessons: { gracesMs: [], awaitsSilences }, errors: [] };
  return inProcess(deps, async (memory) => {
    const outcomes = await inParallel(learned, deps.config.writeConcurrency, async (one) =>
      deps.clock.now() < until ? storeOne(deps, memory, one) : undefined,
    );
    const gracesMs = outcomes.flatMap((outcome) =>
      outcome && 'graceMs' in outcome ? [outcome.graceMs] : [],
    );
    return {
      lessons: { gracesMs, awaitsSilences },
      errors: outcomes.flatMap((outcome) => (outcome && 'error' in outcome ? [outcome] : [])),
    };
  });
};
