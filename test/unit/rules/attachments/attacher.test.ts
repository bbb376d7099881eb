import { describe, expect, it } from 'vitest';
import type { VolumeAttachment } from '../../../../shared/kube/types/storage.ts';
import {
  ATTACHER_FINALIZER,
  EBS_DRIVER,
  heldFor,
  machineKept,
  machineOf,
  phaseOf,
  withAttached,
  withDetached,
  withError,
  withHold,
} from '../../../../shared/rules/attachments/attacher.ts';

type Given = Omit<Partial<VolumeAttachment>, 'metadata'> & { readonly metadata?: object };

const anAttachment = ({ metadata, ...given }: Given = {}): VolumeAttachment => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: { name: 'csi-1', ...metadata },
  spec: { attacher: EBS_DRIVER, nodeName: 'n1' },
  status: { attached: false },
  ...given,
});

const AT = Date.parse('2026-01-01T00:00:00Z');
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const finalizers = [ATTACHER_FINALIZER];

describe('phaseOf (J-100)', () => {
  it.each([
    ['a new one', {}, 'attach'],
    ['one that is attached', { status: { attached: true } }, undefined],
    ['one that goes', { metadata: { ...going, finalizers }, status: { attached: true } }, 'detach'],
    ['one that goes and was never attached', { metadata: { ...going, finalizers } }, 'detach'],
    ['one that goes, which somebody else holds', { metadata: { ...going, finalizers: ['a/b'] } }, undefined],
    ['one of another driver', { spec: { attacher: 'd.example.com' } }, undefined],
  ] as const)('%s', (_, given, expected) => expect(phaseOf(anAttachment(given))).toBe(expected));
});

describe('the attacher writes (J-101)', () => {
  it('its finalizer and the machine, once', () => {
    const held = heldFor(anAttachment({ metadata: { finalizers: ['a/b'] } }), 'i-1');
    expect(held.metadata.finalizers).toEqual(['a/b', ATTACHER_FINALIZER]);
    expect(held.metadata.annotations).toEqual({ 'csi.alpha.kubernetes.io/node-id': 'i-1' });
    expect(machineKept(held)).toBe('i-1');
    expect(heldFor(held, 'i-1')).toBe(held);
    expect(withHold(held)).toBe(held);
    expect(machineKept(heldFor(held, 'i-2'))).toBe('i-2');
  });

  it('that the disk is there, where, and that no error is left', () => {
    const failed = withError(anAttachment(), 'attachError', 'no', AT);
    expect(withAttached(failed, '/dev/xvdaa').status).toEqual({
      attached: true,
      attachmentMetadata: { devicePath: '/dev/xvdaa' },
    });
  });

  it('that the disk is gone, and lets the VolumeAttachment go', () => {
    const held = anAttachment({ metadata: { ...going, finalizers } });
    const failed = withError(withAttached(held, '/dev/xvdaa'), 'detachError', 'no', AT);
    const { metadata, status } = withDetached(failed);
    expect(status).toEqual({ attached: false });
    expect(metadata.finalizers).toBeUndefined();
  });

  it('an error with its time, not the same one again, and no more of it than Kubernetes accepts', () => {
    const first = withError(anAttachment(), 'attachError', 'no', AT);
    expect(first.status?.attachError).toEqual({ time: '2026-01-01T00:00:00Z', message: 'no' });
    expect(withError(first, 'attachError', 'no', AT + 5_000)).toBe(first);
    const { status } = withError(first, 'attachError', 'x'.repeat(2_000), AT + 5_000);
    expect(status?.attachError?.message).toHaveLength(1_024);
  });
});

describe('machineOf (J-101)', () => {
  const csiNode = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'n1' } };
  const driver = (name: string, nodeID: string) => ({ ...csiNode, spec: { drivers: [{ name, nodeID }] } });
  const node = (providerID?: string) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    spec: providerID === undefined ? {} : { providerID },
  });

  it.each([
    ['by the word of the driver', driver(EBS_DRIVER, 'i-1'), node('aws:///z/i-2'), 'i-1'],
    ['by the providerID', driver('d.example.com', 'x'), node('aws:///z/i-2'), 'i-2'],
    ['by neither', csiNode, node(), undefined],
    ['by nothing', undefined, undefined, undefined],
  ] as const)('%s', (_, described, given, expected) => expect(machineOf(described, given)).toBe(expected));
});
