import { describe, expect, it } from 'vitest';
import { observationsOf } from '../../../../../agent/rules/eviction/observations.ts';
import { type NodeReading, nodeStats, taskCounts } from '../../../../../agent/rules/stats/node-stats.ts';

const GI = 2 ** 30;
const DISK = { capacity: 40 * GI, available: 30 * GI, inodes: 1_000_000, inodesFree: 900_000 };

const READING: NodeReading = {
  memoryCapacityBytes: 8 * GI,
  memoryAvailableBytes: 5 * GI,
  own: { memory: { usageBytes: 4 * GI, workingSetBytes: 3 * GI }, cpuNanoSeconds: 7 },
  pods: { memory: { usageBytes: 2 * GI, workingSetBytes: GI, limitBytes: 6 * GI } },
  tasks: { max: 32_768, current: 290 },
  nodeFs: DISK,
  imageFs: DISK,
};

const observed = (changed: Partial<NodeReading> = {}) =>
  observationsOf(nodeStats({ ...READING, ...changed }, 1000));

describe('what a machine has left', () => {
  it('is told by its root group, its file systems and its tasks', () => {
    expect(observed()).toEqual({
      'memory.available': { available: 5 * GI, capacity: 8 * GI, time: 1000 },
      'allocatableMemory.available': { available: 5 * GI, capacity: 6 * GI, time: 1000 },
      'nodefs.available': { available: 30 * GI, capacity: 40 * GI, time: 1000 },
      'nodefs.inodesFree': { available: 900_000, capacity: 1_000_000, time: 1000 },
      'imagefs.available': { available: 30 * GI, capacity: 40 * GI, time: 1000 },
      'imagefs.inodesFree': { available: 900_000, capacity: 1_000_000, time: 1000 },
      'pid.available': { available: 32_478, capacity: 32_768, time: 1000 },
    });
  });

  it.each([
    {
      name: 'a group with a limit is the machine',
      changed: { own: { memory: { usageBytes: GI, workingSetBytes: GI, limitBytes: 2 * GI } } },
      signal: 'memory.available',
      seen: { available: GI, capacity: 2 * GI },
    },
    {
      name: 'a limit above the machine does not count',
      changed: { own: { memory: { usageBytes: GI, workingSetBytes: GI, limitBytes: 20 * GI } } },
      signal: 'memory.available',
      seen: { available: 7 * GI, capacity: 8 * GI },
    },
    {
      name: 'nothing is left when more is used than the limit',
      changed: { own: { memory: { usageBytes: 3 * GI, workingSetBytes: 3 * GI, limitBytes: 2 * GI } } },
      signal: 'memory.available',
      seen: { available: 0, capacity: 3 * GI },
    },
    {
      name: 'without groups for memory, the kernel is asked for the whole machine',
      changed: { own: {} },
      signal: 'memory.available',
      seen: { available: 5 * GI, capacity: 8 * GI },
    },
    {
      name: 'a group with fewer processes has only these',
      changed: { own: { processes: { current: 20, max: 512 } } },
      signal: 'pid.available',
      seen: { available: 492, capacity: 512 },
    },
    {
      name: 'a group that may have more processes than the machine does not',
      changed: { own: { processes: { current: 20, max: 100_000 } } },
      signal: 'pid.available',
      seen: { available: 32_478, capacity: 32_768 },
    },
  ] as const)('$name', ({ changed, signal, seen }) => {
    expect(observed(changed)[signal]).toEqual({ ...seen, time: 1000 });
  });

  it('is not judged where it cannot be measured', () => {
    const { nodeFs: _disk, imageFs: _images, pods: _pods, memoryAvailableBytes: _kernel, ...rest } = READING;
    expect(observationsOf(nodeStats({ ...rest, own: {}, tasks: {} }, 1000))).toEqual({});
    expect(observed({ pods: { memory: { usageBytes: 1, workingSetBytes: 1 } } })).not.toHaveProperty(
      'allocatableMemory.available',
    );
  });
});

describe('the tasks of a machine', () => {
  it.each([
    ['32768\n', '192730\n', '9.34 7.44 5.53 10/290 19116\n', { max: 32_768, current: 290 }],
    ['4194304\n', '192730\n', '0.00 0.01 0.05 1/98765 3715089\n', { max: 192_730, current: 98_765 }],
    [undefined, '192730\n', undefined, { max: 192_730 }],
    [undefined, undefined, 'unreadable', {}],
  ])('%j, %j, %j', (pidMax, threadsMax, loadAverage, counts) => {
    expect(taskCounts(pidMax, threadsMax, loadAverage)).toEqual(counts);
  });
});
