import { expect, it } from 'vitest';
import type { TreeSizes } from '../../../../agent/rules/stats/pod-storage.ts';
import { createPodStorages } from '../../../../agent/stats/pod-storages.ts';

const PERIOD_MS = 60_000;

const SIZES: TreeSizes = { is: 'measured', sizes: new Map([['/a', { bytes: 1, inodes: 1 }]]) };

/** Measurements end when the test says so. */
const setUp = () => {
  const measured: (readonly string[])[] = [];
  const pending: { readonly folders: readonly string[]; readonly end: (found: TreeSizes) => void }[] = [];
  const faults: string[] = [];
  const limits: (number | undefined)[] = [];
  const time = { now: 0 };
  const storages = createPodStorages({
    measure: (folders, timeoutMs) => {
      measured.push(folders);
      limits.push(timeoutMs);
      const { promise, resolve } = Promise.withResolvers<TreeSizes>();
      pending.push({ folders, end: resolve });
      return promise;
    },
    uptime: () => time.now,
    periodMs: PERIOD_MS,
    onFault: (fault) => faults.push(fault),
  });
  const end = async (found: TreeSizes): Promise<void> => {
    pending.shift()?.end(found);
    await new Promise(setImmediate);
  };
  return {
    measured,
    limits,
    faults,
    time,
    storages,
    end,
    names: () => pending.map(({ folders }) => folders[0]),
  };
};

const UNMEASURABLE: TreeSizes = { is: 'unmeasurable' };

it('a storage is known after the first measurement, and measured again when it is old', async () => {
  const { measured, time, storages, end } = setUp();
  expect(storages.storageOf('p', ['/a'])).toEqual({ is: 'not measured yet' });
  expect(storages.storageOf('p', ['/a'])).toEqual({ is: 'not measured yet' });
  await end(SIZES);
  await storages.idle();
  expect(storages.storageOf('p', ['/a'])).toEqual(SIZES);
  time.now = PERIOD_MS - 1;
  storages.storageOf('p', ['/a']);
  expect(measured).toEqual([['/a']]);
  time.now = PERIOD_MS;
  expect(storages.storageOf('p', ['/a'])).toEqual(SIZES);
  await new Promise(setImmediate);
  expect(measured).toHaveLength(2);
});

it('folders that are new are measured at once: a pod that restarts is not without limits', async () => {
  const { measured, storages, end } = setUp();
  storages.storageOf('p', ['/a']);
  await end(SIZES);
  storages.storageOf('p', ['/a', '/b']);
  expect(measured).toEqual([['/a'], ['/a', '/b']]);
});

it('what is unknown is measured again at once, and counted', async () => {
  const { storages, end } = setUp();
  const seen = [];
  for (let times = 0; times < 3; times += 1) {
    storages.storageOf('p', ['/a']);
    await end(UNMEASURABLE);
    seen.push(storages.storageOf('p', ['/a']));
  }
  expect(seen).toEqual([1, 2, 3].map((timesInARow) => ({ is: 'unknown', timesInARow })));
  await end(SIZES);
  expect(storages.storageOf('p', ['/a'])).toEqual(SIZES);
});

it('pods that could not be measured wait for each other, and keep no other pod', async () => {
  const { storages, end, names } = setUp();
  for (const uid of ['a', 'b', 'c', 'd']) {
    storages.storageOf(uid, [uid]);
    await end(UNMEASURABLE);
  }
  for (const uid of ['a', 'b', 'c', 'd', 'e']) storages.storageOf(uid, [uid]);
  expect(names()).toEqual(['a', 'b', 'e']);
  await end(UNMEASURABLE);
  expect(names()).toEqual(['b', 'e', 'c']);
});

it('a fault of the agent is told once, and tried again a period later', async () => {
  const { measured, faults, time, storages, end } = setUp();
  for (const now of [0, PERIOD_MS, 2 * PERIOD_MS]) {
    time.now = now;
    storages.storageOf('p', ['/a']);
    await end({ is: 'failed', fault: 'spawn du ENOENT' });
    expect(storages.storageOf('p', ['/a'])).toEqual({ is: 'not measured yet' });
  }
  expect([measured.length, faults]).toEqual([3, ['spawn du ENOENT']]);
});

it('a pod that nobody asks for is forgotten', async () => {
  const { time, storages, end } = setUp();
  storages.storageOf('old', ['/a']);
  await end(SIZES);
  time.now = 2 * PERIOD_MS + 1;
  storages.storageOf('new', ['/a']);
  await end(SIZES);
  expect(storages.storageOf('old', ['/a'])).toEqual({ is: 'not measured yet' });
});

const sizesOf = (uids: readonly string[], bytes: number): TreeSizes => ({
  is: 'measured',
  sizes: new Map(uids.map((uid) => [`/${uid}`, { bytes, inodes: 1 }])),
});

const UIDS = Array.from({ length: 30 }, (_, index) => `p${index}`);

/** All pods have been measured once. */
const setUpQuick = async () => {
  const world = setUp();
  const ask = () => UIDS.map((uid) => world.storages.storageOf(uid, [`/${uid}`]));
  ask();
  for (const uid of UIDS) await world.end(sizesOf([uid], 1));
  world.measured.length = 0;
  world.limits.length = 0;
  world.time.now = PERIOD_MS;
  ask();
  await new Promise(setImmediate);
  return { ...world, ask };
};

it('pods that were measured at once are measured together, and each has its own sizes', async () => {
  const { measured, limits, end, ask } = await setUpQuick();
  ask();
  await new Promise(setImmediate);
  expect(measured).toEqual([UIDS.map((uid) => `/${uid}`)]);
  expect(limits[0]).toBeLessThan(PERIOD_MS / 2);
  await end(sizesOf(UIDS, 2));
  expect(ask()).toEqual(UIDS.map((uid) => sizesOf([uid], 2)));
  expect(measured).toHaveLength(1);
});

it('where pods cannot be measured together, each is measured alone', async () => {
  const { measured, limits, time, end, ask } = await setUpQuick();
  await end(UNMEASURABLE);
  for (const uid of UIDS) await end(uid === 'p7' ? UNMEASURABLE : sizesOf([uid], 2));
  expect(measured.slice(1)).toEqual(UIDS.map((uid) => [`/${uid}`]));
  expect(new Set(limits.slice(1))).toEqual(new Set([undefined]));
  const expected = UIDS.map((uid) => (uid === 'p7' ? { is: 'unknown', timesInARow: 1 } : sizesOf([uid], 2)));
  expect(ask()).toEqual(expected);
  // Of one that is unknown nobody waits.
  await end(sizesOf(['p7'], 3));
  measured.length = 0;
  time.now = 2 * PERIOD_MS;
  ask();
  await new Promise(setImmediate);
  expect(measured.map(({ length }) => length)).toEqual([30]);
});

it('a pod that took long is measured alone the next time', async () => {
  const { measured, time, storages, end } = setUp();
  for (const uid of ['slow', 'quick', 'other']) {
    storages.storageOf(uid, [`/${uid}`]);
    if (uid === 'slow') time.now += 2_000;
    await end(sizesOf([uid], 1));
  }
  measured.length = 0;
  time.now += PERIOD_MS;
  for (const uid of ['slow', 'quick', 'other']) storages.storageOf(uid, [`/${uid}`]);
  await new Promise(setImmediate);
  expect(measured).toEqual([['/slow'], ['/quick', '/other']]);
});
