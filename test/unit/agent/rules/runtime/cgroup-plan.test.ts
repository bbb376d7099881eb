import { describe, expect, it } from 'vitest';
import {
  type Bounds,
  cgroupWrites,
  cpuQuota,
  cpuShares,
  cpuWeight,
} from '../../../../../agent/rules/runtime/cgroup-plan.ts';
import {
  type CgroupVersion,
  CONTROLLERS,
  type Controller,
} from '../../../../../agent/rules/stats/cgroup-layout.ts';

const written = (version: CgroupVersion, controller: Controller, bounds: Bounds) =>
  cgroupWrites(version, controller, bounds).map(({ file, value }) => `${file}=${value}`);

const ALL: Bounds = {
  cpuRequestMilli: 250,
  cpuLimitMilli: 1500,
  memoryLimitBytes: 67_108_864,
  pidsLimit: 100,
};

describe('the files of a control group', () => {
  it.each<[CgroupVersion, Controller, string[]]>([
    ['v1', 'cpu', ['cpu.shares=256', 'cpu.cfs_period_us=100000', 'cpu.cfs_quota_us=150000']],
    ['v1', 'cpuacct', []],
    ['v1', 'memory', ['memory.limit_in_bytes=67108864', 'memory.memsw.limit_in_bytes=67108864']],
    ['v1', 'pids', ['pids.max=100']],
    ['v2', 'cpu', ['cpu.weight=10', 'cpu.max=150000 100000']],
    ['v2', 'cpuacct', []],
    ['v2', 'memory', ['memory.swap.max=0', 'memory.max=67108864']],
    ['v2', 'pids', ['pids.max=100']],
  ])('of version %s have the bounds of %s', (version, controller, expected) => {
    expect(written(version, controller, ALL)).toEqual(expected);
  });

  it.each<[CgroupVersion, string[]]>([
    ['v1', ['cpu.shares=2']],
    ['v2', ['cpu.weight=1', 'memory.swap.max=0']],
  ])('of version %s have the least weight and no limit without bounds', (version, expected) => {
    expect(CONTROLLERS.flatMap((controller) => written(version, controller, {}))).toEqual(expected);
  });

  it.each([
    [0, 2, 1, 1000],
    [1, 2, 1, 1000],
    [10, 10, 1, 1000],
    [1000, 1024, 39, 100_000],
    [2500, 2560, 98, 250_000],
    [10_000_000, 262_144, 10_000, 1_000_000_000],
  ])('turn %i thousandths of a core into shares, a weight and a quota', (milli, shares, weight, quota) => {
    expect([cpuShares(milli), cpuWeight(milli), cpuQuota(milli)]).toEqual([shares, weight, quota]);
  });
});
