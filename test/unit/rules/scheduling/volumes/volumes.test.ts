import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../../shared/kube/types/meta.ts';
import type {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from '../../../../../shared/kube/types/storage.ts';
import type { Cluster } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import { nodeInfo } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import type { FilterPlugin } from '../../../../../shared/rules/scheduling/cluster/framework.ts';
import { volumeBindingFilter } from '../../../../../shared/rules/scheduling/volumes/volume-binding.ts';
import { nodeVolumeLimitsFilter } from '../../../../../shared/rules/scheduling/volumes/volume-limits.ts';
import { volumeRestrictionsFilter } from '../../../../../shared/rules/scheduling/volumes/volume-restrictions.ts';
import { volumeZoneFilter } from '../../../../../shared/rules/scheduling/volumes/volume-zone.ts';
import { nodeOf, podOf } from '../../../../support/scheduling/recorded-cases.ts';
import { clusterOf } from '../../../../support/scheduling/scheduling-objects.ts';

const ZONE = 'topology.kubernetes.io/zone';

interface Objects {
  readonly claims?: readonly PersistentVolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  readonly bound?: readonly Pod[];
}

const byName = <T extends ApiObject>(objects: readonly T[] = []) =>
  new Map(objects.map((one) => [one.metadata.name, one]));

/** Nodes a and b, each in the zone of its name, and c without a zone. */
const clusterWith = ({ claims = [], volumes, classes, csiNodes, bound = [] }: Objects): Cluster => {
  const nodes = ['a', 'b', 'c'].map((name) =>
    nodeInfo(
      nodeOf({ name, labels: name === 'c' ? {} : { [ZONE]: name } }),
      bound.filter(({ spec }) => spec.nodeName === name),
    ),
  );
  const storage = {
    claims: new Map(claims.map((one) => [`default/${one.metadata.name}`, one])),
    volumes: byName(volumes),
    classes: byName(classes),
    csiNodes: byName(csiNodes),
  };
  return clusterOf(nodes, { storage });
};

const claim = (name: string, spec: object, metadata: object = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default', ...metadata },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

const DONE = { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } };
const boundClaim = (name: string, spec: object = {}) =>
  claim(name, { volumeName: `v-${name}`, ...spec }, DONE);

const volume = (name: string, spec: object, labels: Record<string, string> = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, labels },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...spec },
});

const inZone = (zone: string) => ({
  nodeAffinity: {
    required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }] }] },
  },
});

const storageClass = (name: string, more: object): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  volumeBindingMode: 'WaitForFirstConsumer',
  ...more,
});

const using = (...names: readonly string[]): Record<string, unknown> => ({
  volumes: names.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});

const podUsing = (...names: readonly string[]): Pod => podOf({ name: 'p', spec: using(...names) });

/** What the plugin says of each of the three nodes, or of all. */
const answers = (plugin: FilterPlugin, pod: Pod, objects: Objects) => {
  const cluster = clusterWith(objects);
  const found = plugin.preFilter(pod, cluster);
  return found?.fault ?? cluster.nodes.map((info) => found?.filter?.(info)?.reasons.join());
};

const OTHER_NODE = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING = "node(s) didn't find available persistent volumes to bind";

