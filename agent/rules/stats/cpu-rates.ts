/** How busy processors are: what a counter of processor time has gained between two measurements. */
import type { ContainerStats, CpuStats, NodeStats, PodStats, SteadyMs } from './summary.ts';

/** What was measured of the machine and its pods together. */
export interface MachineUsage {
  readonly node: NodeStats;
  readonly pods: readonly PodStats[];
}

export interface CpuSample {
  readonly time: SteadyMs;
  readonly nanoSeconds: number;
}

/** The counters of one measurement, by what they count for. */
export type CpuSamples = ReadonlyMap<string, CpuSample>;

const NODE = 'node';
const systemKey = (name: string): string => `system ${name}`;
const podKey = ({ podRef }: PodStats): string => `pod ${podRef.uid}`;
/** A container that is started again counts from 0. */
const containerKey = ({ podRef }: PodStats, { name, startedAt }: ContainerStats): string =>
  `container ${podRef.uid} ${name} ${startedAt ?? ''}`;

type Change = (key: string, cpu: CpuStats) => CpuStats;

const changed = <T extends { readonly cpu?: CpuStats }>(one: T, key: string, change: Change): T =>
  one.cpu ? { ...one, cpu: change(key, one.cpu) } : one;

const changedPod = (pod: PodStats, change: Change): PodStats => ({
  ...changed(pod, podKey(pod), change),
  containers: (pod.containers ?? []).map((one) => changed(one, containerKey(pod, one), change)),
});

const changedUsage = ({ node, pods }: MachineUsage, change: Change): MachineUsage => ({
  node: {
    ...changed(node, NODE, change),
    systemContainers: (node.systemContainers ?? []).map((one) => changed(one, systemKey(one.name), change)),
  },
  pods: pods.map((pod) => changedPod(pod, change)),
});

/** The counters of this measurement. */
export const cpuSamples = (usage: MachineUsage): CpuSamples => {
  const samples = new Map<string, CpuSample>();
  changedUsage(usage, (key, cpu) => {
    const { time, usageCoreNanoSeconds: nanoSeconds } = cpu;
    if (time !== undefined && nanoSeconds !== undefined) samples.set(key, { time, nanoSeconds });
    return cpu;
  });
  return samples;
};

/** A counter that has become less was begun anew, and one of the same moment says nothing. */
const canPrecede = (before: CpuSample, after: CpuSample): boolean =>
  before.time < after.time && before.nanoSeconds <= after.nanoSeconds;

const MS_PER_SECOND = 1000;

/** Adds rates since `before`, where that has the same counter. */
export const withCpuRates = (usage: MachineUsage, before: CpuSamples): MachineUsage =>
  changedUsage(usage, (key, cpu) => {
    const { time, usageCoreNanoSeconds: nanoSeconds } = cpu;
    const earlier = before.get(key);
    if (time === undefined || nanoSeconds === undefined) return cpu;
    if (!earlier || !canPrecede(earlier, { time, nanoSeconds })) return cpu;
    const windowMs = time - earlier.time;
    const gained = nanoSeconds - earlier.nanoSeconds;
    return { ...cpu, usageNanoCores: Math.round((gained / windowMs) * MS_PER_SECOND), windowMs };
  });

/** Whether a counter has no rate. */
export const lacksRates = (usage: MachineUsage): boolean => {
  let isLacking = false;
  changedUsage(usage, (_, cpu) => {
    if (cpu.usageNanoCores === undefined && cpu.usageCoreNanoSeconds !== undefined) isLacking = true;
    return cpu;
  });
  return isLacking;
};

/** The samples of `after`, or those of `before` where they are not older than `oldest`, and of the same counter. */
export const earliestSamples = (before: CpuSamples, after: CpuSamples, oldest: SteadyMs): CpuSamples =>
  new Map(
    [...after].map(([key, sample]) => {
      const earlier = before.get(key);
      const counts = earlier !== undefined && earlier.time >= oldest && canPrecede(earlier, sample);
      return [key, counts ? earlier : sample];
    }),
  );
