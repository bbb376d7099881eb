/** Hard thresholds that hold if the configuration names none. Source: kubernetes v1.34 pkg/kubelet/eviction `DefaultEvictionHard`. */
import type { KubeletConfig } from './kubelet-config.ts';

type Thresholds = Readonly<Record<string, string>>;

const COMMON: Thresholds = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'imagefs.available': '15%',
};

const BY_OS: Readonly<Record<string, Thresholds>> = {
  linux: { ...COMMON, 'nodefs.inodesFree': '5%', 'imagefs.inodesFree': '5%' },
};

/**
 * `os`: as in the label `kubernetes.io/os`. A map that is given replaces the defaults, and an empty one switches them off, unless
 * `mergeDefaultEvictionSettings` is set.
 */
export const hardThresholds = (
  { evictionHard, mergeDefaultEvictionSettings }: KubeletConfig,
  os: string,
): Thresholds => {
  const defaults = BY_OS[os] ?? COMMON;
  if (!evictionHard) return defaults;
  return mergeDefaultEvictionSettings ? { ...defaults, ...evictionHard } : evictionHard;
};
