/** The thresholds of the writable layers. Source: kubernetes v1.34 pkg/kubelet/eviction `UpdateContainerFsThresholds`. */
import type { DiskLayout } from './disk-layout.ts';
import type { Signal } from './thresholds/signals.ts';
import { isHard, type Threshold } from './thresholds/threshold.ts';

/** The file system that the writable layers stand on. */
const homeOf = ({ hasImageFs, hasContainerFs }: DiskLayout): 'nodefs' | 'imagefs' | undefined => {
  if (hasImageFs === hasContainerFs) return 'nodefs';
  return hasImageFs ? 'imagefs' : undefined;
};

const isAboutContainers = ({ signal }: Threshold): boolean => signal.startsWith('containerfs.');

/** The last threshold of its kind holds. */
const lastOfEachKind = (thresholds: readonly Threshold[]): readonly Threshold[] => [
  ...new Map(thresholds.map((one) => [`${one.signal} ${isHard(one)}`, one])).values(),
];

const faultOf = (threshold: Threshold | undefined): { readonly ignored?: string } => {
  if (!threshold) return {};
  const kind = isHard(threshold) ? 'hard' : 'soft';
  return { ignored: `found ${threshold.signal} for ${kind} eviction. ignoring` };
};

/**
 * Thresholds for writable layers are those of the file system that they stand on, whatever the user has configured: `ignored` says,
 * for the log, what of it does not hold.
 */
export const withContainerFsThresholds = (
  thresholds: readonly Threshold[],
  layout: DiskLayout,
): { readonly thresholds: readonly Threshold[]; readonly ignored?: string } => {
  const ignored = faultOf(thresholds.findLast(isAboutContainers));
  const home = homeOf(layout);
  if (home === undefined) return { thresholds, ...ignored };
  const copied = lastOfEachKind(thresholds.filter(({ signal }) => signal.startsWith(`${home}.`))).map(
    (threshold) => ({ ...threshold, signal: threshold.signal.replace(home, 'containerfs') as Signal }),
  );
  return { thresholds: [...thresholds.filter((one) => !isAboutContainers(one)), ...copied], ...ignored };
};
