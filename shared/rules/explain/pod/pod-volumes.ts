/** Are the volumes of the pod at its node? */
import type { Pod } from '../../../kube/types/core.ts';
import type { VolumeAttachment } from '../../../kube/types/storage.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { type AttachableVolume, isAttached } from '../../attachments/attachable.ts';
import { hasLeftVolumes } from '../../attachments/wanted-volumes.ts';
import type { Answer, Fact, Verdict } from '../explanation.ts';

/** What is known of a claim of the pod. */
export interface KnownVolume {
  readonly claim: string;
  /** The volume that it is bound to, if that has to be attached. */
  readonly volume?: AttachableVolume | undefined;
  readonly isBound: boolean;
  /** The VolumeAttachment for the pod's node. */
  readonly attachment?: VolumeAttachment | undefined;
  /** Since when another node has it. */
  readonly elsewhereSince?: EpochMs | undefined;
}

interface Part {
  readonly verdict: Verdict;
  readonly facts: readonly Fact[];
}

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

/** Explains whether the volumes of a pod are at its node; `undefined` if it has none that are attached, or is done with them. */
export const explainVolumes = (pod: Pod, volumes: readonly KnownVolume[]): Answer | undefined => {
  if (hasLeftVolumes(pod)) return undefined;
  const parts = volumes.map(arriving);
  const because = parts.flatMap(({ facts }) => facts);
  if (because.length === 0) return undefined;
  const isWaiting = parts.some(({ verdict }) => verdict === 'VolumesWait');
  return {
    question: 'volumes',
    verdict: isWaiting ? 'VolumesWait' : 'VolumesAttached',
    because,
    wouldChange: ['OtherPods', 'AttacherActs', 'PodChanges', 'Deletion', 'Eviction'],
  };
};
