/** Are the volumes of the pod at its node, and why do they not leave it? */

import type { Node, Pod } from '../../api/core.ts';
import { given } from '../../api/given.ts';
import type { EpochMs } from '../../api/time.ts';
import type { VolumeAttachment } from '../../api/validation/storage.ts';
import { type AttachableVolume, isAttached, uniqueNameOf } from '../attachments/attachable.ts';
import { judgeDetach } from '../attachments/detach.ts';
import { hasLeftVolumes } from '../attachments/wanted-volumes.ts';
import type { Answer, Fact, Next, Verdict } from './explanation.ts';

/** What is known of a claim of the pod. */
export interface KnownVolume {
  readonly claim: string;
  /** The volume that it is bound to, if that has to be attached. */
  readonly volume?: AttachableVolume | undefined;
  readonly isBound: boolean;
  /** The VolumeAttachment for the pod's node. */
  readonly attachment?: VolumeAttachment | undefined;
  /** Since when nobody wants the volume at the node. */
  readonly unwantedSince?: EpochMs | undefined;
  /** Since when another node has it. */
  readonly elsewhereSince?: EpochMs | undefined;
}

/** A look at the node, and the delay of a message. */
const SOON_MS = 60_000;

interface Part {
  readonly verdict: Verdict;
  readonly facts: readonly Fact[];
  readonly next?: Next;
}

const leaving = (
  { volume, attachment, unwantedSince, claim }: KnownVolume,
  node: Node | undefined,
  now: EpochMs,
  mayForce: boolean,
): Part | undefined => {
  if (!volume || !attachment || unwantedSince === undefined) return undefined;
  const judged = judgeDetach(node, uniqueNameOf(volume), unwantedSince, now, mayForce);
  const { name } = attachment.metadata;
  const source = 'stored instant of the node';
  const unwanted: Fact = {
    fact: 'VolumeUnwanted',
    at: unwantedSince,
    values: { claim, name },
    source,
    rule: 'J-40',
  };
  if (judged.verdict === 'detach')
    return {
      verdict: 'DetachDue',
      facts: [unwanted],
      next: { verdict: 'Detached', at: now, withinMs: SOON_MS },
    };
  const inUse: Fact = {
    fact: 'VolumeInUse',
    values: { name },
    source: 'node status.volumesInUse',
    rule: 'J-39',
  };
  if (judged.until === undefined) return { verdict: 'DetachWaits', facts: [unwanted, inUse] };
  const end: Fact = { fact: 'UnmountWait', at: judged.until, source, rule: 'J-41' };
  return {
    verdict: 'DetachWaits',
    facts: [unwanted, inUse, end],
    next: { verdict: 'Detached', at: judged.until, withinMs: SOON_MS },
  };
};

const arriving = ({ volume, attachment, isBound, claim, elsewhereSince }: KnownVolume): Part => {
  const ofClaim = `persistentvolumeclaim ${claim}`;
  const [name, values] = [attachment?.metadata.name ?? '', { claim, name: attachment?.metadata.name ?? '' }];
  if (!isBound)
    return {
      verdict: 'VolumesWait',
      facts: [{ fact: 'ClaimUnbound', values, source: `${ofClaim} status.phase`, rule: 'J-36' }],
    };
  if (!volume) return { verdict: 'VolumesAttached', facts: [] };
  if (elsewhereSince !== undefined) {
    const source = 'stored wait of the node';
    const fact: Fact = { fact: 'VolumeElsewhere', at: elsewhereSince, values, source, rule: 'J-46' };
    return { verdict: 'VolumesWait', facts: [fact] };
  }
  const source = `volumeattachment ${name}`;
  if (attachment && isAttached(attachment))
    return { verdict: 'VolumesAttached', facts: [{ fact: 'VolumeAttached', values, source, rule: 'J-43' }] };
  const waits: Fact = {
    fact: 'AttachmentWaits',
    values: { claim, driver: volume.driver },
    source,
    rule: 'J-31',
  };
  return { verdict: 'VolumesWait', facts: [waits] };
};

const ORDER: readonly Verdict[] = ['DetachWaits', 'DetachDue', 'VolumesWait', 'VolumesAttached'];

/**
 * Explains at `now` (ms) where the volumes of a pod are; `undefined` if it has none that are attached. `node`: `undefined` if it is gone;
 * `mayForce`: volumes are taken after a time from a node that does not answer.
 */
export const explainVolumes = (
  pod: Pod,
  node: Node | undefined,
  volumes: readonly KnownVolume[],
  now: EpochMs,
  mayForce: boolean,
): Answer | undefined => {
  const parts = volumes
    .map((one) => leaving(one, node, now, mayForce) ?? (hasLeftVolumes(pod) ? undefined : arriving(one)))
    .filter((part) => part !== undefined);
  const verdict = ORDER.find((one) => parts.some((part) => part.verdict === one));
  const because = parts.flatMap(({ facts }) => facts);
  if (verdict === undefined || because.length === 0) return undefined;
  const [next] = parts.flatMap((part) => part.next ?? []).toSorted((a, b) => a.at - b.at);
  return {
    question: 'volumes',
    verdict,
    because,
    ...given('next', next),
    wouldChange: ['Unmount', 'OutOfServiceTaint', 'ReadyCondition', 'AttacherActs'],
  };
};
