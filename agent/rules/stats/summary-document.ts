/** The kubelet's Summary API. Source: kubernetes v1.34 kubelet/pkg/apis/stats/v1alpha1 `types.go`, pkg/kubelet/server/stats `summary.go`. */
import { optional } from '../../../shared/kube/values/optional.ts';
import { type EpochMs, toTime } from '../../../shared/kube/values/time.ts';
import type { MachineUsage } from './cpu-rates.ts';
import type { ContainerStats, NodeStats, PodStats, SteadyMs } from './summary.ts';

export interface SummaryOptions {
  readonly nodeName: string;
  /** When the machine was started. */
  readonly bootedAt: EpochMs;
  /** The time of the machine's clock at a time of the measurement. */
  readonly wallTime: (time: SteadyMs) => EpochMs;
  /** Without file systems, volumes and processes. */
  readonly isShort: boolean;
}

type Timed = { readonly time?: SteadyMs } & object;

const timed = (stats: Timed, { wallTime }: SummaryOptions): object => {
  const { time, ...rest } = stats;
  return { ...(time === undefined ? {} : { time: toTime(wallTime(time)) }), ...rest };
};

const member = (name: string, stats: Timed | undefined, options: SummaryOptions): object =>
  optional(name, stats && timed(stats, options));

const members = (stats: object, names: readonly string[], options: SummaryOptions): object =>
  Object.assign(
    {},
    ...names.map((name) =>
      member(name, (stats as Readonly<Record<string, Timed | undefined>>)[name], options),
    ),
  ) as object;

const USED = ['cpu', 'memory', 'swap'];
const FILES = ['rootfs', 'logs'];
const OF_POD = ['ephemeral-storage', 'process_stats'];

const started = (at: EpochMs | undefined): object =>
  optional('startTime', at === undefined ? at : toTime(at));

const containerDocument = (stats: ContainerStats, options: SummaryOptions): object => ({
  name: stats.name,
  ...started(stats.startedAt),
  ...members(stats, options.isShort ? USED : [...USED, ...FILES], options),
});

const podDocument = (stats: PodStats, options: SummaryOptions): object => ({
  podRef: stats.podRef,
  ...started(stats.startedAt),
  containers: (stats.containers ?? []).map((one) => containerDocument(one, options)),
  ...members(stats, options.isShort ? USED : [...USED, ...OF_POD], options),
  ...(options.isShort ? {} : { volume: (stats.volume ?? []).map((one) => timed(one, options)) }),
});

const nodeDocument = (stats: NodeStats, options: SummaryOptions): object => ({
  nodeName: options.nodeName,
  systemContainers: (stats.systemContainers ?? []).map((one) => ({
    name: one.name,
    ...members(one, USED, options),
  })),
  ...started(options.bootedAt),
  ...members(stats, options.isShort ? USED : [...USED, 'fs', 'rlimit'], options),
  ...(options.isShort ? {} : { runtime: members(stats.runtime ?? {}, ['imageFs', 'containerFs'], options) }),
});

/** What a kubelet answers at `/stats/summary`. `cpu.windowMs` is ours: the time that `usageNanoCores` is the average of. */
export const summaryDocument = ({ node, pods }: MachineUsage, options: SummaryOptions): object => ({
  node: nodeDocument(node, options),
  pods: pods.map((pod) => podDocument(pod, options)),
});
