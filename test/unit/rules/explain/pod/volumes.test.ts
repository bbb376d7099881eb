import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../../shared/kube/types/core.ts';
import type { VolumeAttachment } from '../../../../../shared/kube/types/storage.ts';
import { TAINT_OUT_OF_SERVICE as OUT_OF_SERVICE } from '../../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../../shared/kube/values/time.ts';
import {
  type AttachableVolume,
  newAttachment,
  uniqueNameOf,
} from '../../../../../shared/rules/attachments/attachable.ts';
import { UNMOUNT_WAIT_MS } from '../../../../../shared/rules/attachments/detach.ts';
import { explainDetach, type KnownAttachment } from '../../../../../shared/rules/explain/detach.ts';
import { explainVolumes, type KnownVolume } from '../../../../../shared/rules/explain/pod/pod-volumes.ts';
import { known, NOW, pod, seconds } from '../facts.ts';

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
    const answer = explainVolumes(pod(), [volume]);
    expect([answer?.verdict, answer?.because[0]?.fact, answer?.next]).toEqual([verdict, fact, undefined]);
  });

  it('says nothing of volumes that are not attached by anybody', () => {
    expect(explainVolumes(pod(), [{ claim: 'data', isBound: true }])).toBeUndefined();
    expect(explainVolumes(pod(), [])).toBeUndefined();
  });

  it('are not waited for by a pod that has ended', () => {
    const ended = pod({ status: { phase: 'Succeeded' } });
    expect(explainVolumes(ended, [one({ attachment: waiting })])).toBeUndefined();
  });
});

describe('a VolumeAttachment that nobody wants (J-120)', () => {
  const unwanted = (node: Node | undefined, parts: Partial<KnownAttachment> = {}): KnownAttachment => ({
    attachment: attached,
    node,
    volume: VOLUME,
    unwantedSince: since,
    ...parts,
  });
  const facts = (known: KnownAttachment, mayForce = true) =>
    explainDetach(known, NOW, mayForce).because.map(({ fact }) => fact);
  const at = since + UNMOUNT_WAIT_MS + 1;

  it('leaves a silent node after six minutes', () => {
    const answer = explainDetach(unwanted(using('Unknown')), NOW, true);
    expect(answer).toMatchObject({ about: 'va1', verdict: 'DetachWaits', since });
    expect(answer.next).toEqual({ verdict: 'Detached', at, withinMs: 60_000 });
    expect(facts(unwanted(using('Unknown')))).toEqual([
      'Attachment',
      'VolumeUnwanted',
      'VolumeInUse',
      'UnmountWait',
    ]);
  });

  it('leaves a Node that is gone after six minutes', () => {
    const answer = explainDetach(unwanted(undefined), NOW, true);
    expect([answer.verdict, answer.next?.at]).toEqual(['DetachWaits', at]);
    expect(facts(unwanted(undefined))).toEqual(['Attachment', 'VolumeUnwanted', 'NodeGone', 'UnmountWait']);
    expect(answer.wouldChange).toContain('NodeComesBack');
  });

  it.each([
    ['a ready node', using('True'), true, 'NodeAnswers'],
    ['a silent node, if that is switched off', using('Unknown'), false, 'NeverTaken'],
  ])('never leaves %s by time alone', (_name, node, mayForce, fact) => {
    const answer = explainDetach(unwanted(node), NOW, mayForce);
    expect([answer.verdict, answer.next]).toEqual(['DetachWaits', undefined]);
    expect(facts(unwanted(node), mayForce)).toContain(fact);
  });

  it('leaves a node at once that has unmounted it, or that is out of service', () => {
    const off = {
      ...using('Unknown'),
      spec: { taints: [{ key: OUT_OF_SERVICE, effect: 'NoExecute' as const }] },
    };
    for (const node of [known({ ready: 'True' }).node, off])
      expect(explainDetach(unwanted(node), NOW, true)).toMatchObject({
        verdict: 'DetachDue',
        next: { verdict: 'Detached', at: NOW },
      });
  });

  it('waits for its attacher, whose finalizer it has', () => {
    const held = { ...attached, metadata: { ...attached.metadata, finalizers: ['a/d'] } };
    const due = explainDetach(unwanted(known({ ready: 'True' }).node, { attachment: held }), NOW, true);
    expect(due.next?.verdict).toBe('Detaching');
    const deleted = { ...held, metadata: { ...held.metadata, deletionTimestamp: toTime(since) } };
    const failing = {
      ...deleted,
      status: { attached: true, detachError: { message: 'busy', time: toTime(NOW) } },
    };
    const answer = explainDetach(unwanted(using('True'), { attachment: failing }), NOW, true);
    expect([answer.verdict, answer.since, answer.next]).toEqual(['Detaching', since, undefined]);
    expect(answer.because.map(({ fact }) => fact)).toEqual([
      'Attachment',
      'DeletionBegan',
      'Finalizer',
      'DetachError',
    ]);
  });

  it('stays as long as pods want it, and for ever if its volume is gone', () => {
    const wanted = explainDetach(unwanted(using('True'), { unwantedSince: undefined }), NOW, true);
    expect([wanted.verdict, wanted.next]).toEqual(['Wanted', undefined]);
    const gone = explainDetach(unwanted(using('True'), { volume: undefined }), NOW, true);
    expect([gone.verdict, gone.next, gone.because[1]?.fact]).toEqual([
      'DetachWaits',
      undefined,
      'VolumeGone',
    ]);
  });
});
