/** Ends containers. */

import type { Place } from '../../containers/places.ts';
import { isAlive, sendSignal, signalNumber } from '../../linux/processes.ts';
import { waitForFile } from '../../linux/wait-for-file.ts';
import { type Found, findContainer, readContainer } from '../processes/records.ts';
import { killAll, type Machine, settle } from './settle.ts';

const SIGTERM = 15;
const SIGKILL = 9;

/** How long a shim may take to write down an end that the agent has seen to (ms). */
const SHIM_MS = 5000;

/** How often the end of a container without a shim is looked for (ms). */
const ORPHAN_MS = 200;

const isGone = (found: Found | undefined): boolean => !found || found.state === 'exited';

/** Waits for the end. A container whose shim was killed ends without a word. */
const waitForEnd = async (machine: Machine, place: Place, ms: number): Promise<boolean> => {
  const until = performance.now() + ms;
  for (;;) {
    const found = await settle(machine, place);
    if (isGone(found)) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    const hasShim = found?.claim !== undefined && isAlive(found.claim);
    await waitForFile(place.folder, ['exit'], hasShim ? left : Math.min(left, ORPHAN_MS));
  }
};

/** Kills the tree, and the shim if it does not write down the exit code. */
const force = async (machine: Machine, place: Place): Promise<void> => {
  const found = findContainer(place, machine.bootId);
  if (found.state === 'exited') return;
  await killAll(machine, place, found);
  const hasShim = found.claim !== undefined && isAlive(found.claim);
  if (hasShim && (await waitForFile(place.folder, ['exit'], SHIM_MS)) !== undefined) return;
  if (found.claim && isAlive(found.claim)) sendSignal(found.claim.pid, SIGKILL);
};

const forceAndSettle = async (machine: Machine, place: Place): Promise<void> => {
  machine.killing.add(place.id);
  try {
    await force(machine, place);
    if (!(await waitForEnd(machine, place, SHIM_MS)))
      throw new Error(`container ${place.id} does not end: a process of it hangs in the kernel`);
  } finally {
    machine.killing.delete(place.id);
  }
};

/** Sends the stop signal to the main process, and kills all of the container after the time-out. */
export const stopContainer = async (
  machine: Machine,
  place: Place,
  timeoutSeconds: number,
): Promise<void> => {
  const found = await settle(machine, place);
  const record = readContainer(place);
  if (isGone(found) || !record) return;
  const signal = signalNumber(record.spec.stopSignal ?? 'SIGTERM') ?? SIGTERM;
  if (timeoutSeconds > 0) {
    if (found?.main && isAlive(found.main)) sendSignal(found.main.pid, signal);
    if (await waitForEnd(machine, place, timeoutSeconds * 1000)) return;
  }
  await forceAndSettle(machine, place);
};
