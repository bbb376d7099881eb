/** What a VolumeAttachment is about: a disk and a machine. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { CSINode, VolumeAttachment } from '../../../shared/kube/types/storage.ts';
import type { DiskCloud } from '../../../shared/ports/outside/disk-cloud.ts';
import { type LiveRow, liveRow, nodeKey, volumeKey } from '../../../shared/ports/store/rows.ts';
import { attachableOf } from '../../../shared/rules/attachments/attachable.ts';
import { EBS_DRIVER, machineKept, machineOf, phaseOf } from '../../../shared/rules/attachments/attacher.ts';
import type { DiskPlace } from '../../../shared/rules/attachments/disk.ts';
import { isNamedFor } from '../../../shared/rules/cloud/verified-machine.ts';
import type { AttacherDeps } from '../deps.ts';

/** The objects that a VolumeAttachment names do not say which disk or machine it is about, in words like those of the external-attacher. */
export class Unclear extends Error {
  override readonly name = 'Unclear';
}

/** CSINode and providerID are the node's own word: a disk goes only to a machine for which the cloud, or an administrator, names the node. */
const check = async (disks: DiskCloud, node: Node | undefined, nodeName: string, machine: string) => {
  if (node && isNamedFor(node, machine)) return;
  const described = await disks.machine(machine);
  if (!described) throw new Unclear('there is no such node');
  if (described.nodeName !== nodeName)
    throw new Unclear(
      `MachineNotVerified: only the node itself says that its machine is ${machine}; give that the tag rollcall.dev/node=${nodeName}`,
    );
};

const readMachine = async (
  { objects }: AttacherDeps,
  disks: DiskCloud,
  nodeName: string,
): Promise<string> => {
  const csiNodeKey = { resource: 'csinodes', namespace: '', name: nodeName };
  const [csiNode, node] = await Promise.all([objects.read(csiNodeKey), objects.read(nodeKey(nodeName))]);
  const described: CSINode | undefined = liveRow(csiNode)?.object;
  const own: Node | undefined = liveRow(node)?.object;
  const machine = machineOf(described, own);
  if (machine === undefined) throw new Unclear(`CSINode ${nodeName} does not contain driver ${EBS_DRIVER}`);
  await check(disks, own, nodeName, machine);
  return machine;
};

/** A VolumeAttachment as it was read, its volume, and the place of the disk. */
export interface Target {
  readonly row: LiveRow;
  readonly volume: LiveRow;
  readonly place: DiskPlace;
}

/** Reads what a VolumeAttachment is about. One that is to be detached remembers its machine. Throws `Unclear` and `DiskCloudError`. */
export const readTarget = async (deps: AttacherDeps, disks: DiskCloud, row: LiveRow): Promise<Target> => {
  const attachment: VolumeAttachment = row.object;
  const { nodeName = '', source: { persistentVolumeName: name } = {} } = attachment.spec ?? {};
  if (name === undefined) throw new Unclear('only PersistentVolumes are attached');
  const volume = liveRow(await deps.objects.read(volumeKey(name)));
  if (!volume) throw new Unclear(`persistentvolume "${name}" not found`);
  const attachable = attachableOf(volume.object);
  if (attachable?.driver !== EBS_DRIVER) throw new Unclear(`persistentvolume "${name}" is not one of EBS`);
  const kept = machineKept(attachment);
  // What the VolumeAttachment remembers was checked before it was stored.
  const isLeaving = phaseOf(attachment) === 'detach' && kept !== undefined;
  const machine = isLeaving ? kept : await readMachine(deps, disks, nodeName);
  return { row, volume, place: { disk: attachable.handle, machine } };
};
