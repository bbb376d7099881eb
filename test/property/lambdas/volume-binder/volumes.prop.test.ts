// Claims and volumes that are made, deleted and made again under races, crashes, stalls, lost and doubled messages and lost answers: at
// quiet no volume serves two claims, each claim that can have one has one, and every phase is right.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sweep } from '../../../../lambdas/volume-binder/reconcile.ts';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../shared/kube/types/storage.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { ignoreFaults } from '../../../support/faults/ignore-faults.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import { aClaim, aVolume } from '../../../support/objects/storage-objects.ts';
import { createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import { all, keyOf } from '../../../support/planes/stored-objects.ts';

const NAMES = Array.from({ length: 8 }, (_, index) => `o${index}`);
const STEPS = 60;
const SIZES = ['1Gi', '2Gi', '3Gi'];

/** A user makes an object, or deletes the one of that name. Some claims name a volume, some volumes a claim. */
const userStep = async (plane: ControlPlane, chance: Chance, count: number): Promise<void> => {
  const name = oneOf(chance, NAMES);
  const storage = oneOf(chance, SIZES);
  const named = chance.hit(0.2) ? { volumeName: oneOf(chance, NAMES) } : {};
  const claimRef = chance.hit(0.2) ? { claimRef: { namespace: 'default', name: oneOf(chance, NAMES) } } : {};
  const fresh: ApiObject = chance.hit(0.5)
    ? aVolume(name, { capacity: { storage }, ...claimRef }, { status: { phase: 'Pending' } })
    : aClaim(name, { resources: { requests: { storage } }, ...named });
  const next = { ...fresh, metadata: { ...fresh.metadata, uid: `${fresh.metadata.uid}-${count}` } };
  await createObjectWriter(plane.invoke()).write(keyOf(next), (row) => ({
    next: liveRow(row) ? 'delete' : next,
    writer: 'client',
  }));
};

/** Whether an unbound claim is right to wait. */
const waitsRightly = ({ spec }: PersistentVolumeClaim, volumes: readonly PersistentVolume[]): boolean => {
  const size = spec?.resources?.requests?.['storage'] ?? '';
  const fitting = volumes.filter(
    (volume) => volume.status?.phase === 'Available' && (volume.spec?.capacity?.['storage'] ?? '') >= size,
  );
  const wanted = spec?.volumeName ?? '';
  return fitting.every(({ metadata, spec: { claimRef } = {} }) =>
    wanted === '' ? claimRef !== undefined : metadata.name !== wanted || claimRef !== undefined,
  );
};

const checkAll = (claims: readonly PersistentVolumeClaim[], volumes: readonly PersistentVolume[]): void => {
  const bound = claims.filter(({ status }) => status?.phase === 'Bound');
  expect(new Set(bound.map(({ spec }) => spec?.volumeName)).size).toBe(bound.length);
  for (const { metadata, spec } of bound) {
    const volume = volumes.find((one) => one.metadata.name === spec?.volumeName);
    expect(volume?.spec?.claimRef?.uid).toBe(metadata.uid);
    expect(volume?.status?.phase).toBe('Bound');
  }
  for (const volume of volumes) {
    const uid = volume.spec?.claimRef?.uid;
    const isBound = bound.some(({ metadata }) => metadata.uid === uid);
    const expected = uid === undefined ? 'Available' : isBound ? 'Bound' : 'Released';
    expect([volume.metadata.name, volume.status?.phase]).toEqual([volume.metadata.name, expected]);
  }
  for (const claim of claims)
    if (claim.status?.phase === 'Pending') expect(waitsRightly(claim, volumes)).toBe(true);
};

const live = async (seed: number): Promise<void> => {
  const { plane, chance, calm } = createBadDay(seed, BAD_DAY);
  const user = async (): Promise<void> => {
    for (let count = 0; count < STEPS; count += 1) {
      await plane.clock.sleep(chance.upTo(3_000));
      await userStep(plane, chance, count).catch(ignoreFaults);
    }
  };
  const done = user();
  await plane.run(240_000);
  await plane.clock.run(done);
  calm();
  await plane.run(60_000);
  await plane.clock.run(sweep(plane.invoke()));
  await plane.run(120_000);
  checkAll(await all(plane, 'persistentvolumeclaims'), await all(plane, 'persistentvolumes'));
  // A run that stalled finds that another one has its turn, and ends.
  expect(unexplained(plane.failures)).toEqual([]);
};

describe('claims and volumes on a bad day', () => {
  it('are bound to each other one to one (K-101, K-102, K-104)', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: 25 });
  }, 120_000);
});
