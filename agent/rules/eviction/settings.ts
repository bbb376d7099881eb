/** What a KubeletConfiguration says about eviction. */
import { hardThresholds } from '../config/eviction-defaults.ts';
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { withContainerFsThresholds } from './container-fs.ts';
import type { DiskLayout } from './disk-layout.ts';
import type { EvictionSettings } from './synchronize.ts';
import { type ThresholdFault, thresholdsOf } from './thresholds/threshold-config.ts';

const VALUE = 'give signals such as memory.available a quantity such as 100Mi or a percentage such as 10%';

const REMEDIES: Readonly<Record<ThresholdFault['field'], string>> = {
  evictionHard: VALUE,
  evictionSoft: VALUE,
  evictionSoftGracePeriod: 'give each signal of evictionSoft a duration such as 1m30s',
  evictionMinimumReclaim: VALUE,
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
