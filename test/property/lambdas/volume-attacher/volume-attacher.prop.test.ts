// VolumeAttachments of EBS that come and go, on a cloud that throttles, loses answers and describes what was, under races, crashes, stalls,
// lost and doubled messages: none goes while its disk is at its machine, none is said to be attached that is not, and at quiet every disk is
// where it should be.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sweep } from '../../../../lambdas/volume-attacher/sweep.ts';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import { createMemoryDisks, type MemoryDisks } from '../../../../shared/adapters/memory/disks.ts';
import type { VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { VolumeAttachment } from '../../../../shared/kube/types/storage.ts';
import { type DiskCloud, DiskCloudError } from '../../../../shared/ports/outside/disk-cloud.ts';
import { liveRow, nodeKey, volumeKey } from '../../../../shared/ports/store/rows.ts';
import { isHeld } from '../../../../shared/rules/attachments/attacher.ts';
import type { Disk } from '../../../../shared/rules/attachments/disk.ts';
import type { Committed, ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { aManagedNode } from '../../../support/objects/attachment-objects.ts';
import { anEbsAttachment, anEbsVolume } from '../../../support/objects/ebs-objects.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';

const NODES = ['n1', 'n2'];
const VOLUMES = ['a', 'b'];
const STEPS = 120;
/** Descriptions are older than this (ms) at no time. */
const LAG_MS = 2_500;
const PATIENT = { nodeMonitorGracePeriodMs: 36_000_000, nodeStartupGracePeriodMs: 36_000_000 };

const keyOf = (volume: string, node: string) => ({
  resource: 'volumeattachments',
  namespace: '',
  name: `${node}-${volume}`,
});
const diskOf = ({ spec }: VolumeAttachment): string =>
  (spec?.source?.persistentVolumeName ?? '').replace('pv-', 'vol-');
const machineOf = ({ spec }: VolumeAttachment): string => (spec?.nodeName ?? '').replace('n', 'i-');

const lost = (): DiskCloudError => new DiskCloudError('unavailable', 'no answer');

/** A cloud on a bad day. */
const hostile = (
  disks: MemoryDisks,
  clock: VirtualClock,
  chance: Chance,
  isCalm: () => boolean,
): DiskCloud => {
  const seen: { readonly name: string; readonly disk: Disk | undefined; readonly at: number }[] = [];
  const describe = async (name: string): Promise<Disk | undefined> => {
    const disk = await disks.disk(name);
    seen.push({ name, disk, at: clock.now() });
    return disk;
  };
  /** As it is, or as it was a moment ago, in any order. */
  const recall = async (name: string): Promise<Disk | undefined> => {
    const now = await describe(name);
    const recent = seen.filter((one) => one.name === name && clock.now() - one.at < LAG_MS);
    return isCalm() ? now : recent[Math.floor(chance.upTo(recent.length))]?.disk;
  };
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isCalm()) return work();
    await clock.sleep(chance.upTo(3_000));
    if (chance.hit(0.1)) throw lost();
    const answer = await work();
    if (chance.hit(0.1)) throw lost();
    return answer;
  };
  return {
    disk: (name) => ask(() => recall(name)),
    machine: (machine) => ask(() => disks.machine(machine)),
    attach: (place, device) =>
      ask(async () => {
        await describe(place.disk);
        await disks.attach(place, device);
      }),
    detach: (place, isForced) =>
      ask(async () => {
        await describe(place.disk);
        await disks.detach(place, isForced);
      }),
  };
};

/** Looks at each commit while the disks are as they are then. */
const createWitness = (disks: () => MemoryDisks | undefined) => {
  const wrongs: string[] = [];
  const isThere = (attachment: VolumeAttachment): boolean =>
    disks()?.holders(diskOf(attachment)).includes(machineOf(attachment)) === true;
  return {
    wrongs,
    see: ({ at, change: { before, after } }: Committed): void => {
      if (after?.key.resource !== 'volumeattachments') return;
      const was: VolumeAttachment | undefined = liveRow(before)?.object;
      const is: VolumeAttachment | undefined = liveRow(after)?.object;
      if (was && isHeld(was) && !is && isThere(was))
        wrongs.push(`${at}: ${after.key.name} has left its disk`);
      if (is?.status?.attached && !was?.status?.attached && !isThere(is))
        wrongs.push(`${at}: ${after.key.name} has no disk`);
    },
  };
};

