/** Measures the machine and its pods by Linux' own files. */
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { optional } from '../../../../shared/kube/values/optional.ts';
import type { MachineSource } from '../../../ports/machine/machine-source.ts';
import type { Depth, PodToMeasure, StatsSource } from '../../../ports/machine/stats-source.ts';
import { availableMemoryIn, memoryIn } from '../../../rules/machine/proc-files.ts';
import type { CgroupLayout } from '../../../rules/stats/cgroup-layout.ts';
import type { CgroupUsage } from '../../../rules/stats/cgroup-usage.ts';
import { nodeStats, type TaskCounts, taskCounts } from '../../../rules/stats/node-stats.ts';
import { podStats } from '../../../rules/stats/pod-stats.ts';
import type { PodStorage } from '../../../rules/stats/pod-storage.ts';
import type { NodeStats, PodStats, SteadyMs } from '../../../rules/stats/summary.ts';
import { kernelText } from '../kernel-text.ts';
import { readCgroup } from './cgroups.ts';

export interface StatsDeps {
  readonly layout: CgroupLayout;
  readonly fileSystem: MachineSource['fileSystem'];
  /** What is known by now of what the folders of a pod take. */
  readonly storageOf: (uid: string, folders: readonly string[]) => PodStorage;
  /** Milliseconds that never step. */
  readonly uptime: () => SteadyMs;
  /** Holds `proc`; `/` outside of tests. */
  readonly root?: string;
  /** The control group that stands for the machine: `/` unless the agent has only a part of it. */
  readonly nodeCgroup: string;
  readonly podsCgroup: string;
  /** Folders whose file systems are watched. Those of images and of writable layers are absent if they are the agent's. */
  readonly paths: { readonly node: string; readonly images?: string; readonly layers?: string };
}

const countTasks = (root: string): TaskCounts => {
  const [pidMax, threadsMax, loadAverage] = [
    'proc/sys/kernel/pid_max',
    'proc/sys/kernel/threads-max',
    'proc/loadavg',
  ].map((path) => kernelText(join(root, path)));
  return taskCounts(pidMax, threadsMax, loadAverage);
};

const foldersOf = ({ containers, volumes }: PodToMeasure): readonly string[] =>
  [
    ...containers.flatMap(({ rootfs, logs }) => [rootfs, logs]),
    ...volumes.map(({ folder }) => folder),
  ].filter((folder) => folder !== undefined);

const measurePod = (pod: PodToMeasure, depth: Depth, deps: StatsDeps): PodStats => {
  const usageOf = (cgroup: string): CgroupUsage => (depth === 'all' ? readCgroup(deps.layout, cgroup) : {});
  const containers = pod.containers.map(({ cgroup, layer, ...container }) => ({
    ...container,
    ...optional('layer', layer?.()),
    usage: usageOf(cgroup),
  }));
  const { podRef, volumes } = pod;
  const usage = usageOf(pod.cgroup);
  const storage = deps.storageOf(podRef.uid, foldersOf(pod));
  const reading = { podRef, ...optional('startedAt', pod.startedAt), usage, containers, volumes, storage };
  return podStats(reading, deps.uptime());
};

const measureFileSystems = async ({ paths, fileSystem }: StatsDeps) => {
  const [nodeFs, imageFs, containerFs] = await Promise.all(
    [paths.node, paths.images ?? paths.node, paths.layers ?? paths.node].map((path) =>
      fileSystem(path).catch(() => undefined),
    ),
  );
  return {
    ...(nodeFs && { nodeFs }),
    ...(imageFs && { imageFs }),
    ...(containerFs && { containerFs }),
  };
};

const measureNode = async (deps: StatsDeps): Promise<NodeStats> => {
  const time = deps.uptime();
  const { layout, nodeCgroup, podsCgroup, root = '/' } = deps;
  const memInfo = kernelText(join(root, 'proc/meminfo')) ?? '';
  const memory = memoryIn(memInfo);
  if (!memory) throw new Error(`${join(root, 'proc/meminfo')} has no line "MemTotal"`);
  const { swapBytes, swapFreeBytes } = memory;
  const swap = { usageBytes: swapBytes - swapFreeBytes, limitBytes: swapBytes };
  const memoryAvailableBytes = availableMemoryIn(memInfo);
  const [own, pods] = [readCgroup(layout, nodeCgroup), readCgroup(layout, podsCgroup)];
  const fileSystems = await measureFileSystems(deps);
  return nodeStats(
    {
      memoryCapacityBytes: memory.totalBytes,
      ...(memoryAvailableBytes !== undefined && { memoryAvailableBytes }),
      own,
      pods,
      tasks: countTasks(root),
      swap,
      ...fileSystems,
    },
    time,
  );
};

/** Other work goes on between two pods. */
export const createLinuxStats = (deps: StatsDeps): StatsSource => ({
  node: () => measureNode(deps),
  pods: async (pods, depth) => {
    const measured: PodStats[] = [];
    for (const pod of pods) {
      if (depth === 'all') await setImmediate();
      measured.push(measurePod(pod, depth, deps));
    }
    return measured;
  },
});
