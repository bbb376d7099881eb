import { describe, expect, it } from 'vitest';
import { telemetry } from '../../../../lambdas/volume-attacher/metrics.ts';
import { reconcile } from '../../../../lambdas/volume-attacher/reconcile.ts';
import { createMemoryDisks, type MemoryDisksOptions } from '../../../../shared/adapters/memory/disks.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { VolumeAttachment } from '../../../../shared/kube/types/storage.ts';
import { type DiskCloud, DiskCloudError } from '../../../../shared/ports/outside/disk-cloud.ts';
import { liveRow, nodeKey, volumeKey } from '../../../../shared/ports/store/rows.ts';
import { ATTACHER_FINALIZER } from '../../../../shared/rules/attachments/attacher.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { aManagedNode } from '../../../support/objects/attachment-objects.ts';
import { anEbsAttachment, anEbsVolume } from '../../../support/objects/ebs-objects.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const MOVE_MS = 2_500;
const NAME = 'n1-a';
const key = (name = NAME) => ({ resource: 'volumeattachments', namespace: '', name });

const nodeOf = (machine: string): string => machine.replace('i-', 'n');

interface Stage {
  readonly plane: ControlPlane;
  readonly disks: ReturnType<typeof createMemoryDisks>;
  /** Requests to the cloud, without those that only read. */
  readonly asked: readonly string[];
}

type Options = Omit<Partial<MemoryDisksOptions>, 'clock'> & {
  readonly fails?: (request: string, at: number) => DiskCloudError | undefined;
};

/** Two nodes, the machines `i-1` and `i-2`, and the volume `pv-a`, on a stage where nobody else acts. */
const aStage = async ({ fails, ...options }: Options = {}): Promise<Stage> => {
  const clock = createVirtualClock();
  const disks = createMemoryDisks({ clock, moveMs: MOVE_MS, nodeNameOf: nodeOf, ...options });
  const asked: string[] = [];
  const ask = async (request: string, work: () => Promise<void>): Promise<void> => {
    asked.push(request);
    const failure = fails?.(request, clock.now());
    if (failure) throw failure;
    await work();
  };
  const cloud: DiskCloud = {
    disk: disks.disk,
    machine: disks.machine,
    attach: (place, device) =>
      ask(`attach ${place.disk} ${place.machine}`, () => disks.attach(place, device)),
    detach: (place, isForced) =>
      ask(`${isForced ? 'force' : 'detach'} ${place.disk} ${place.machine}`, () =>
        disks.detach(place, isForced),
      ),
  };
  const HOUR = 3_600_000;
  const config = { nodeMonitorGracePeriodMs: HOUR, nodeStartupGracePeriodMs: HOUR };
  const plane = createMemoryControlPlane({ clock, config, disks: cloud });
  for (const part of ['attach-detach', 'volume-binder'] as const) plane.set(part, false);
  for (const name of ['n1', 'n2']) {
    const node: Node = { ...aManagedNode(name), spec: { providerID: `aws:///z/i-${name.slice(1)}` } };
    await put(plane, nodeKey(name), node);
  }
  await put(plane, volumeKey('pv-a'), anEbsVolume('a'));
  return { plane, disks, asked };
};

const put = async (
  plane: ControlPlane,
  at: Parameters<ControlPlane['writer']['write']>[0],
  next: ApiObject,
) => {
  await plane.writer.write(at, () => ({ next, writer: 'client' }));
};

const request = (plane: ControlPlane, node = 'n1'): Promise<void> =>
  put(plane, key(`${node}-a`), anEbsAttachment('a', node));

/** What a DELETE does to an object that has finalizers. */
const remove = async ({ writer, clock }: ControlPlane, at = key()): Promise<void> => {
  await writer.write(at, (found) => {
    const row = liveRow(found);
    if (!row) return undefined;
    if ((row.object.metadata.finalizers ?? []).length === 0) return { next: 'delete', writer: 'client' };
    const deletionTimestamp = new Date(clock.now()).toISOString();
    const metadata = { ...row.object.metadata, deletionTimestamp };
    return { next: { ...row.object, metadata }, writer: 'client' };
  });
};

const erase = async ({ writer }: ControlPlane, at = key()): Promise<void> => {
  await writer.write(at, () => ({ next: 'delete', writer: 'client' }));
};

