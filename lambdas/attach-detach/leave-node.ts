/** Takes from a node the volumes that no pod wants there, and writes which ones are attached. */

import type { Pod } from '../../shared/kube/types/core.ts';
import type { HoldClass } from '../../shared/kube/types/hold.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { podTarget } from '../../shared/ports/process/event-recorder.ts';
import { liveRow, nodeKey, type RowCheck } from '../../shared/ports/store/rows.ts';
import {
  type AttachEvent,
  attachFailed,
  attachSucceeded,
} from '../../shared/rules/attachments/attach-events.ts';
import { isAttached, isManaged, uniqueNameOf } from '../../shared/rules/attachments/attachable.ts';
import { type DetachReason, judgeDetach } from '../../shared/rules/attachments/detach.ts';
import { volumesAttachedOf, withVolumesAttached } from '../../shared/rules/attachments/volumes-attached.ts';
import type { Wanted } from '../../shared/rules/attachments/wanted-volumes.ts';
import { type HoldTarget, heldBy, targetOf } from '../../shared/rules/holds/held-by.ts';
import { collected } from '../../shared/rules/owners/collect.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import {
  type AttachDetachDeps,
  type AttachDetachReport,
  attachmentKey,
  type SeenNode,
  seenNode,
} from './deps.ts';
import { follow, type KnownAttachments, type OwnAttachment } from './known-attachments.ts';
import { forgetUnwanted, readStored, type StoredOfNode, storeUnwanted } from './waits.ts';
import { readWanted } from './wanted.ts';

const CONCURRENCY = 8;

/** A node, and all that a look has read of it. */
export interface Look {
  readonly seen: SeenNode;
  readonly known: KnownAttachments;
  readonly wanted: Wanted;
  readonly stored: StoredOfNode;
  readonly own: readonly OwnAttachment[];
}

/** What is left to do. `at`: when (ms) to look again, absent if a change will tell. */
export interface Left {
  readonly look: Look;
  readonly at?: EpochMs;
}

/** Reads a node and its volumes; `undefined`: it is not left to this controller. */
export const readLook = async (deps: AttachDetachDeps, nodeName: string): Promise<Look | undefined> => {
  // The node first: what is known of its volumes is then no older than its list.
  const seen = seenNode(nodeName, await deps.objects.read(nodeKey(nodeName)));
  const known = await follow(deps);
  if (seen.node && !isManaged(seen.node)) return undefined;
  const [wanted, stored] = await Promise.all([readWanted(deps, known, nodeName), readStored(deps, nodeName)]);
  return { seen, known, wanted, stored, own: known.ofNode(nodeName) };
};

interface Leaving extends OwnAttachment {
  readonly reason: DetachReason;
}

const targetOfSeen = ({ node }: SeenNode): HoldTarget => node && targetOf(node);

/** Holds stop a volume that is taken from a node without its word, as fencing does. */
const stoppedBy = (reason: DetachReason): HoldClass | undefined =>
  reason === 'unused' ? undefined : 'Fencing';

/** Before the volume leaves the list of its node. */
const isHeld = ({ holds, clock }: AttachDetachDeps, seen: SeenNode, reason: DetachReason): boolean => {
  const stops = stoppedBy(reason);
  return !!stops && heldBy(holds.book(), stops, targetOfSeen(seen), clock.now()) !== undefined;
};

/** Judges the volumes that nobody wants. Since when one is unwanted is stored before anything rests on it. */
const judgeAll = async (
  deps: AttachDetachDeps,
  { seen, wanted, stored, own }: Look,
): Promise<{ readonly leaving: readonly Leaving[]; readonly instants: readonly EpochMs[] }> => {
  const [leaving, instants, kept] = [[] as Leaving[], [] as EpochMs[], new Set<string>()];
  for (const one of own) {
    const { name, uid = '', deletionTimestamp } = one.attachment.metadata;
    const unique = uniqueNameOf(one.volume);
    if (deletionTimestamp !== undefined || wanted.volumes.has(unique)) continue;
    const read = stored.unwanted.get(name);
    const since = read?.uid === uid ? read.since : undefined;
    const mayForce = !deps.config.disableForceDetachOnTimeout;
    const judged = judgeDetach(seen.node, unique, since, deps.clock.now(), mayForce);
    if (judged.verdict === 'detach' && !isHeld(deps, seen, judged.reason))
      leaving.push({ ...one, reason: judged.reason });
    else if (judged.verdict === 'detach') kept.add(name);
    else {
      kept.add(name);
      await storeUnwanted(deps, seen.name, { name, uid }, judged.since, read);
      if (judged.until !== undefined) instants.push(judged.until);
    }
  }
  await forgetUnwanted(deps, seen.name, stored, kept);
  return { leaving, instants };
};

