import { describe, expect, it } from 'vitest';
import { type Known, known, NOT_KNOWN } from '../../../../../agent/rules/known.ts';
import { withClaims } from '../../../../../agent/rules/volumes/claim.ts';
import { volumesOf } from '../../../../../agent/rules/volumes/volume.ts';
import type { Node } from '../../../../../shared/kube/types/core.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';
import { boundPair } from '../../../../support/agent/pods/storage.ts';

const NODE: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'n1' } },
};
const LOCAL = { local: { path: '/disk' } };
const only = (name: string) => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] },
      ],
    },
  },
});

const seen = (
  { claims, volumes }: Partial<ReturnType<typeof boundPair>>,
  volume: object = { persistentVolumeClaim: { claimName: 'c' } },
  phase = 'Pending',
  node: Known<Node> = known(NODE),
) => {
  const pod = {
    ...podOf('p', { volumes: [{ name: 'v', ...volume }] }),
    status: { phase: phase as 'Pending' },
  };
  const [found] = volumesOf(
    withClaims(pod, {
      claim: (name) => claims?.find(({ metadata }) => metadata.name === name),
      volume: (name) => volumes?.find(({ metadata }) => metadata.name === name),
      node,
    }),
  );
  return found;
};

const EPHEMERAL = { ephemeral: { volumeClaimTemplate: {} } };
const ownedBy = (uid: string) => ({
  metadata: {
    name: 'p-v',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid, controller: true }],
  },
});
/** The volume's claim is called otherwise, and has the same uid. */
const ephemeral = (uid: string) => boundPair(LOCAL, ownedBy(uid));

describe('J-155: the volume of a claim', () => {
  it.each([
    [
      'a folder of the machine',
      boundPair({ hostPath: { path: '/disk', type: '' } }),
      undefined,
      { hostPath: { path: '/disk', type: '' } },
    ],
    ['a local folder', boundPair(LOCAL), undefined, LOCAL],
    ['one of this node', boundPair({ ...LOCAL, ...only('n1') }), undefined, LOCAL],
    [
      'one that nobody may write to',
      boundPair(LOCAL),
      { persistentVolumeClaim: { claimName: 'c', readOnly: true } },
      { ...LOCAL, isReadOnly: true },
    ],
    ['one that was made for the pod', ephemeral('uid-p'), EPHEMERAL, LOCAL],
    ['none, because the pod has another kind', {}, { emptyDir: {} }, { emptyDir: {} }],
  ])('is %s', (_, storage, volume, expected) => {
    expect(seen(storage, volume)).toEqual({ name: 'v', ...expected });
  });

  const pvc = (text: string): string => `error processing PVC default/c: ${text}`;
  const { claims } = boundPair(LOCAL);
  it.each([
    [
      'there is no claim',
      {},
      undefined,
      pvc('failed to fetch PVC from API server: persistentvolumeclaims "c" not found'),
    ],
    [
      'it is not bound',
      boundPair(LOCAL, { status: { phase: 'Pending' } }),
      undefined,
      pvc('PVC is not bound'),
    ],
    ['it is lost', boundPair(LOCAL, { status: { phase: 'Lost' } }), undefined, pvc('PVC is not bound')],
    [
      'it names no volume',
      boundPair(LOCAL, { spec: { volumeName: '' } }),
      undefined,
      pvc('PVC has empty pvc.Spec.VolumeName'),
    ],
    [
      'it goes',
      boundPair(LOCAL, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
      undefined,
      pvc('PVC is being deleted'),
    ],
    [
      'there is no volume',
      { claims },
      undefined,
      pvc('failed to fetch PV pv from API server: persistentvolumes "pv" not found'),
    ],
    [
      'the volume is of another claim',
      boundPair({ ...LOCAL, claimRef: { namespace: 'default', name: 'c', uid: 'other' } }),
      undefined,
      pvc('found PV object pv with a claimRef that does not point to claim.UID uid-c'),
    ],
    [
      'the volume is of another node',
      boundPair({ ...LOCAL, ...only('n2') }),
      undefined,
      pvc('volume pv is not for this node: no matching NodeSelectorTerms'),
    ],
    [
      'it is a disk',
      boundPair({ ...LOCAL, volumeMode: 'Block' }),
      undefined,
      pvc('volume pv has volumeMode Block, which this agent does not have'),
    ],
    [
      'a driver is needed',
      boundPair({ csi: { driver: 'ebs.csi.aws.com' } }),
      undefined,
      'this agent has no volumes of the type csi',
    ],
    [
      'it was made for another pod',
      ephemeral('other'),
      EPHEMERAL,
      'error processing PVC default/p-v: PVC p-v was not created for the pod',
    ],
  ])('is not there if %s', (_, storage, volume, fault) => {
    expect(seen(storage, volume)).toEqual({ name: 'v', fault });
  });

  it('stays while a pod runs with it', () => {
    const going = boundPair(LOCAL, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(seen(going, undefined, 'Running')).toEqual({ name: 'v', ...LOCAL });
  });

  it('waits while the node is not known, if the volume is for certain nodes', () => {
    const bound = boundPair({ ...LOCAL, ...only('n1') });
    expect(seen(bound, undefined, 'Pending', NOT_KNOWN)).toMatchObject({
      fault: pvc('volume pv is for certain nodes, and this node is not known yet'),
    });
    expect(seen(boundPair(LOCAL), undefined, 'Pending', NOT_KNOWN)).toMatchObject(LOCAL);
  });
});
