import { expect, it } from 'vitest';
import { type Known, known, NOT_KNOWN } from '../../../../../agent/rules/known.ts';
import { podStats } from '../../../../../agent/rules/stats/pod-stats.ts';
import {
  type FolderSize,
  NOT_YET,
  type PodStorage,
  storageAfter,
} from '../../../../../agent/rules/stats/pod-storage.ts';

const podRef = { name: 'web', namespace: 'default', uid: 'u1' };

const STORED: PodStorage = {
  is: 'measured',
  sizes: new Map([
    ['/layer', { bytes: 10, inodes: 1 }],
    ['/logs/app', { bytes: 20, inodes: 2 }],
    ['/logs/side', { bytes: 40, inodes: 4 }],
    ['/scratch', { bytes: 100, inodes: 8 }],
    ['/host', { bytes: 5000, inodes: 16 }],
  ]),
};

it('a pod stores what its layers, its logs and its own volumes take', () => {
  const stats = podStats(
    {
      podRef,
      usage: {
        memory: { usageBytes: 900, workingSetBytes: 700 },
        processes: { current: 4 },
        cpuNanoSeconds: 50,
      },
      containers: [
        {
          name: 'app',
          usage: { memory: { usageBytes: 800, workingSetBytes: 600, limitBytes: 1000 } },
          rootfs: '/layer',
          logs: '/logs/app',
        },
        { name: 'side', usage: {}, logs: '/logs/side' },
      ],
      volumes: [
        { name: 'scratch', folder: '/scratch', isEphemeral: true },
        { name: 'host', folder: '/host', isEphemeral: false },
      ],
      storage: STORED,
    },
    1000,
  );
  expect(stats).toEqual({
    podRef,
    cpu: { time: 1000, usageCoreNanoSeconds: 50 },
    memory: { time: 1000, usageBytes: 900, workingSetBytes: 700 },
    containers: [
      {
        name: 'app',
        memory: { time: 1000, usageBytes: 800, workingSetBytes: 600, availableBytes: 400 },
        rootfs: { time: 1000, usedBytes: 10, inodesUsed: 1 },
        logs: { time: 1000, usedBytes: 20, inodesUsed: 2 },
      },
      { name: 'side', logs: { time: 1000, usedBytes: 40, inodesUsed: 4 } },
    ],
    volume: [
      { name: 'scratch', time: 1000, usedBytes: 100, inodesUsed: 8 },
      { name: 'host', time: 1000, usedBytes: 5000, inodesUsed: 16 },
    ],
    'ephemeral-storage': { time: 1000, usedBytes: 170, inodesUsed: 15 },
    process_stats: { process_count: 4 },
  });
});

it('a pod without control groups has neither memory nor processes', () => {
  expect(podStats({ podRef, usage: {}, containers: [], volumes: [], storage: STORED }, 1000)).toEqual({
    podRef,
    containers: [],
    volume: [],
    'ephemeral-storage': { time: 1000, usedBytes: 0, inodesUsed: 0 },
    process_stats: {},
  });
});

it.each([
  [NOT_YET, {}],
  [{ is: 'unknown', timesInARow: 2 } as const, { unmeasured: 2 }],
])('a pod whose storage is %o has no figure of it, not even zero', (storage, more) => {
  const containers = [{ name: 'app', usage: {}, rootfs: '/layer', logs: '/logs/app' }];
  const volumes = [{ name: 'scratch', folder: '/scratch', isEphemeral: true }];
  expect(podStats({ podRef, usage: {}, containers, volumes, storage }, 1000)).toEqual({
    podRef,
    containers: [{ name: 'app' }],
    volume: [],
    process_stats: {},
    ...more,
  });
});

it('a storage is unknown until it is measured again; a failure of the agent says nothing about it', () => {
  const once = storageAfter(STORED, { is: 'unmeasurable' });
  const twice = storageAfter(once, { is: 'unmeasurable' });
  expect([once, twice]).toEqual([
    { is: 'unknown', timesInARow: 1 },
    { is: 'unknown', timesInARow: 2 },
  ]);
  const failed = { is: 'failed', fault: 'no du' } as const;
  expect([NOT_YET, STORED, twice].map((before) => storageAfter(before, failed))).toEqual([
    NOT_YET,
    NOT_YET,
    twice,
  ]);
  expect(storageAfter(twice, STORED)).toEqual(STORED);
});

const layerOf = (layer: Known<FolderSize> | undefined) =>
  podStats(
    {
      podRef,
      usage: {},
      containers: [
        { name: 'app', usage: {}, logs: '/logs/app', ...(layer && { layer }) },
        { name: 'side', usage: {}, logs: '/logs/side', layer: known({ bytes: 3, inodes: 1 }) },
      ],
      volumes: [],
      storage: STORED,
    },
    1000,
  );

it.each([
  ['as the runtime says', known({ bytes: 1000, inodes: 32 }), { usedBytes: 1063, inodesUsed: 39 }],
  ['without one that the runtime does not tell of', undefined, { usedBytes: 63, inodesUsed: 7 }],
] as const)('a layer counts %s', (_, layer, sum) => {
  const stats = layerOf(layer);
  expect(stats['ephemeral-storage']).toEqual({ time: 1000, ...sum });
  expect(stats.containers?.[0]?.rootfs?.usedBytes).toBe(layer && sum.usedBytes - 63);
});

it('a pod with a layer of which nothing is known yet has no sum', () => {
  const stats = layerOf(NOT_KNOWN);
  expect(stats['ephemeral-storage']).toBeUndefined();
  expect(stats.containers?.[0]?.rootfs).toBeUndefined();
});
