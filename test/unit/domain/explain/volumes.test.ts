import { describe, expect, it } from 'vitest';
import type { VolumeAttachment } from '../../../../shared/api/validation/storage.ts';
import {
  type AttachableVolume,
  newAttachment,
  uniqueNameOf,
} from '../../../../shared/domain/attachments/attachable.ts';
import { UNMOUNT_WAIT_MS } from '../../../../shared/domain/attachments/detach.ts';
import { explainVolumes, type KnownVolume } from '../../../../shared/domain/explain/pod-volumes.ts';
import { known, NOW, pod, seconds } from './facts.ts';

const VOLUME: AttachableVolume = { name: 'pv1', driver: 'd', handle: 'h', isExclusive: true, claimUid: 'c' };
const waiting = newAttachment('va1', VOLUME, 'n1', { uid: 'va', creationTimestamp: '2026-03-01T11:00:00Z' });
const attached: VolumeAttachment = { ...waiting, status: { attached: true } };
const using = (ready: 'True' | 'Unknown') => {
  const { node } = known({ ready });
  return { ...node, status: { ...node.status, volumesInUse: [uniqueNameOf(VOLUME)] } };
};
const one = (parts: Partial<KnownVolume>): KnownVolume => ({
  claim: 'data',
  isBound: true,
  volume: VOLUME,
  ...parts,
});
const since = NOW - seconds(60);

describe('the volumes of a pod (J-93)', () => {
  it.each([
    ['attached', one({ attachment: attached }), 'VolumesAttached', 'VolumeAttached'],
    ['not attached yet', one({ attachment: waiting }), 'VolumesWait', 'AttachmentWaits'],
    ['not even asked for', one({}), 'VolumesWait', 'AttachmentWaits'],
    ['at another node', one({ elsewhereSince: since }), 'VolumesWait', 'VolumeElsewhere'],
    ['not bound', { claim: 'data', isBound: false }, 'VolumesWait', 'ClaimUnbound'],
  ])('%s', (_name, volume, verdict, fact) => {
    const answer = explainVolumes(pod(), using('True'), [volume], NOW, true);
    expect([answer?.verdict, answer?.because[0]?.fact, answer?.next]).toEqual([verdict, fact, undefined]);
  });

  it('says nothing of volumes that are not attached by anybody', () => {
    expect(
      explainVolumes(pod(), using('True'), [{ claim: 'data', isBound: true }], NOW, true),
    ).toBeUndefined();
    expect(explainVolumes(pod(), using('True'), [], NOW, true)).toBeUndefined();
  });

  const unwanted = one({ attachment: attached, unwantedSince: since });

  it('leave a silent node after six minutes', () => {
    const answer = explainVolumes(pod(), using('Unknown'), [unwanted], NOW, true);
    const at = since + UNMOUNT_WAIT_MS + 1;
    expect(answer).toMatchObject({ verdict: 'DetachWaits', next: { verdict: 'Detached', at } });
    expect(answer?.because.map(({ fact }) => fact)).toEqual(['VolumeUnwanted', 'VolumeInUse', 'UnmountWait']);
  });

  it.each([
    ['a ready node', using('True'), true],
    ['a silent node, if that is switched off', using('Unknown'), false],
  ])('never leave %s by time alone', (_name, node, mayForce) => {
    const answer = explainVolumes(pod(), node, [unwanted], NOW, mayForce);
    expect([answer?.verdict, answer?.next]).toEqual(['DetachWaits', undefined]);
  });

  it('leave a node at once that has unmounted them', () => {
    const answer = explainVolumes(pod(), known({ ready: 'True' }).node, [unwanted], NOW, true);
    expect(answer).toMatchObject({ verdict: 'DetachDue', next: { verdict: 'Detached', at: NOW } });
  });

  it('are not waited for by a pod that has ended', () => {
    const ended = pod({ status: { phase: 'Succeeded' } });
    expect(explainVolumes(ended, using('True'), [one({ attachment: waiting })], NOW, true)).toBeUndefined();
  });
});
