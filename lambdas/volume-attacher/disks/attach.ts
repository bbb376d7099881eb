/** Attaches the disk of a VolumeAttachment, one step at a time. */
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { type DiskCloud, DiskCloudError } from '../../../shared/ports/outside/disk-cloud.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import { heldFor, withHold } from '../../../shared/rules/attachments/attacher.ts';
import { attachStep, type DiskPlace } from '../../../shared/rules/attachments/disk.ts';
import { deviceFor } from '../../../shared/rules/attachments/disk-devices.ts';
import type { OwnerTurn } from '../../../shared/store/turns/owner-turns.ts';
import type { AttacherDeps } from '../deps.ts';
import { fail, type Outcome, wait } from './outcome.ts';
import { type Target, Unclear } from './target.ts';

/** Writes what holds the object, if it is the same one and stays. Resolves to whether it is held. */
const hold = async (
  { writer }: AttacherDeps,
  seen: LiveRow,
  held: (object: ApiObject) => ApiObject,
): Promise<boolean> => {
  let isHeld = false;
  await writer.write(
    seen.key,
    (found) => {
      const row = liveRow(found);
      isHeld = row?.uid === seen.uid && row.object.metadata.deletionTimestamp === undefined;
      if (!row || !isHeld) return undefined;
      const next = held(row.object);
      return next === row.object ? undefined : { next, writer: 'controller' };
    },
    seen,
  );
  return isHeld;
};

/** Somebody else has just taken the disk or the device: the next look sees it. */
const isRace = (error: unknown): boolean =>
  error instanceof DiskCloudError && (error.fault === 'in-use' || error.fault === 'device-in-use');

const begin = async (disks: DiskCloud, place: DiskPlace, turn: OwnerTurn): Promise<Outcome> => {
  const machine = await disks.machine(place.machine);
  if (!machine) return fail('there is no such node');
  const device = deviceFor(place.disk, machine.devices);
  if (device === undefined) return fail('the node has no device left');
  // Nobody else begins anything for this VolumeAttachment while the request is on its way.
  await turn.keep();
  try {
    await disks.attach(place, device);
  } catch (error) {
    if (!isRace(error)) throw error;
  }
  return wait('it is still being attached');
};

const move = async (
  disks: DiskCloud,
  place: DiskPlace,
  turn: OwnerTurn,
  isAsked: boolean,
): Promise<Outcome> => {
  const step = attachStep(await disks.disk(place.disk), place, isAsked);
  switch (step.does) {
    case 'done':
      return { result: 'attached', device: step.device };
    case 'fail':
      return fail(step.why);
    case 'wait':
      return wait('it is still on its way');
    case 'attach':
      return begin(disks, place, turn);
  }
};

/** One step on the way to the machine. Volume and VolumeAttachment are held before the disk moves. `tries`: looks in vain. Throws `Unclear`, `DiskCloudError`. */
export const attach = async (
  deps: AttacherDeps,
  disks: DiskCloud,
  { row, volume, place }: Target,
  turn: OwnerTurn,
  tries: number,
): Promise<Outcome> => {
  if (volume.object.metadata.deletionTimestamp !== undefined)
    throw new Unclear(`PersistentVolume "${volume.key.name}" is marked for deletion`);
  const isHeld =
    (await hold(deps, volume, withHold)) &&
    (await hold(deps, row, (attachment) => heldFor(attachment, place.machine)));
  return isHeld ? move(disks, place, turn, tries > 0) : wait('its objects are changing');
};
