/** What is left of each signal. Source: kubernetes v1.34 pkg/kubelet/eviction `makeSignalObservations`. */
import { quantityOf } from '../../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import type { FsStats, MemoryStats, NodeStats, RlimitStats, SteadyMs } from '../stats/summary.ts';
import { resourceOf, type Signal } from './thresholds/signals.ts';

/** Numbers are bytes, inodes or processes. */
export interface Observation {
  readonly available: number;
  readonly capacity: number;
  /** When it was measured, if that is known. */
  readonly time?: SteadyMs;
}

/** A signal that could not be measured is absent. */
export type Observations = Readonly<Partial<Record<Signal, Observation>>>;

type Found = readonly (readonly [Signal, Observation])[];

const found = (
  signal: Signal,
  available: number | undefined,
  capacity: number | undefined,
  time: SteadyMs | undefined,
): Found =>
  available === undefined || capacity === undefined
    ? []
    : [[signal, { available, capacity, ...(time !== undefined && { time }) }]];

const ofMemory = (signal: Signal, memory: MemoryStats | undefined): Found => {
  const { availableBytes, workingSetBytes, time } = memory ?? {};
  const capacity =
    availableBytes === undefined || workingSetBytes === undefined
      ? undefined
      : availableBytes + workingSetBytes;
  return found(signal, availableBytes, capacity, time);
};

const ofFs = (name: 'nodefs' | 'imagefs' | 'containerfs', fs: FsStats = {}): Found => [
  ...found(`${name}.available`, fs.availableBytes, fs.capacityBytes, fs.time),
  ...found(`${name}.inodesFree`, fs.inodesFree, fs.inodes, fs.time),
];

const ofProcesses = ({ maxpid, curproc, time }: RlimitStats = {}): Found => {
  const available = maxpid === undefined || curproc === undefined ? undefined : maxpid - curproc;
  return found('pid.available', available, maxpid, time);
};

export const observationsOf = ({ memory, fs, runtime, rlimit, systemContainers }: NodeStats): Observations =>
  Object.fromEntries([
    ...ofMemory('memory.available', memory),
    ...ofMemory('allocatableMemory.available', systemContainers?.find(({ name }) => name === 'pods')?.memory),
    ...ofFs('nodefs', fs),
    ...ofFs('imagefs', runtime?.imageFs),
    ...ofFs('containerfs', runtime?.containerFs),
    ...ofProcesses(rlimit),
  ]);

/** What is available, as messages write it: bytes in powers of two, other things in powers of ten. */
export const availableQuantity = (signal: Signal, { available }: Observation): Quantity =>
  quantityOf(available, ['inodes', 'pids'].includes(resourceOf(signal)) ? 'DecimalSI' : 'BinarySI');
