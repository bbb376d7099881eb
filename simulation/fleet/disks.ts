/** The volumes of the machines: a cloud that attaches and detaches them, and kubelets that use what is attached. */
import { createMemoryDisks } from '../../shared/adapters/memory/disks.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { PersistentVolume, VolumeAttachment } from '../../shared/kube/types/storage.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { DiskCloud } from '../../shared/ports/outside/disk-cloud.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { type LiveRow, liveRow, nodeKey, type ObjectKey } from '../../shared/ports/store/rows.ts';
import { attachableOf, uniqueNameOf } from '../../shared/rules/attachments/attachable.ts';
import { volumesAttachedOf } from '../../shared/rules/attachments/volumes-attached.ts';
import { claimPathsOf } from '../../shared/rules/attachments/wanted-volumes.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import type { Committed } from '../plane/control-plane-types.ts';
import { machineNameOf } from './fleet.ts';
import { type KubeletDeps, thereAt } from './kubelets.ts';

/** Milliseconds that the cloud takes to attach or to detach a disk. */
const DISK_MS = 2_000;
/** Milliseconds that a kubelet takes to mount or to unmount. */
const KUBELET_MS = 1_000;

/** Numbers of the volumes of a run. */
export interface VolumeFigures {
  /** VolumeAttachments that were attached at the end. */
  readonly attachedAtEnd: number;
  /** How often a volume was attached, or was to be, while it was at another node. */
  readonly twice: number;
  /** The longest time without a volume between two nodes, ms. */
  readonly longestMoveMs: number;
}

export interface Disks {
  onCommit(commit: Committed): void;
  figures(): VolumeFigures;
}

const writer = 'client';

/** Follows who holds which volume. */
const createLedger = () => {
  const holders = new Map<string, Set<string>>();
  const freeSince = new Map<string, EpochMs>();
  const attached = new Set<string>();
  const count = { twice: 0, longestMoveMs: 0 };
  const note = (
    name: string,
    attachment: VolumeAttachment | undefined,
    volume: string,
    at: EpochMs,
  ): void => {
    const held = holders.get(volume) ?? new Set();
    holders.set(volume, held);
    if (!attachment) {
      held.delete(name);
      attached.delete(name);
      if (held.size === 0) freeSince.set(volume, at);
      return;
    }
    if (!held.has(name) && held.size > 0) count.twice += 1;
    held.add(name);
    if (attachment.status?.attached !== true || attached.has(name)) return;
    attached.add(name);
    count.longestMoveMs = Math.max(count.longestMoveMs, at - (freeSince.get(volume) ?? at));
  };
  return { note, figures: (): VolumeFigures => ({ attachedAtEnd: attached.size, ...count }) };
};

/** What the kubelet says that it uses: what is attached, and what its pods have. */
const inUseOf = (
  node: Node,
  pods: Iterable<Pod>,
  nameOf: (claim: string) => string | undefined,
): readonly string[] => {
  const used = new Set([...pods].flatMap(claimPathsOf).map(nameOf));
  return volumesAttachedOf(node).filter((name) => used.has(name));
};

const withInUse = (node: Node, names: readonly string[]): Node => {
  const { volumesInUse: before, ...status } = node.status ?? {};
  if (JSON.stringify(before ?? []) === JSON.stringify(names)) return node;
  return { ...node, status: { ...status, ...(names.length > 0 ? { volumesInUse: names } : {}) } };
};

/** Creates the cloud that has the disks. */
export const createDiskCloud = (clock: Clock): DiskCloud =>
  createMemoryDisks({ clock, moveMs: DISK_MS, nodeNameOf: machineNameOf });

/** Creates what machines do about commits. */
export const createDisks = ({ clock, writer: objects, machines }: KubeletDeps): Disks => {
  const byName = new Map(machines.map((machine) => [machine.name, machine]));
  const pods = new Map<string, Pod>();
  const ledger = createLedger();
  const volumes = new Map<string, string>();
  /** Unique names of volumes, by the paths of the claims for which they are. */
  const bound = new Map<string, string>();

  const mount = async (name: string): Promise<void> => {
    const machine = byName.get(name);
    if (!machine) return;
    await waitUntil(clock, thereAt(machine, clock.now() + KUBELET_MS));
    await objects.write(nodeKey(name), (row) => {
      const node: Node | undefined = liveRow(row)?.object;
      const here = [...pods.values()].filter(({ spec }) => spec.nodeName === name);
      return (
        node && {
          next: withInUse(
            node,
            inUseOf(node, here, (claim) => bound.get(claim)),
          ),
          writer,
        }
      );
    });
  };
  const onAttachment = (key: ObjectKey, row: LiveRow | undefined, at: EpochMs): void => {
    const attachment: VolumeAttachment | undefined = row?.object;
    const volume = attachment?.spec?.source?.persistentVolumeName ?? volumes.get(key.name) ?? '';
    volumes.set(key.name, volume);
    ledger.note(key.name, attachment, volume, at);
  };
  const onPod = (key: ObjectKey, row: LiveRow | undefined): void => {
    const path = `${key.namespace}/${key.name}`;
    const node = pods.get(path)?.spec.nodeName;
    if (row) pods.set(path, row.object as Pod);
    else pods.delete(path);
    if (!row && node !== undefined) void mount(node);
  };
  const onVolume = (volume: PersistentVolume): void => {
    const { namespace = '', name } = volume.spec?.claimRef ?? {};
    const attachable = attachableOf(volume);
    if (name !== undefined && attachable) bound.set(`${namespace}/${name}`, uniqueNameOf(attachable));
  };
  return {
    onCommit: ({ at, change: { after } }) => {
      const row = liveRow(after);
      if (after?.key.resource === 'persistentvolumes' && row) onVolume(row.object);
      if (after?.key.resource === 'volumeattachments') onAttachment(after.key, row, at);
      if (after?.key.resource === 'pods') onPod(after.key, row);
      if (after?.key.resource === 'nodes' && row && volumesAttachedOf(row.object).length > 0)
        void mount(after.key.name);
    },
    figures: ledger.figures,
  };
};
