/** Brings what is kept of a container into line with what the machine does. */

import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import { UNKNOWN_EXIT_CODE } from '../../../rules/containers/exit.ts';
import { type Recovered, recovered } from '../../../rules/oci/recovery.ts';
import type { Place } from '../../containers/places.ts';
import { killKeeper } from '../bundles/conmon.ts';
import { deleteContainer } from '../bundles/runtime-calls.ts';
import { keeperGroup, runtimeId } from './names.ts';
import type { OciParts } from './parts.ts';
import { attemptFolder, type OciRecord, readLost, readRecord, writeLost } from './records.ts';
import { stillRunning } from './running.ts';
import { readTraces } from './traces.ts';
import { inTurn } from './turns.ts';
import { freeParts } from './volume-parts.ts';

/** How a container stands. `ended` is final. */
export type Settled =
  | { readonly is: 'created' | 'running' | 'ending' | 'unknown' }
  | {
      readonly is: 'ended';
      readonly code: number;
      readonly at: EpochMs;
      readonly isOutOfMemory: boolean;
      /** No keeper has said how, and the code is made up. */
      readonly isUnknown: boolean;
    };

const reapNow = async (parts: OciParts, place: Place, record: OciRecord): Promise<void> => {
  const { groups, programs, reaped, bootId, ran, alone } = parts;
  if (record.bootId === bootId) {
    await groups.kill(place.group);
    await killKeeper(attemptFolder(place, record));
    await groups.kill(keeperGroup(place));
    await deleteContainer(programs.runtime, runtimeId(place));
  }
  for (const group of [place.group, keeperGroup(place)]) groups.remove(group);
  ran.delete(place.id);
  alone.delete(place.id);
  reaped.add(place.id);
};

/** Ends all that is left of an attempt whose program does not run, and of its keeper. What it wrote stays. */
const reap = async (parts: OciParts, place: Place, record: OciRecord): Promise<void> => {
  const { reaped, turns } = parts;
  if (reaped.has(place.id)) return;
  await inTurn(turns, place.id, async () => {
    if (!reaped.has(place.id)) await reapNow(parts, place, record);
  });
};

/**
 * Takes away an attempt whose program never ran. Its bundle goes first: a keeper that comes late finds none, and creates nothing.
 * The container may start again.
 */
export const discardAttempt = async (parts: OciParts, place: Place): Promise<void> => {
  const record = readRecord(place);
  if (record) {
    await killKeeper(attemptFolder(place, record));
    await freeParts(attemptFolder(place, record));
    await parts.trash.discard(attemptFolder(place, record));
    parts.reaped.delete(place.id);
    await reap(parts, place, record);
  }
  await parts.trash.discard(place.folder);
  parts.reaped.delete(place.id);
};

const lost = (at: EpochMs): Settled => ({
  is: 'ended',
  code: UNKNOWN_EXIT_CODE,
  at,
  isOutOfMemory: false,
  isUnknown: true,
});

/** The end of a program whose keeper says nothing: it is stored, so that it is told once. `undefined`: the container was removed meanwhile. */
const settleLost = async (parts: OciParts, place: Place, record: OciRecord): Promise<Settled | undefined> => {
  await reap(parts, place, record);
  if (readRecord(place)?.attempt !== record.attempt) return undefined;
  writeLost(place, parts.now());
  return lost(readLost(place)?.at ?? parts.now());
};

const settleFound = async (
  parts: OciParts,
  place: Place,
  record: OciRecord,
  found: Recovered,
): Promise<Settled | undefined> => {
  if (found.is === 'ended') {
    await reap(parts, place, record);
    return { ...found, isUnknown: false };
  }
  // Its outputs go nowhere: it is ended, and nobody can say how it would have ended.
  if (found.is === 'lost' || found.is === 'orphaned') return await settleLost(parts, place, record);
  if (found.is !== 'unstarted') return { is: found.is };
  if (!parts.starting.has(place.id)) await discardAttempt(parts, place);
  return undefined;
};

/** What is true of a container; `undefined`: there is none, or its program never ran. Rejects if the machine refuses to end what is left. */
export const settle = async (parts: OciParts, place: Place): Promise<Settled | undefined> => {
  if (stillRunning(parts.running, place)) return { is: 'running' };
  const record = readRecord(place);
  if (!record) return undefined;
  const end = readLost(place);
  if (end) {
    await reap(parts, place, record);
    return lost(end.at);
  }
  return await settleFound(parts, place, record, recovered(await readTraces(parts, place, record)));
};
