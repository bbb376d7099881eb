/** Detaches the disk of a VolumeAttachment, one step at a time. */

import { type DiskCloud, DiskCloudError } from '../../../shared/ports/outside/disk-cloud.ts';
import {
  type Disk,
  type DiskPlace,
  detachStep,
  isAt,
  isOff,
} from '../../../shared/rules/attachments/disk.ts';
import type { OwnerTurn } from '../../../shared/store/turns/owner-turns.ts';
import { type Outcome, wait } from './outcome.ts';
import type { Target } from './target.ts';

const isGone = (error: unknown): boolean =>
  error instanceof DiskCloudError && (error.fault === 'detached' || error.fault === 'missing');

/**
 * Asks also about a disk that seems to be elsewhere: descriptions lag behind requests, and only the answer to this request says surely that
 * no attachment is on its way.
 */
const ask = async (disks: DiskCloud, place: DiskPlace, disk: Disk | undefined): Promise<Outcome> => {
  try {
    await disks.detach(place, false);
  } catch (error) {
    if (!isGone(error)) throw error;
    if (!isAt(disk, place)) return { result: 'detached' };
  }
  return wait('it is still being detached');
};

/** One step off the machine. `tries`: looks in vain. Throws `DiskCloudError`. */
export const detach = async (
  disks: DiskCloud,
  { place }: Target,
  turn: OwnerTurn,
  tries: number,
): Promise<Outcome> => {
  const disk = await disks.disk(place.disk);
  const step = detachStep(disk, place, tries);
  await turn.keep();
  if (step === 'detach') return ask(disks, place, disk);
  if (step === 'force' && isOff(await disks.machine(place.machine))) await disks.detach(place, true);
  return wait('it is still being detached');
};