describe('the filter VolumeBinding', () => {
  it.each([
    ['does not exist', [], 'persistentvolumeclaim "data" not found'],
    [
      'has lost its volume',
      [{ ...boundClaim('data'), status: { phase: 'Lost' } }],
      'persistentvolumeclaim "data" bound to non-existent persistentvolume "v-data"',
    ],
    [
      'is being deleted',
      [claim('data', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      'persistentvolumeclaim "data" is being deleted',
    ],
    [
      'is bound at once, but not yet',
      [claim('data', {})],
      'pod has unbound immediate PersistentVolumeClaims',
    ],
    [
      'names its volume, but is not bound yet',
      [claim('data', { volumeName: 'v1' })],
      'pod has unbound immediate PersistentVolumeClaims',
    ],
  ])('fails for all nodes when a claim %s (F-12)', (_name, claims, text) => {
    expect(answers(volumeBindingFilter, podUsing('data'), { claims })).toBe(text);
  });

  const ephemeral = podOf({ name: 'p', spec: { volumes: [{ name: 'tmp', ephemeral: {} }] } });
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p', controller: true };

  it.each([
    [
      'is not made yet',
      [],
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-tmp"',
    ],
    [
      'belongs to nobody',
      [claim('p-tmp', {}, DONE)],
      'PVC default/p-tmp was not created for pod default/p (pod is not owner)',
    ],
    [
      'is there',
      [{ ...boundClaim('p-tmp'), metadata: { ...boundClaim('p-tmp').metadata, ownerReferences: [owner] } }],
      [undefined, undefined, undefined],
    ],
  ])('waits for the claim of an ephemeral volume: it %s (F-12)', (_name, claims, answer) => {
    expect(answers(volumeBindingFilter, ephemeral, { claims, volumes: [volume('v-p-tmp', {})] })).toEqual(
      answer,
    );
  });

  it('looks at the volumes of the cluster once for all nodes (N-10, F-14)', () => {
    const cluster = clusterWith({
      claims: [claim('data', { storageClassName: 'late' })],
      classes: [storageClass('late', {})],
    });
    let looks = 0;
    const volumes = new Map(cluster.storage.volumes);
    volumes.values = () => {
      looks += 1;
      return new Map<string, PersistentVolume>().values();
    };
    const storage = { ...cluster.storage, volumes };
    const found = volumeBindingFilter.preFilter(podUsing('data'), { ...cluster, storage });
    for (const info of cluster.nodes) found?.filter?.(info);
    expect(looks).toBe(1);
  });

  it('has no say for a pod without claims (F-12)', () => {
    expect(volumeBindingFilter.preFilter(podUsing(), clusterWith({}))).toBeUndefined();
  });

  it('refuses all nodes when the volume of a bound ephemeral claim does not exist (F-13)', () => {
    const bound = boundClaim('p-tmp');
    const claims = [{ ...bound, metadata: { ...bound.metadata, ownerReferences: [owner] } }];
    const gone = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
    expect(answers(volumeBindingFilter, ephemeral, { claims })).toEqual([gone, gone, gone]);
  });

  it('keeps a pod to the nodes that can use its bound volumes (F-13)', () => {
    const objects = {
      claims: [boundClaim('data'), boundClaim('logs')],
      volumes: [volume('v-data', inZone('b')), volume('v-logs', {})],
    };
    expect(answers(volumeBindingFilter, podUsing('data', 'logs'), objects)).toEqual([
      OTHER_NODE,
      undefined,
      OTHER_NODE,
    ]);
  });

  const waiting = (name: string, more: object = {}) => claim(name, { storageClassName: 'late', ...more });
  const classes = [storageClass('late', { provisioner: 'kubernetes.io/no-provisioner' })];
  const free = (name: string, more: object = {}) => volume(name, { storageClassName: 'late', ...more });

  it.each([
    ['a free volume in zone a', [free('v1', inZone('a'))], [undefined, NOTHING, NOTHING]],
    ['a free volume for all', [free('v1')], [undefined, undefined, undefined]],
    ['a volume of another class', [free('v1', { storageClassName: 'other' })], [NOTHING, NOTHING, NOTHING]],
    [
      'a volume that is too small',
      [free('v1', { capacity: { storage: '1Mi' } })],
      [NOTHING, NOTHING, NOTHING],
    ],
    [
      'a volume without the access mode',
      [free('v1', { accessModes: ['ReadOnlyMany'] })],
      [NOTHING, NOTHING, NOTHING],
    ],
    ['a raw block volume', [free('v1', { volumeMode: 'Block' })], [NOTHING, NOTHING, NOTHING]],
    [
      'a volume of another claim',
      [free('v1', { claimRef: { name: 'other', namespace: 'default' } })],
      [NOTHING, NOTHING, NOTHING],
    ],
    [
      'a volume reserved for this claim',
      [free('v1', { claimRef: { name: 'data', namespace: 'default' } })],
      [undefined, undefined, undefined],
    ],
  ])('looks for a volume for a claim that waits for its first pod: %s (F-14)', (_name, volumes, answer) => {
    expect(
      answers(volumeBindingFilter, podUsing('data'), { claims: [waiting('data')], classes, volumes }),
    ).toEqual(answer);
  });

  it('gives no volume to two claims, and the smallest claim gets the smallest (F-14)', () => {
    const claims = [waiting('big', { resources: { requests: { storage: '2Gi' } } }), waiting('small')];
    const two = [free('v2', { capacity: { storage: '3Gi' } }), free('v1')];
    const told = (volumes: readonly PersistentVolume[]) =>
      answers(volumeBindingFilter, podUsing('big', 'small'), { claims, classes, volumes });
    expect(told(two)).toEqual([undefined, undefined, undefined]);
    expect(told(two.slice(0, 1))).toEqual([NOTHING, NOTHING, NOTHING]);
  });

  const topology = { allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['b'] }] }] };

  it.each([
    ['by a provisioner', { provisioner: 'd' }, {}, [undefined, undefined, undefined]],
    ['in zone b only', { provisioner: 'd', ...topology }, {}, [NOTHING, undefined, NOTHING]],
    [
      'for the node that was selected',
      { provisioner: 'd' },
      { annotations: { 'volume.kubernetes.io/selected-node': 'a' } },
      [undefined, NOTHING, NOTHING],
    ],
  ])('lets a volume be made %s (F-14)', (_name, more, metadata, answer) => {
    const claims = [claim('data', { storageClassName: 'late' }, metadata)];
    expect(
      answers(volumeBindingFilter, podUsing('data'), { claims, classes: [storageClass('late', more)] }),
    ).toEqual(answer);
  });
});

