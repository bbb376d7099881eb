/** Which values the files of a control group get. Source: kubernetes v1.34 pkg/kubelet/cm `helpers_linux.go`; kernel `cgroup-v2.rst`. */
import type { CgroupVersion, Controller } from '../stats/cgroup-layout.ts';

/** Upper bounds and weights; absent: none. */
export interface Bounds {
  readonly cpuRequestMilli?: number;
  readonly cpuLimitMilli?: number;
  readonly memoryLimitBytes?: number;
  readonly pidsLimit?: number;
  /** Absent: no swap. Control groups of version 2 only. */
  readonly swapMaxBytes?: number;
}

/** A value for a file of a control group. */
export interface CgroupWrite {
  readonly file: string;
  readonly value: string;
  /** Kernels without accounting of swap lack the file, and nothing is missed then. */
  readonly isOptional?: boolean;
}

const LEAST_SHARES = 2;
const MOST_SHARES = 262_144;
const SHARES_PER_CPU = 1024;

/** The weight of version 1 for thousandths of a core. Source: `MilliCPUToShares`. */
export const cpuShares = (milli: number): number =>
  Math.min(MOST_SHARES, Math.max(LEAST_SHARES, Math.trunc((milli * SHARES_PER_CPU) / 1000)));

/** The weight of version 2, from 1 to 10,000. Source: `getCPUWeight`. */
export const cpuWeight = (milli: number): number =>
  1 + Math.trunc(((cpuShares(milli) - LEAST_SHARES) * 9999) / (MOST_SHARES - LEAST_SHARES));

/** Microseconds. */
const PERIOD = 100_000;
const LEAST_QUOTA = 1000;

/** Microseconds of processors in each period. Source: `MilliCPUToQuota`. */
export const cpuQuota = (milli: number): number => Math.max(LEAST_QUOTA, Math.trunc((milli * PERIOD) / 1000));

type Plan = (bounds: Bounds) => readonly CgroupWrite[];

const pids: Plan = ({ pidsLimit }) =>
  pidsLimit === undefined ? [] : [{ file: 'pids.max', value: String(pidsLimit) }];

const PLANS: Readonly<Record<CgroupVersion, Readonly<Record<Controller, Plan>>>> = {
  v1: {
    cpu: ({ cpuRequestMilli = 0, cpuLimitMilli }) => [
      { file: 'cpu.shares', value: String(cpuShares(cpuRequestMilli)) },
      ...(cpuLimitMilli === undefined
        ? []
        : [
            { file: 'cpu.cfs_period_us', value: String(PERIOD) },
            { file: 'cpu.cfs_quota_us', value: String(cpuQuota(cpuLimitMilli)) },
          ]),
    ],
    cpuacct: () => [],
    memory: ({ memoryLimitBytes: bytes }) =>
      bytes === undefined
        ? []
        : [
            { file: 'memory.limit_in_bytes', value: String(bytes) },
            { file: 'memory.memsw.limit_in_bytes', value: String(bytes), isOptional: true },
          ],
    pids,
  },
  v2: {
    cpu: ({ cpuRequestMilli = 0, cpuLimitMilli }) => [
      { file: 'cpu.weight', value: String(cpuWeight(cpuRequestMilli)) },
      ...(cpuLimitMilli === undefined
        ? []
        : [{ file: 'cpu.max', value: `${cpuQuota(cpuLimitMilli)} ${PERIOD}` }]),
    ],
    cpuacct: () => [],
    memory: ({ memoryLimitBytes: bytes, swapMaxBytes = 0 }) => [
      { file: 'memory.swap.max', value: String(swapMaxBytes), isOptional: true },
      ...(bytes === undefined ? [] : [{ file: 'memory.max', value: String(bytes) }]),
    ],
    pids,
  },
};

/** What is written for `bounds` into a new group of `controller`, in this order. */
export const cgroupWrites = (
  version: CgroupVersion,
  controller: Controller,
  bounds: Bounds,
): readonly CgroupWrite[] => PLANS[version][controller](bounds);

/** The kernel ends a whole container instead of one of its processes: version 2 only. Source: kubelet `singleProcessOOMKill`. */
export const endsTogether: CgroupWrite = { file: 'memory.oom.group', value: '1', isOptional: true };
