import { describe, expect, it } from 'vitest';
import type { CgroupVersion, Controller } from '../../../../../agent/rules/stats/cgroup-layout.ts';
import { cgroupUsage } from '../../../../../agent/rules/stats/cgroup-usage.ts';
import {
  V1_MEMORY_STAT,
  V2_CPU_STAT,
  V2_MEMORY_STAT,
} from '../../../../support/agent/machines/cgroup-files.ts';

const usage = (
  version: CgroupVersion,
  files: Readonly<Record<string, string>>,
  absent: readonly Controller[] = [],
) =>
  cgroupUsage(
    (controller) => (absent.includes(controller) ? undefined : version),
    new Map(Object.entries(files)),
  );

const V1 = {
  'memory.usage_in_bytes': '4245049344\n',
  'memory.limit_in_bytes': '9223372036854771712\n',
  'memory.stat': V1_MEMORY_STAT,
  'cpuacct.usage': '39876345157960\n',
  'pids.current': '12\n',
  'pids.max': 'max\n',
};

const V2 = {
  'memory.current': '7000000000\n',
  'memory.max': '8589934592\n',
  'memory.stat': V2_MEMORY_STAT,
  'cpu.stat': V2_CPU_STAT,
  'pids.current': '12\n',
  'pids.max': '512\n',
};

describe('what a control group uses', () => {
  it('of version 1, is without what its file pages take', () => {
    expect(usage('v1', V1)).toEqual({
      memory: { usageBytes: 4_245_049_344, workingSetBytes: 4_245_049_344 - 255_041_536 },
      processes: { current: 12 },
      cpuNanoSeconds: 39_876_345_157_960,
    });
  });

  it('of version 2, has the limits that are set', () => {
    expect(usage('v2', V2)).toEqual({
      memory: {
        usageBytes: 7_000_000_000,
        workingSetBytes: 7_000_000_000 - 5_307_346_944,
        limitBytes: 8_589_934_592,
      },
      processes: { current: 12, max: 512 },
      cpuNanoSeconds: 39_541_611_726_000,
    });
  });

  it('of version 1 with a limit', () => {
    const { memory } = usage('v1', { ...V1, 'memory.limit_in_bytes': '104857600\n' });
    expect(memory?.limitBytes).toBe(104_857_600);
  });

  const SWAPPED = { ...V2, 'memory.swap.current': '4096\n' };
  it.each([
    {
      name: 'of version 2, with the limit of LimitedSwap',
      seen: usage('v2', { ...SWAPPED, 'memory.swap.max': '134217728\n' }),
      swap: { usageBytes: 4096, limitBytes: 134_217_728 },
    },
    {
      name: 'of version 2, with NoSwap',
      seen: usage('v2', { ...SWAPPED, 'memory.swap.current': '0\n', 'memory.swap.max': '0\n' }),
      swap: { usageBytes: 0, limitBytes: 0 },
    },
    {
      name: 'of version 2, without a limit',
      seen: usage('v2', { ...SWAPPED, 'memory.swap.max': 'max\n' }),
      swap: { usageBytes: 4096 },
    },
    {
      name: 'of version 1, whose limit is one of memory and swap together',
      seen: usage('v1', { ...V1, 'memory.stat': `${V1_MEMORY_STAT}swap 1\ntotal_swap 8192\n` }),
      swap: { usageBytes: 8192 },
    },
    { name: 'of version 1, on a kernel that does not count it', seen: usage('v1', V1), swap: undefined },
    { name: 'of version 2, on a kernel that does not count it', seen: usage('v2', V2), swap: undefined },
  ])('swap $name', ({ seen, swap }) => {
    expect(seen.swap).toEqual(swap);
  });

  it('at the root of version 2, is counted from its pages', () => {
    expect(usage('v2', { 'memory.stat': V2_MEMORY_STAT }).memory).toEqual({
      usageBytes: 790_425_600 + 6_502_666_240,
      workingSetBytes: 790_425_600 + 6_502_666_240 - 5_307_346_944,
    });
  });

  it('is not negative when the pages are counted later than the whole', () => {
    const { memory } = usage('v2', { ...V2, 'memory.current': '4096\n' });
    expect(memory).toMatchObject({ usageBytes: 4096, workingSetBytes: 0 });
  });

  it.each([
    ['memory', 'memory'],
    ['pids', 'processes'],
    ['cpuacct', 'cpuNanoSeconds'],
  ] as const)('is unknown without the controller %s', (controller, member) => {
    expect(usage('v1', V1, [controller])).not.toHaveProperty(member);
    expect(usage('v2', V2, [controller])).not.toHaveProperty(member);
  });

  it('is unknown when the group is gone', () => {
    expect(usage('v1', {})).toEqual({});
    expect(usage('v2', {})).toEqual({});
  });
});
