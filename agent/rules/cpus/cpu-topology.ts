/** Which CPUs a machine has, and what they share. Source: kubernetes v1.34 cpumanager/topology. */
import { type CpuSet, sorted } from './cpu-sets.ts';

/** What CPUs share, by its number; all numbers are unique on the machine. */
export interface CpuInfo {
  readonly cpu: number;
  /** The lowest CPU of the core. */
  readonly core: number;
  readonly socket: number;
  readonly numa: number;
  /** The cache of the last level. */
  readonly uncore: number;
}

export type Level = 'core' | 'socket' | 'numa' | 'uncore';

export interface CpuTopology {
  readonly cpus: readonly CpuInfo[];
  readonly cores: number;
  readonly sockets: number;
  readonly numaNodes: number;
  readonly uncoreCaches: number;
}

export const idsOf = (cpus: readonly CpuInfo[], level: Level): readonly number[] =>
  sorted(cpus.map((info) => info[level]));

export const topologyOf = (cpus: readonly CpuInfo[]): CpuTopology => ({
  cpus,
  cores: idsOf(cpus, 'core').length,
  sockets: idsOf(cpus, 'socket').length,
  numaNodes: idsOf(cpus, 'numa').length,
  uncoreCaches: idsOf(cpus, 'uncore').length,
});

const share = (topology: CpuTopology, parts: number): number =>
  parts === 0 ? 0 : Math.trunc(topology.cpus.length / parts);

export const cpusPerCore = (topology: CpuTopology): number => share(topology, topology.cores);
export const cpusPerSocket = (topology: CpuTopology): number => share(topology, topology.sockets);
export const cpusPerUncore = (topology: CpuTopology): number => share(topology, topology.uncoreCaches);

export const allCpus = ({ cpus }: CpuTopology): CpuSet => sorted(cpus.map(({ cpu }) => cpu));

/** The CPUs that belong to one of `ids`. */
export const cpusIn = ({ cpus }: CpuTopology, level: Level, ids: readonly number[]): CpuSet =>
  sorted(cpus.flatMap((info) => (ids.includes(info[level]) ? [info.cpu] : [])));