/** Tells each of the pods once for an occasion. */
export const tell = async (
  { recorder }: AttachDetachDeps,
  pods: readonly Pod[],
  text: (pod: Pod) => AttachEvent,
  occasion: string,
): Promise<void> => {
  for (const pod of pods)
    await recorder.record(podTarget(pod), { ...text(pod), component: 'attachdetach-controller' }, occasion);
};

const checkOf = ({ attachment: { metadata } }: OwnAttachment): RowCheck => ({
  key: attachmentKey(metadata.name),
  revision: Number(metadata.resourceVersion),
});

/**
 * Writes the list of the node without the volumes that leave it. A volume that enters the list must still be attached. Resolves to the node
 * as it is after that; `undefined`: something has changed, look again.
 */
const writeList = async (
  { writer }: AttachDetachDeps,
  { seen, own }: Look,
  leaving: readonly Leaving[],
): Promise<SeenNode | undefined> => {
  const { name, node, check } = seen;
  if (!node) return seen;
  const gone = new Set(leaving.map(({ attachment }) => attachment.metadata.name));
  const present = own.filter(
    ({ attachment }) => isAttached(attachment) && !gone.has(attachment.metadata.name),
  );
  const listed = new Set(volumesAttachedOf(node));
  const checks = present.filter(({ volume }) => !listed.has(uniqueNameOf(volume))).map(checkOf);
  const next = withVolumesAttached(
    node,
    present.map(({ volume }) => uniqueNameOf(volume)),
  );
  if (next === node) return seen;
  const result = await writer.write(nodeKey(name), (row) =>
    row?.state === 'live' && 'revision' in check && row.revision === check.revision
      ? { next, writer: 'controller', rows: checks }
      : undefined,
  );
  if (result.outcome !== 'written') return undefined;
  const revision = Number(result.object.metadata.resourceVersion);
  return { name, node: result.object, check: { key: nodeKey(name), revision } };
};

/** Deletes the VolumeAttachment, only while the node is as it was judged. `again`: something has changed. */
const detach = async (
  { writer }: AttachDetachDeps,
  { attachment, reason }: Leaving,
  seen: SeenNode,
): Promise<'done' | 'held' | 'again'> => {
  const { outcome } = await writer.destroy(attachmentKey(attachment.metadata.name), (found, now) => {
    const row = liveRow(found);
    if (!row || row.uid !== attachment.metadata.uid) return undefined;
    const destroyed = collected('volumeattachments', row.object, 'Background', now);
    const held = { stops: stoppedBy(reason), node: targetOfSeen(seen) };
    return destroyed && { destroyed, ...held, writer: 'controller', rows: [seen.check] };
  });
  if (outcome === 'held') return 'held';
  return outcome === 'checkFailed' ? 'again' : 'done';
};

/** Tells the pods of volumes that have come, and of those that could not. */
const tellPods = async (
  deps: AttachDetachDeps,
  { seen, own, wanted }: Look,
  after: SeenNode,
): Promise<void> => {
  const [before, listed] = [seen, after].map(({ node }) => new Set(node ? volumesAttachedOf(node) : []));
  for (const { attachment, volume } of own) {
    const unique = uniqueNameOf(volume);
    const pods = wanted.volumes.get(unique)?.pods ?? [];
    const { uid = '' } = attachment.metadata;
    const { message, time = '' } = attachment.status?.attachError ?? {};
    if (listed?.has(unique) && !before?.has(unique))
      await tell(deps, pods, () => attachSucceeded(volume.name), uid);
    else if (message !== undefined && !listed?.has(unique))
      await tell(deps, pods, () => attachFailed(volume.name, message), `${uid} ${time} ${message}`);
  }
};

/**
 * Takes from the node what no pod wants there, and writes its list: a volume leaves the list before its VolumeAttachment is deleted.
 * Resolves to `again` if something has changed meanwhile.
 */
export const settleNode = async (
  deps: AttachDetachDeps,
  look: Look,
  report: AttachDetachReport,
): Promise<Left | 'again'> => {
  const { leaving, instants } = await judgeAll(deps, look);
  const after = await writeList(deps, look, leaving);
  if (!after) return 'again';
  await tellPods(deps, look, after);
  const results = await inParallel(leaving, CONCURRENCY, async (one) => {
    const result = await detach(deps, one, after);
    if (result === 'done') report.detached.push(one.reason);
    return result;
  });
  if (results.includes('again')) return 'again';
  const left: Look = { ...look, seen: after };
  return instants.length === 0 ? { look: left } : { look: left, at: Math.min(...instants) };
};
