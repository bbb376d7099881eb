/** Ends containers. */

import { dirname } from 'node:path';
import type { Place } from '../../containers/places.ts';
import { waitForFile } from '../../linux/wait-for-file.ts';
import { exitFile } from '../bundles/conmon.ts';
import { killContainer } from '../bundles/runtime-calls.ts';
import { runtimeId } from './names.ts';
import type { OciParts } from './parts.ts';
import { attemptFolder, type OciRecord, readRecord } from './records.ts';
import { type Settled, settle } from './settle.ts';
import { inTurn } from './turns.ts';

/** How long a keeper may take to say how its program was ended, beyond what recovery waits (ms). */
const KILLED_MS = 10_000;
/** How often the end of a container without a keeper is looked for (ms). */
const LOOK_MS = 500;

const isGone = (found: Settled | undefined): boolean => !found || found.is === 'ended';

const waitForEnd = async (parts: OciParts, place: Place, record: OciRecord, ms: number): Promise<boolean> => {
  const until = parts.uptime() + ms;
  const folder = dirname(exitFile(attemptFolder(place, record), runtimeId(place)));
  for (;;) {
    if (isGone(await settle(parts, place))) return true;
    const left = until - parts.uptime();
    if (left <= 0) return false;
    await waitForFile(folder, [runtimeId(place)], Math.min(left, LOOK_MS));
  }
};

/** The first process may have ended meanwhile, or hang in the kernel: what counts is the end. */
const send = ({ programs }: OciParts, place: Place, signal: string): Promise<void> =>
  killContainer(programs.runtime, runtimeId(place), signal).catch(() => undefined);

const force = async (parts: OciParts, place: Place, record: OciRecord): Promise<void> => {
  await send(parts, place, 'KILL');
  await inTurn(parts.turns, place.id, () => parts.groups.kill(place.group));
  if (!(await waitForEnd(parts, place, record, KILLED_MS)))
    throw new Error(`container ${place.id} does not end: a process of it hangs in the kernel`);
};

/** Sends the stop signal to the first process, and kills all of the container after the time-out. */
export const stopContainer = async (parts: OciParts, place: Place, timeoutSeconds: number): Promise<void> => {
  const found = await settle(parts, place);
  const record = readRecord(place);
  if (isGone(found) || !record) return;
  if (timeoutSeconds > 0 && found?.is === 'running') {
    await send(parts, place, (record.spec.stopSignal ?? 'SIGTERM').replace(/^SIG/, ''));
    if (await waitForEnd(parts, place, record, timeoutSeconds * 1000)) return;
  }
  await force(parts, place, record);
};