const read = async ({ state }: ControlPlane, at = key()): Promise<VolumeAttachment | undefined> =>
  liveRow(await state.objects.read(at))?.object;

const HELD = [ATTACHER_FINALIZER];

const says = (plane: ControlPlane, name: string, nodeID: string): Promise<void> =>
  put(plane, { resource: 'csinodes', namespace: '', name }, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name },
    spec: { drivers: [{ name: 'ebs.csi.aws.com', nodeID }] },
  } as ApiObject);

describe('a node that names the machine of another one (J-394)', () => {
  it('gets no disk there, and takes none from there', async () => {
    const { plane, asked } = await aStage();
    await says(plane, 'n1', 'i-2');
    await request(plane);
    await plane.run(10 * SECOND);
    expect(asked).toEqual([]);
    const { metadata, status } = (await read(plane)) ?? {};
    expect(metadata?.finalizers).toBeUndefined();
    expect(status?.attachError?.message).toContain('MachineNotVerified: only the node itself says');
    await remove(plane);
    await plane.run(MINUTE);
    expect(asked).toEqual([]);
    expect(await read(plane)).toBeUndefined();
  });

  it('gets it there if an administrator says so', async () => {
    const { plane, asked } = await aStage();
    await put(plane, nodeKey('n1'), {
      ...aManagedNode('n1'),
      metadata: { ...aManagedNode('n1').metadata, annotations: { 'rollcall.dev/machine': 'i-7 operator' } },
      spec: { providerID: 'aws:///z/i-7' },
    } as Node);
    await request(plane);
    await plane.run(10 * SECOND);
    expect(asked).toEqual(['attach vol-a i-7']);
  });

  it('does not keep what an administrator takes back before the disk is there', async () => {
    const { plane, asked } = await aStage({
      fails: (asking) =>
        asking.startsWith('attach') ? new DiskCloudError('in-use', 'it is elsewhere') : undefined,
    });
    const named = (word: string): Node => ({
      ...aManagedNode('n1'),
      metadata: { ...aManagedNode('n1').metadata, annotations: { 'rollcall.dev/machine': word } },
      spec: { providerID: 'aws:///z/i-2' },
    });
    await put(plane, nodeKey('n1'), named('i-2 operator'));
    await request(plane);
    await plane.run(2 * SECOND);
    await put(plane, nodeKey('n1'), named('i-1 operator'));
    const { length } = asked;
    expect(length).toBeGreaterThan(0);
    await plane.run(30 * MINUTE);
    expect(asked).toHaveLength(length);
    expect((await read(plane))?.status?.attachError?.message).toContain('MachineNotVerified');
  });
});

