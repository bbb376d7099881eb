/** Brings what the disk says about a container into line with what the machine does. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Trash } from '../../../ports/machine/trash.ts';
import { KILLED_EXIT_CODE, UNKNOWN_EXIT_CODE } from '../../../rules/runtime/container-state.ts';
import type { Place, Places } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import type { ControlGroups } from '../../linux/groups/control-groups.ts';
import { findProcesses, sendSignal } from '../../linux/processes.ts';
import { claimForAgent, type Found, findContainer, readContainer, writeExit } from '../processes/records.ts';
import { LAST_SCRIPT } from './plan-start.ts';

/** What the parts of the runtime share. */
export interface Machine {
  readonly places: Places;
  readonly trash: Trash;
  readonly groups: ControlGroups;
  readonly bootId: string;
  /** Containers that this agent is starting, by id. */
  readonly starting: Set<string>;
  /** Containers that this agent kills, by id. */
  readonly killing: Set<string>;
  /** Containers whose leftovers are known to be gone, by id. */
  readonly reaped: Set<string>;
}

/** Variable by which processes of a container are known where there are no control groups; its value is the container's folder. */
export const MARKER = 'ROLLCALL_CONTAINER';

const SIGKILL = 9;
const ROUNDS = 100;
const ROUND_MS = 20;

/** A process that is just becoming another program shows no environment, so one look is not enough. */
const LOOKS = 2;

/** Where there are no groups: all that have the marker or belong to the main process' session, except the shim. */
const killMarked = async ({ folder }: Place, { claim, main }: Found): Promise<void> => {
  for (let round = 0, empty = 0; round < ROUNDS && empty < LOOKS; round += 1) {
    const left = findProcesses(MARKER, folder, main?.pid).filter((pid) => pid !== claim?.pid);
    empty = left.length === 0 ? empty + 1 : 0;
    for (const pid of left) sendSignal(pid, SIGKILL);
    await wait(ROUND_MS);
  }
};

/**
 * Ends every process of a container except its shim. A start that is under way comes to nothing without its last script, also where
 * its process has not yet entered the group and is not seen.
 */
export const killAll = async ({ groups }: Machine, place: Place, found: Found): Promise<void> => {
  if (!found.main) rmSync(join(place.folder, LAST_SCRIPT), { force: true });
  await groups.kill(place.group);
  if (!groups.isUsable || !found.main) await killMarked(place, found);
};

/** What is left of the tree ends with its main process. The group goes with its last member. */
const reap = async (machine: Machine, place: Place, found: Found): Promise<void> => {
  if (machine.reaped.has(place.id)) return;
  if (found.claim?.bootId === machine.bootId) await killAll(machine, place, found);
  machine.groups.remove(place.group);
  machine.reaped.add(place.id);
};

/** Deletes a container that nobody has begun to start; one that is being started meanwhile stays. */
const discardReserved = async ({ trash, bootId }: Machine, place: Place): Promise<Found | undefined> => {
  if (!claimForAgent(place, bootId)) return findContainer(place, bootId);
  await trash.discard(place.folder);
  return undefined;
};

/** Ends what is left of a container whose shim is gone. If its program ran, the end is written down; if not, nothing stays. */
const settleLost = async (machine: Machine, place: Place, found: Found): Promise<Found | undefined> => {
  if (found.claim?.bootId === machine.bootId) await killAll(machine, place, found);
  const now = findContainer(place, machine.bootId);
  if (now.state !== 'lost') return now;
  if (!now.main) {
    await machine.trash.discard(place.folder);
    machine.groups.remove(place.group);
    return undefined;
  }
  const isUnknown = !machine.killing.has(place.id);
  const oomKills = machine.groups.oomKills(place.group);
  writeExit(place, { code: isUnknown ? UNKNOWN_EXIT_CODE : KILLED_EXIT_CODE, oomKills, isUnknown });
  return findContainer(place, machine.bootId);
};

/** What is true of a container; `undefined`: there is none, or none any more. */
export const settle = async (machine: Machine, place: Place): Promise<Found | undefined> => {
  let found: Found | undefined = findContainer(place, machine.bootId);
  if (found.state === 'reserved' && !machine.starting.has(place.id))
    found = await discardReserved(machine, place);
  if (found?.state === 'lost') found = await settleLost(machine, place, found);
  if (found?.state === 'exited') await reap(machine, place, found);
  return found;
};

/** Ends containers of which nothing is known any more, because the disk lost or damaged their files. */
const discardDamaged = async (machine: Machine): Promise<void> => {
  const { places, trash, bootId } = machine;
  for (const uid of places.podUids()) {
    const isLost = readPod(places.podFolder(uid)) === undefined;
    for (const place of places.containers(uid)) {
      if (!isLost && readContainer(place)) continue;
      await killAll(machine, place, findContainer(place, bootId));
      await trash.discard(place.folder);
    }
    if (isLost) await trash.discard(places.podFolder(uid));
  }
};

/** Deletes what an agent that was killed left half made, and ends processes of pods that no folder knows. */
export const cleanUp = async (machine: Machine, podsCgroup: string): Promise<void> => {
  const { places, trash, groups } = machine;
  await discardDamaged(machine);
  for (const folder of [...places.halfMade(), places.formerTrash]) await trash.discard(folder);
  const known = new Set(places.podUids().map(places.podGroup));
  for (const name of groups.children(podsCgroup)) {
    const group = `${podsCgroup}/${name}`;
    if (known.has(group)) continue;
    for (const child of groups.children(group)) await groups.kill(`${group}/${child}`);
    await groups.kill(group);
    groups.remove(group);
  }
};