describe('the filter VolumeZone (F-15)', () => {
  const refused = 'node(s) had no available volume zone';
  const objects = (labels: Record<string, string>) => ({
    claims: [boundClaim('data')],
    volumes: [volume('v-data', {}, labels)],
  });

  it.each([
    ['the zone', { [ZONE]: 'a' }, [undefined, refused, undefined]],
    ['one of two zones', { [ZONE]: 'a__b' }, [undefined, undefined, undefined]],
    [
      'the zone in the beta label',
      { 'failure-domain.beta.kubernetes.io/zone': 'b' },
      [refused, undefined, undefined],
    ],
    ['a region that no node has', { 'topology.kubernetes.io/region': 'r' }, [refused, refused, undefined]],
    ['no zone', { disk: 'ssd' }, [undefined, undefined, undefined]],
  ])('judges a volume with %s', (_name, labels, answer) => {
    expect(answers(volumeZoneFilter, podUsing('data'), objects(labels))).toEqual(answer);
  });

  it('fails for all nodes when the volume of a claim does not exist', () => {
    expect(answers(volumeZoneFilter, podUsing('data'), { claims: [boundClaim('data')] })).toBe(
      'persistentvolume "v-data" not found',
    );
  });
});

describe('the filter VolumeRestrictions', () => {
  const other = (on: string, spec: Record<string, unknown>, ns = 'default') =>
    podOf({ name: 'other', on, ns, spec });
  const inUse =
    'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

  it.each([
    ['another pod uses it', 'ReadWriteOncePod', 'data', 'default', inUse],
    ['a pod of another namespace uses one of that name', 'ReadWriteOncePod', 'data', 'gold-a', undefined],
    ['no pod uses it', 'ReadWriteOncePod', 'logs', 'default', undefined],
    ['it may be shared', 'ReadWriteOnce', 'data', 'default', undefined],
  ])('keeps a pod off all nodes while %s (F-09)', (_name, mode, used, namespace, refusal) => {
    const objects = {
      claims: [boundClaim('data', { accessModes: [mode] }), boundClaim('logs')],
      bound: [other('a', using(used), namespace)],
    };
    expect(answers(volumeRestrictionsFilter, podUsing('data'), objects)).toEqual([refusal, refusal, refusal]);
  });

  const gce = (pdName: string, readOnly: boolean) => ({ gcePersistentDisk: { pdName, readOnly } });
  const rbd = (pool: string, ...monitors: readonly string[]) => ({ rbd: { image: 'i', pool, monitors } });
  const noDisk = 'node(s) had no available disk';

  it.each([
    ['the same disk', gce('d', false), gce('d', true), noDisk],
    ['the same disk, both read only', gce('d', true), gce('d', true), undefined],
    ['two disks', gce('d', false), gce('e', false), undefined],
    [
      'one EBS volume, both read only',
      { awsElasticBlockStore: { volumeID: 'v', readOnly: true } },
      { awsElasticBlockStore: { volumeID: 'v', readOnly: true } },
      noDisk,
    ],
    ['one iSCSI name', { iscsi: { iqn: 'q' } }, { iscsi: { iqn: 'q' } }, noDisk],
    ['one RBD image by a common monitor', rbd('p', 'm1', 'm2'), rbd('p', 'm2'), noDisk],
    ['RBD images without a common monitor', rbd('p', 'm1'), rbd('p', 'm2'), undefined],
    ['RBD images in two pools', rbd('p', 'm1'), rbd('q', 'm1'), undefined],
  ])('judges %s on node b only (F-10)', (_name, own, taken, refusal) => {
    const pod = podOf({ name: 'p', spec: { volumes: [{ name: 'v', ...own }] } });
    const bound = [other('b', { volumes: [{ name: 'w', ...taken }] })];
    expect(answers(volumeRestrictionsFilter, pod, { bound })).toEqual([undefined, refusal, undefined]);
  });
});

