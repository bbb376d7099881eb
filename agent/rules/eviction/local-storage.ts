/** Pods that store more than they may. Source: kubernetes v1.34 pkg/kubelet/eviction `localStorageEviction`. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { quantityOf, quantityText, quantityValue } from '../../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../../shared/kube/values/quantity-parse.ts';
import { schedulingSpec } from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import type { ContainerStats, PodStats } from '../stats/summary.ts';
import type { DiskLayout } from './disk-layout.ts';
import { containersAmount, containersOf, quantityIn, volumesOf } from './pod-spec.ts';
import type { EvictionSignal } from './thresholds/signals.ts';
import { unmeasuredFault } from './unmeasured.ts';

const STORAGE = 'ephemeral-storage';

/** Which limit is exceeded, and how a person is told. */
export interface StorageFault {
  readonly signal: EvictionSignal;
  readonly message: string;
}

const faultOf = (signal: EvictionSignal, message: string): StorageFault => ({ signal, message });

const isAbove = (used: number | undefined, limit: Quantity): boolean =>
  used !== undefined && quantityOf(used, 'BinarySI').nano > limit.nano;

const volumeFault = (pod: Pod, { volume = [] }: PodStats): StorageFault | undefined => {
  const used = new Map(volume.map(({ name, usedBytes }) => [name, usedBytes]));
  for (const { name, emptyDir } of volumesOf(pod)) {
    const limit = quantityIn(emptyDir, 'sizeLimit');
    if (limit && limit.nano > 0n && isAbove(used.get(name), limit))
      return faultOf(
        'emptydirfs.limit',
        `Usage of EmptyDir volume "${name}" exceeds the limit "${quantityText(limit)}". `,
      );
  }
  return undefined;
};

/** The limit of all containers together and the overhead, in the form of the first. A container without a limit does not count. */
const wholeLimit = (pod: Pod): Quantity | undefined => {
  const limit = containersAmount(pod, STORAGE, 'limits');
  if (limit === undefined) return undefined;
  const forms = containersOf(pod).map(({ resources }) => quantityIn(resources?.limits, STORAGE));
  const overhead = quantityValue(schedulingSpec(pod).overhead?.[STORAGE] ?? '0');
  return quantityOf(
    limit === 0 ? 0 : limit + overhead,
    forms.find((form) => form && form.nano > 0n)?.format ?? 'BinarySI',
  );
};

const podFault = (pod: Pod, stats: PodStats): StorageFault | undefined => {
  const limit = wholeLimit(pod);
  if (!limit || !isAbove(stats[STORAGE]?.usedBytes, limit)) return undefined;
  return faultOf(
    'ephemeralpodfs.limit',
    `Pod ephemeral local storage usage exceeds the total limit of containers ${quantityText(limit)}. `,
  );
};

/** Layers that stand on a disk of their own do not count. */
const written = ({ logs, rootfs }: ContainerStats, { hasImageFs }: DiskLayout): number =>
  (logs?.usedBytes ?? 0) + (hasImageFs ? 0 : (rootfs?.usedBytes ?? 0));

const containerFault = (
  pod: Pod,
  { containers = [] }: PodStats,
  layout: DiskLayout,
): StorageFault | undefined => {
  const limits = new Map(
    (schedulingSpec(pod).containers ?? []).map(({ name, resources }) => [
      name ?? '',
      quantityIn(resources?.limits, STORAGE),
    ]),
  );
  for (const one of containers) {
    const limit = limits.get(one.name);
    if (limit && limit.nano !== 0n && isAbove(written(one, layout), limit))
      return faultOf(
        'ephemeralcontainerfs.limit',
        `Container ${one.name} exceeded its local ephemeral storage limit "${quantityText(limit)}". `,
      );
  }
  return undefined;
};

/** Why the pod is evicted; `undefined` if it stores no more than it may, as far as that is known. */
export const localStorageFault = (pod: Pod, stats: PodStats, layout: DiskLayout): StorageFault | undefined =>
  volumeFault(pod, stats) ??
  podFault(pod, stats) ??
  containerFault(pod, stats, layout) ??
  unmeasuredFault(pod, stats);
