/** Settings of a kubelet that bound what pods take, for agents that can bound nothing. */
import type { KubeletConfig } from './kubelet-config.ts';

type Bounding = Pick<
  KubeletConfig,
  'cgroupRoot' | 'cpuManagerPolicy' | 'memoryManagerPolicy' | 'podPidsLimit'
>;

const BOUNDING: readonly (readonly [keyof Bounding, (config: Bounding) => boolean])[] = [
  ['cgroupRoot', ({ cgroupRoot }) => !['', '/'].includes(cgroupRoot)],
  ['cpuManagerPolicy', ({ cpuManagerPolicy }) => cpuManagerPolicy === 'static'],
  ['memoryManagerPolicy', ({ memoryManagerPolicy }) => memoryManagerPolicy === 'Static'],
  ['podPidsLimit', ({ podPidsLimit }) => podPidsLimit > 0],
];

/** The first field that would bound something; `undefined`: none does. */
export const boundingField = (config: Bounding): keyof Bounding | undefined =>
  BOUNDING.find(([, isAsked]) => isAsked(config))?.[0];