describe('the filter NodeVolumeLimits (F-11)', () => {
  const csi = (name: string, driver = 'd') => volume(`v-${name}`, { csi: { driver, volumeHandle: name } });
  const csiNode = (name: string, count: number): CSINode => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: 'd', nodeID: name, allocatable: { count } }] },
  });
  const objects: Objects = {
    claims: ['c1', 'c2', 'c3'].map((name) => boundClaim(name)),
    volumes: [csi('c1'), csi('c2'), csi('c3', 'other')],
    csiNodes: [csiNode('a', 1), csiNode('b', 2)],
    bound: [
      podOf({ name: 'x', on: 'a', spec: using('c1') }),
      podOf({ name: 'y', on: 'b', spec: using('c1') }),
    ],
  };
  const refused = 'node(s) exceed max volume count';

  it.each([
    ['one more volume', ['c2'], [refused, undefined, undefined]],
    ['a volume that the node has already', ['c1'], [undefined, undefined, undefined]],
    ['a volume of a driver without a limit', ['c3'], [undefined, undefined, undefined]],
    ['two volumes, one of them there', ['c1', 'c2'], [refused, undefined, undefined]],
  ])('judges %s', (_name, names, answer) => {
    expect(answers(nodeVolumeLimitsFilter, podUsing(...names), objects)).toEqual(answer);
  });

  it('counts a claim that waits for a volume as one of its class', () => {
    const waiting = [claim('w1', { storageClassName: 'late' }), claim('w2', { storageClassName: 'late' })];
    const classes = [storageClass('late', { provisioner: 'd' })];
    const more = { ...objects, claims: [...(objects.claims ?? []), ...waiting], classes };
    expect(answers(nodeVolumeLimitsFilter, podUsing('w1', 'w2'), more)).toEqual([
      refused,
      refused,
      undefined,
    ]);
  });
});
