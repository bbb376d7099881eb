/** Writes the volumes and nodes that were chosen for the claims of a pod. The volume binder, or a provisioner, does the rest. */
import type { PersistentVolume, PersistentVolumeClaim } from '../../../shared/kube/types/storage.ts';
import {
  claimKey,
  type LiveRow,
  liveRow,
  type ObjectKey,
  volumeKey,
} from '../../../shared/ports/store/rows.ts';
import { selectedNodeOf, withSelectedNode } from '../../../shared/rules/scheduling/pods/storage.ts';
import type { VolumeBinding, VolumeChoice } from '../../../shared/rules/scheduling/volumes/volume-choice.ts';
import { withClaim } from '../../../shared/rules/storage/binding.ts';
import { isReservedAndServes, suits } from '../../../shared/rules/storage/volume-matching.ts';
import type { SchedulerDeps } from '../deps.ts';

const keyOf = ({ metadata: { namespace, name } }: PersistentVolumeClaim): ObjectKey =>
  claimKey(namespace, name);

/** The row of the claim if it is the same one, stays, and names no volume yet. */
const openRow = (row: LiveRow | undefined, { metadata }: PersistentVolumeClaim): LiveRow | undefined => {
  const claim: PersistentVolumeClaim | undefined = row?.object;
  const isOpen =
    claim?.metadata.uid === metadata.uid &&
    claim?.metadata.deletionTimestamp === undefined &&
    !claim?.spec?.volumeName;
  return isOpen ? row : undefined;
};

/** Reserves the volume for the claim, if it is free or reserved for it, and the claim has no volume yet. Resolves to whether it is. */
const reserve = async (
  { objects, writer }: SchedulerDeps,
  { claim, volume }: VolumeBinding,
): Promise<boolean> => {
  const row = openRow(liveRow(await objects.read(keyOf(claim))), claim);
  if (!row) return false;
  let isRight = false;
  const { outcome } = await writer.write(volumeKey(volume.metadata.name), (stored) => {
    const now: PersistentVolume | undefined = liveRow(stored)?.object;
    isRight =
      now !== undefined &&
      now.metadata.uid === volume.metadata.uid &&
      (suits(now, row.object) || isReservedAndServes(now, row.object));
    const rows = [{ key: row.key, revision: row.revision }];
    return now && isRight ? { next: withClaim(now, row.object), writer: 'controller', rows } : undefined;
  });
  return isRight && outcome !== 'checkFailed';
};

/** Tells a provisioner the node, unless another one is told already. Resolves to whether the node stands there. */
const selectNode = async (
  { writer }: SchedulerDeps,
  claim: PersistentVolumeClaim,
  nodeName: string,
): Promise<boolean> => {
  let isRight = false;
  const { outcome } = await writer.write(keyOf(claim), (stored) => {
    const now: PersistentVolumeClaim | undefined = openRow(liveRow(stored), claim)?.object;
    const selected = now && selectedNodeOf(now);
    isRight = now !== undefined && (selected === undefined || selected === nodeName);
    return now && isRight ? { next: withSelectedNode(now, nodeName), writer: 'controller' } : undefined;
  });
  return isRight && outcome !== 'checkFailed';
};

/**
 * Writes the choice for a node, volumes first. What is written already stays as it is, so that a process that died in between loses
 * nothing. Resolves to `false` when something has changed since the choice: the pod has to be placed anew.
 */
export const bindVolumes = async (
  deps: SchedulerDeps,
  { bindings, provisions }: VolumeChoice,
  nodeName: string,
): Promise<boolean> => {
  for (const binding of bindings) if (!(await reserve(deps, binding))) return false;
  for (const claim of provisions) if (!(await selectNode(deps, claim, nodeName))) return false;
  return true;
};
