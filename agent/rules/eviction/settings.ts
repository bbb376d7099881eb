/** What a KubeletConfiguration says about eviction. */
import { hardThresholds } from '../config/eviction-defaults.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import type { DiskLayout } from './disk-layout.ts';
import type { EvictionSettings } from './synchronize.ts';
import type { Signal } from './thresholds/signals.ts';
import { isHard, type Threshold } from './thresholds/threshold.ts';
import { type ThresholdFault, thresholdsOf } from './thresholds/threshold-config.ts';

const VALUE = 'give signals such as memory.available a quantity such as 100Mi or a percentage such as 10%';

const REMEDIES: Readonly<Record<ThresholdFault['field'], string>> = {
  evictionHard: VALUE,
  evictionSoft: VALUE,
  evictionSoftGracePeriod: 'give each signal of evictionSoft a duration such as 1m30s',
  evictionMinimumReclaim: VALUE,
};

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
 * Thresholds for writable layers are those of the file system that they stand on, whatever the user has configured: `ignored`
 * says, for the log, what of it does not hold. Source: kubernetes v1.34 pkg/kubelet/eviction `UpdateContainerFsThresholds`.
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

/** The settings, with what of the configuration does not hold (for the log); or the field that is wrong, why, and what to do. */
export const evictionSettings = (
  config: KubeletConfig,
  os: string,
  layout: DiskLayout,
): { readonly settings: EvictionSettings; readonly ignored?: string } | { readonly error: string } => {
  const parsed = thresholdsOf({ ...config, evictionHard: hardThresholds(config, os) });
  if ('error' in parsed) return { error: `${parsed.field}: ${parsed.error}; ${REMEDIES[parsed.field]}` };
  const { thresholds, ...ignored } = withContainerFsThresholds(parsed.thresholds, layout);
  const settings = {
    thresholds,
    layout,
    limitsLocalStorage: config.localStorageCapacityIsolation,
    maxPodGracePeriodSeconds: config.evictionMaxPodGracePeriod,
    pressureTransitionMs: Number(config.evictionPressureTransitionPeriod) / 1e6,
  };
  return { settings, ...ignored };
};
