import { outcomeUnknown } from '../../kube/errors/status-error.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { LogEntry } from '../../ports/store/change-log.ts';
import type { Commit, CommitOutcome } from '../../ports/store/commit.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';

/** Milliseconds for which a busy transaction is sent again with the same number. */
const BUSY_MS = 500;
/** A revision taken longer ago than this (ms) is given up: an entry that appears below the floor would be missed by readers. */
export const NUMBER_MAX_AGE_MS = 5_000;

/** What a commit needs. `ids` also supplies the random part of each wait. */
export interface CommitDeps {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** The final outcome of a commit. `abandoned`: this revision will never hold the change; take a new one. */
export type Settled = 'committed' | 'objectConflict' | 'checkFailed' | 'abandoned';

/** Puts a tombstone into the slot of one of our entries; whether our own attempt is in it already. */
const isInSlot = async (
  { objects }: CommitDeps,
  { key, revision, attempt, at }: LogEntry,
): Promise<boolean> => {
  const present = await objects.putTombstone(key.resource, { slot: 'tombstone', revision, attempt, at });
  return present?.slot === 'entry' && present.attempt === attempt;
};

/**
 * Puts tombstones into our own slots. Our own attempt in the slot of the change says that the commit did happen; the slot of a
 * preceding entry, which is written with it or not at all, then needs none.
 */
const resolveOwnSlots = async (deps: CommitDeps, { entry, preceding }: Commit): Promise<Settled> => {
  if (await isInSlot(deps, entry)) return 'committed';
  if (preceding) await isInSlot(deps, preceding);
  return 'abandoned';
};

const sendWhileBusy = async ({ objects, clock, ids }: CommitDeps, commit: Commit): Promise<CommitOutcome> => {
  const until = clock.now() + BUSY_MS;
  for (;;) {
    const result = await objects.commit(commit);
    if (result.outcome !== 'busy' || clock.now() >= until) return result;
    await clock.sleep(5 + ids.random() * 45);
  }
};

/** Gives up the numbers of a commit that is not sent. */
export const abandon = async (deps: CommitDeps, commit: Commit): Promise<void> => {
  await resolveOwnSlots(deps, commit);
};

/** Finds out what became of a commit that was sent. If that fails, too, nobody may say that nothing was written. */
const resolveSent = async (deps: CommitDeps, commit: Commit): Promise<Settled> => {
  try {
    return await resolveOwnSlots(deps, commit);
  } catch (error) {
    throw outcomeUnknown(error);
  }
};

const giveUpSlot = async (
  deps: CommitDeps,
  commit: Commit,
  outcome: 'objectConflict' | 'checkFailed',
): Promise<Settled> => {
  const own = await resolveSent(deps, commit);
  return own === 'committed' ? 'committed' : outcome;
};

/**
 * Sends one commit until its outcome is known. A revision that does not hold the change gets a tombstone, so that no reader
 * waits for it. A writer that crashes before that leaves a hole, which readers fill after a second. Throws 504 `Timeout` if the commit was sent and
 * the slot can neither be closed nor read.
 */
export const finishCommit = async (deps: CommitDeps, commit: Commit): Promise<Settled> => {
  if (deps.clock.now() - commit.entry.at > NUMBER_MAX_AGE_MS) return resolveOwnSlots(deps, commit);
  const { outcome } = await sendWhileBusy(deps, commit);
  switch (outcome) {
    case 'committed':
      return 'committed';
    case 'objectConflict':
    case 'checkFailed':
      return giveUpSlot(deps, commit, outcome);
    case 'slotTaken':
      // The other slot of two is still empty.
      return commit.preceding ? resolveSent(deps, commit) : 'abandoned';
    case 'busy':
    case 'unclear':
      return resolveSent(deps, commit);
  }
};
