import { expect, it } from 'vitest';
import { podStats } from '../../../../../agent/rules/stats/pod-stats.ts';

const podRef = { name: 'web', namespace: 'default', uid: 'u1' };

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
          rootfs: { bytes: 10, inodes: 1 },
          logs: { bytes: 20, inodes: 2 },
        },
        { name: 'side', usage: {}, logs: { bytes: 40, inodes: 4 } },
      ],
      volumes: [
        { name: 'scratch', size: { bytes: 100, inodes: 8 }, isEphemeral: true },
        { name: 'host', size: { bytes: 5000, inodes: 16 }, isEphemeral: false },
      ],
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
  expect(podStats({ podRef, usage: {}, containers: [], volumes: [] }, 1000)).toEqual({
    podRef,
    containers: [],
    volume: [],
    'ephemeral-storage': { time: 1000, usedBytes: 0, inodesUsed: 0 },
    process_stats: {},
  });
});
