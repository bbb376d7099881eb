import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  attachFailed,
  attachSucceeded,
  multiAttach,
} from '../../../../shared/rules/attachments/attach-events.ts';
import {
  attachableOf,
  attachmentNameOf,
  isAttached,
  isManaged,
  newAttachment,
} from '../../../../shared/rules/attachments/attachable.ts';
import {
  volumesAttachedOf,
  withVolumesAttached,
} from '../../../../shared/rules/attachments/volumes-attached.ts';
import {
  aCsiVolume,
  aManagedNode,
  aUser,
  DRIVER,
  uniqueName,
} from '../../../support/objects/attachment-objects.ts';
import { aVolume } from '../../../support/objects/storage-objects.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const VOLUME = { name: 'pv-a', driver: DRIVER, handle: 'handle-a', isExclusive: true, claimUid: 'c-pvc-a' };

describe('volumes that are attached', () => {
  it.each([
    ['J-32', ['ReadWriteOnce'], true],
    ['J-32', ['ReadWriteOncePod'], true],
    ['J-32', ['ReadWriteOnce', 'ReadOnlyMany'], false],
    ['J-32', ['ReadWriteMany'], false],
    ['J-32', [], false],
  ] as const)('%s: one with the modes %j may be at one node only: %s', (_id, modes, isExclusive) => {
    expect(attachableOf(aCsiVolume('a', modes))).toEqual({ ...VOLUME, isExclusive });
  });

  it('J-35: one that is not of a CSI driver is not attached', () => {
    expect(attachableOf(aVolume('v'))).toBeUndefined();
  });

  it('J-31: an attachment has the name that Kubernetes gives it', () => {
    const recorded = 'csi-6ead5249f79f28188fcfebc10196819dca0749d3b8d1da05049ea2b88dba51c6';
    expect(attachmentNameOf(VOLUME, 'n1', sha256)).toBe(recorded);
  });

  it('J-31: a new attachment is as recorded', () => {
    const made = { uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' };
    const attachment = newAttachment('csi-x', VOLUME, 'n1', made);
    expect(attachment).toEqual({
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'csi-x', ...made },
      spec: { attacher: DRIVER, nodeName: 'n1', source: { persistentVolumeName: 'pv-a' } },
      status: { attached: false },
    });
    expect(isAttached(attachment)).toBe(false);
    expect(isAttached({ ...attachment, status: { attached: true } })).toBe(true);
    const leaving = { ...attachment.metadata, deletionTimestamp: made.creationTimestamp };
    expect(isAttached({ ...attachment, metadata: leaving, status: { attached: true } })).toBe(false);
  });

  it('J-38: only the annotation of the kubelet leaves a node to the controller', () => {
    const node = aManagedNode('n1');
    expect(isManaged(node)).toBe(true);
    expect(isManaged({ ...node, metadata: { ...node.metadata, annotations: {} } })).toBe(false);
  });
});

describe('what a Node says of its volumes', () => {
  const [a, b] = [uniqueName('a'), uniqueName('b')];
  it('J-43: is the sorted list of what is attached, and no list for nothing', () => {
    const node = aManagedNode('n1', { attached: ['b'] });
    expect(volumesAttachedOf(withVolumesAttached(node, [b, a]))).toEqual([a, b]);
    expect(withVolumesAttached(node, []).status).not.toHaveProperty('volumesAttached');
    expect(withVolumesAttached(node, [b])).toBe(node);
    expect(withVolumesAttached(aManagedNode('n1'), [a]).status?.['volumesAttached']).toEqual([
      { name: a, devicePath: '' },
    ]);
  });
});

describe('events about volumes of pods', () => {
  const pod = aUser('p2', 'n2', ['a']);
  const far = aUser('q', 'n1', ['a'], { metadata: { name: 'q', namespace: 'other' } });
  const START = 'Multi-Attach error for volume "pv-a" Volume is already';
  it.each([
    ['J-45', 'succeeded', attachSucceeded('pv-a'), 'AttachVolume.Attach succeeded for volume "pv-a" '],
    [
      'J-45',
      'failed',
      attachFailed('pv-a', 'no disk'),
      'AttachVolume.Attach failed for volume "pv-a" : no disk',
    ],
    ['J-46', 'one user', multiAttach('pv-a', pod, [aUser('p1', 'n1', ['a'])]), `${START} used by pod(s) p1`],
    [
      'J-46',
      'two users',
      multiAttach('pv-a', pod, [aUser('p1', 'n1', ['a']), far]),
      `${START} used by pod(s) p1 and 1 pod(s) in different namespaces`,
    ],
    [
      'J-46',
      'a far user',
      multiAttach('pv-a', pod, [far]),
      `${START} used by 1 pod(s) in different namespaces`,
    ],
    [
      'J-46',
      'no user',
      multiAttach('pv-a', pod, []),
      `${START} exclusively attached to one node and can't be attached to another`,
    ],
  ] as const)('%s: %s', (_id, _case, { message }, expected) => {
    expect(message).toBe(expected);
  });
});