describe('a VolumeAttachment of EBS', () => {
  it('is attached, held with its volume, and tells its device (J-101, J-102)', async () => {
    const { plane, disks, asked } = await aStage();
    await request(plane);
    await plane.run(2 * SECOND);
    expect(await read(plane)).toMatchObject({
      metadata: { finalizers: HELD, annotations: { 'csi.alpha.kubernetes.io/node-id': 'i-1' } },
      status: { attached: false },
    });
    await plane.run(8 * SECOND);
    const { status } = (await read(plane)) ?? {};
    expect(status).toEqual({
      attached: true,
      attachmentMetadata: { devicePath: expect.stringMatching(/^\/dev\/xvd[ab][a-z]$/) },
    });
    expect((await read(plane, volumeKey('pv-a')))?.metadata.finalizers).toContain(ATTACHER_FINALIZER);
    expect(disks.holders('vol-a')).toEqual(['i-1']);
    expect(asked).toEqual(['attach vol-a i-1']);
    expect(await plane.state.control.sightings('disk-try')).toEqual([]);
    expect(plane.failures).toEqual([]);
  });

  it('that is deleted is detached first, also when the Node is gone (J-101, J-103)', async () => {
    const { plane, disks, asked } = await aStage();
    await request(plane);
    await plane.run(10 * SECOND);
    await erase(plane, nodeKey('n1'));
    await remove(plane);
    await plane.run(SECOND);
    expect(await read(plane)).toBeDefined();
    await plane.run(10 * SECOND);
    expect(await read(plane)).toBeUndefined();
    expect(disks.holders('vol-a')).toEqual([]);
    expect(new Set(asked)).toEqual(new Set(['attach vol-a i-1', 'detach vol-a i-1']));
    expect(await plane.state.control.sightings('disk-try')).toEqual([]);
  });

  it('that is deleted while its disk is on the way is detached, too (J-103)', async () => {
    const { plane, disks } = await aStage();
    await request(plane);
    await plane.run(1_200);
    await remove(plane);
    await plane.run(30 * SECOND);
    expect(await read(plane)).toBeUndefined();
    expect(disks.holders('vol-a')).toEqual([]);
  });

  it('that nobody has begun is not held back (J-100)', async () => {
    const { plane, asked } = await aStage();
    plane.set('volume-attacher', false);
    await request(plane);
    await plane.run(SECOND);
    await remove(plane);
    plane.set('volume-attacher', true);
    await plane.run(SECOND);
    expect(await read(plane)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('of another driver is left alone (J-100)', async () => {
    const { plane, asked } = await aStage();
    const other = anEbsAttachment('a', 'n1');
    await put(plane, key(), { ...other, spec: { ...other.spec, attacher: 'd.example.com' } } as ApiObject);
    await plane.run(MINUTE);
    expect(await read(plane)).toMatchObject({ status: { attached: false } });
    expect(asked).toEqual([]);
  });
});

describe('what goes wrong', () => {
  it('is told once for each text, and tried again with a back-off that is stored (J-106, J-107)', async () => {
    const { plane, asked } = await aStage({
      fails: () => new DiskCloudError('unavailable', 'RequestLimitExceeded: slow down'),
    });
    await request(plane);
    await plane.run(10 * SECOND);
    const first = await read(plane);
    expect(first?.status?.attachError?.message).toBe(
      'Could not attach volume "vol-a" to node "i-1": RequestLimitExceeded: slow down',
    );
    await plane.run(50 * SECOND);
    expect((await read(plane))?.metadata.resourceVersion).toBe(first?.metadata.resourceVersion);
    // At 0, 1, 3, 7, 15 and 31 s, and a second later at most for each of them.
    expect(asked).toHaveLength(6);
  });

  it('is over when it works, and the error goes (J-101)', async () => {
    const { plane } = await aStage({
      fails: (_, at) =>
        at < createVirtualClock().now() + 20 * SECOND ? new DiskCloudError('refused', 'no') : undefined,
    });
    await request(plane);
    await plane.run(2 * MINUTE);
    expect((await read(plane))?.status).toMatchObject({ attached: true });
    expect((await read(plane))?.status).not.toHaveProperty('attachError');
  });

  it('doubled messages do not shorten the back-off (J-106)', async () => {
    const { plane, asked } = await aStage({ fails: () => new DiskCloudError('refused', 'no') });
    await request(plane);
    await plane.run(20 * SECOND);
    const before = asked.length;
    for (let count = 0; count < 5; count += 1)
      await reconcile(plane.invoke(), { v: 1, kind: 'attachment', name: NAME });
    expect(asked).toHaveLength(before);
  });

  it.each([
    [
      'a volume that is gone',
      (plane: ControlPlane) => erase(plane, volumeKey('pv-a')),
      'persistentvolume "pv-a" not found',
    ],
    [
      'a node without a machine',
      (plane: ControlPlane) => put(plane, nodeKey('n1'), aManagedNode('n1')),
      'CSINode n1 does not contain driver ebs.csi.aws.com',
    ],
  ] as const)('%s is told, and nothing is held (J-107)', async (_, spoil, text) => {
    const { plane } = await aStage();
    await spoil(plane);
    await request(plane);
    await plane.run(3 * SECOND);
    const attachment = await read(plane);
    expect(attachment?.status?.attachError?.message).toBe(text);
    expect(attachment?.metadata.finalizers).toBeUndefined();
  });

  it('a disk at another machine waits until it has left (J-102)', async () => {
    const { plane, disks } = await aStage();
    await disks.attach({ disk: 'vol-a', machine: 'i-2' }, '/dev/xvdaa');
    await request(plane);
    await plane.run(20 * SECOND);
    expect((await read(plane))?.status?.attachError?.message).toBe(
      'Could not attach volume "vol-a" to node "i-1": it is still at node "i-2"',
    );
    await disks.detach({ disk: 'vol-a', machine: 'i-2' }, false);
    await plane.run(MINUTE);
    expect((await read(plane))?.status?.attached).toBe(true);
    expect(disks.holders('vol-a')).toEqual(['i-1']);
  });
});

describe('a disk that its machine still uses', () => {
  const busy = (states: Map<string, 'running' | 'stopped'>): Options => ({
    isBusy: () => true,
    stateOf: (machine) => states.get(machine) ?? 'running',
  });

  it('is never forced while the machine runs, and an operator is told (J-104, J-107)', async () => {
    const { plane, disks, asked } = await aStage(busy(new Map()));
    await request(plane);
    await plane.run(10 * SECOND);
    await remove(plane);
    await plane.run(5 * MINUTE);
    expect(disks.holders('vol-a')).toEqual(['i-1']);
    expect(asked.filter((one) => one.startsWith('force'))).toEqual([]);
    expect((await read(plane))?.status?.detachError?.message).toBe(
      'Could not detach volume "vol-a" from node "i-1": it is still being detached',
    );
  });

  it('leaves once the machine is off (J-104)', async () => {
    const states = new Map<string, 'running' | 'stopped'>();
    const { plane, disks } = await aStage(busy(states));
    await request(plane);
    await plane.run(10 * SECOND);
    await remove(plane);
    await plane.run(2 * MINUTE);
    states.set('i-1', 'stopped');
    await plane.run(MINUTE);
    expect(await read(plane)).toBeUndefined();
    expect(disks.holders('vol-a')).toEqual([]);
  });
});

describe('a volume that is deleted (J-108)', () => {
  it('stays while it has a VolumeAttachment, and goes with the last one', async () => {
    const { plane } = await aStage();
    await request(plane);
    await plane.run(10 * SECOND);
    await plane.writer.write(volumeKey('pv-a'), (found) => {
      const row = liveRow(found);
      const metadata = { ...row?.object.metadata, name: 'pv-a', finalizers: [ATTACHER_FINALIZER] };
      return row && { next: { ...row.object, metadata }, writer: 'client' };
    });
    await remove(plane, volumeKey('pv-a'));
    await plane.run(5 * SECOND);
    expect(await read(plane, volumeKey('pv-a'))).toBeDefined();
    await remove(plane);
    await plane.run(20 * SECOND);
    expect(await read(plane)).toBeUndefined();
    expect(await read(plane, volumeKey('pv-a'))).toBeUndefined();
  });

  it('is attached to nothing any more', async () => {
    const { plane, asked } = await aStage();
    await plane.writer.write(volumeKey('pv-a'), (found) => {
      const row = liveRow(found);
      const metadata = { ...row?.object.metadata, name: 'pv-a', finalizers: ['a/b'] };
      return row && { next: { ...row.object, metadata }, writer: 'client' };
    });
    await remove(plane, volumeKey('pv-a'));
    await request(plane);
    await plane.run(5 * SECOND);
    expect((await read(plane))?.status?.attachError?.message).toBe(
      'PersistentVolume "pv-a" is marked for deletion',
    );
    expect(asked).toEqual([]);
  });
});

describe('the sweep (J-109)', () => {
  it('finds what a lost message left', async () => {
    const { plane } = await aStage();
    await plane.run(MINUTE);
    plane.set('volume-attacher', false);
    await request(plane);
    await plane.run(SECOND);
    plane.set('volume-attacher', true);
    await plane.run(30 * MINUTE);
    expect((await read(plane))?.status?.attached).toBe(false);
    await plane.run(31 * MINUTE);
    expect((await read(plane))?.status?.attached).toBe(true);
  });

  it('forgets looks at what is gone', async () => {
    const { plane } = await aStage({ fails: () => new DiskCloudError('refused', 'no') });
    await request(plane);
    await plane.run(10 * SECOND);
    await erase(plane);
    await plane.run(61 * MINUTE);
    expect(await plane.state.control.sightings('disk-try')).toEqual([]);
  });
});

it('nothing happens without a cloud', async () => {
  const plane = createMemoryControlPlane();
  await request(plane);
  await plane.run(MINUTE);
  expect(await read(plane)).toMatchObject({ status: { attached: false } });
});

it('a report tells how many disks have moved, and why some have not', () => {
  const report = { attached: 1, detached: 2, failures: ['no'] };
  expect(telemetry.metricsOf(report).flatMap(({ samples }) => samples.map(({ value }) => value))).toEqual([
    1, 2, 1,
  ]);
  expect(telemetry.linesOf(report)).toMatchObject([{ level: 'error', fields: { why: 'no' } }]);
});