const allIn = async ({ state }: ControlPlane): Promise<readonly VolumeAttachment[]> =>
  (await state.objects.page({ resource: 'volumeattachments', namespace: '' })).rows.map(
    ({ object }) => object,
  );

/** As attach-detach does: one VolumeAttachment of a volume at a time. */
const userStep = async (plane: ControlPlane, chance: Chance, count: number): Promise<void> => {
  const volume = VOLUMES[Math.floor(chance.upTo(VOLUMES.length))] ?? '';
  const node = NODES[Math.floor(chance.upTo(NODES.length))] ?? '';
  const own = (await allIn(plane)).find(({ metadata }) => metadata.name.endsWith(`-${volume}`));
  if (!own) {
    const fresh = anEbsAttachment(volume, node);
    const next = { ...fresh, metadata: { ...fresh.metadata, uid: `${fresh.metadata.uid}-${count}` } };
    await plane.writer.write(keyOf(volume, node), () => ({ next, writer: 'client' }));
    return;
  }
  await plane.writer.write({ ...keyOf('', ''), name: own.metadata.name }, (found) => {
    const row = liveRow(found);
    if (!row || row.object.metadata.deletionTimestamp !== undefined) return undefined;
    if (!isHeld(row.object)) return { next: 'delete', writer: 'client' };
    const metadata = { ...row.object.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    return { next: { ...row.object, metadata }, writer: 'client' };
  });
};

const addAll = async (plane: ControlPlane): Promise<void> => {
  for (const name of NODES) {
    const next = { ...aManagedNode(name), spec: { providerID: `aws:///z/${name.replace('n', 'i-')}` } };
    await plane.writer.write(nodeKey(name), () => ({ next, writer: 'client' }));
  }
  for (const name of VOLUMES)
    await plane.writer.write(volumeKey(`pv-${name}`), () => ({ next: anEbsVolume(name), writer: 'client' }));
};

const live = async (seed: number): Promise<void> => {
  let disks: MemoryDisks | undefined;
  let isCalm = false;
  const witness = createWitness(() => disks);
  const { plane, chance, calm } = createBadDay(seed, BAD_DAY, PATIENT, {
    onCommit: witness.see,
    disks: (clock, own) => {
      disks = createMemoryDisks({
        clock,
        moveMs: 2_500,
        nodeNameOf: (machine) => machine.replace('i-', 'n'),
      });
      return hostile(disks, clock, own, () => isCalm);
    },
  });
  for (const part of ['attach-detach', 'volume-binder'] as const) plane.set(part, false);
  await addAll(plane);
  const user = async (): Promise<void> => {
    for (let count = 0; count < STEPS; count += 1) {
      await plane.clock.sleep(chance.upTo(chance.hit(0.2) ? 60_000 : 5_000));
      await userStep(plane, chance, count);
    }
  };
  const done = user();
  await plane.run(300_000);
  await plane.clock.run(done);
  calm();
  isCalm = true;
  await plane.run(400_000);
  await plane.clock.run(sweep(plane.invoke()));
  await plane.run(400_000);
  expect(witness.wrongs).toEqual([]);
  const all = await allIn(plane);
  expect(all.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
  expect(all.filter(({ status }) => status?.attached !== true)).toEqual([]);
  for (const volume of VOLUMES) {
    const machines = all.filter((one) => diskOf(one) === `vol-${volume}`).map(machineOf);
    expect(disks?.holders(`vol-${volume}`)).toEqual(machines);
  }
  expect(unexplained(plane.failures)).toEqual([]);
};

describe('EBS on a bad day', () => {
  it('has each disk where its VolumeAttachment says, and none that nobody asks for (J-101 to J-106, J-109)', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: 10 });
  }, 180_000);
});
