/** What plain mode (`--unisolated`) says of itself, and which settings it cannot hold. */
import type { KubeletConfig } from '../config/kubelet-config.ts';
import { boundingField } from '../config/unbounded.ts';

/** What pods can do that nothing isolates: for the Node, and for each pod. `user`: the name of the agent's own. */
export const notIsolated = (user: string): string =>
  `pods are not isolated: they can do what user ${user} can, and read this agent's token`;

/** Reason of the event that tells it of a pod. */
export const NOT_ISOLATED = 'NotIsolated';

type Settings = Pick<
  KubeletConfig,
  'cgroupRoot' | 'cpuManagerPolicy' | 'memoryManagerPolicy' | 'podPidsLimit' | 'seccompDefault'
>;

const refused = (field: keyof Settings, why: string): string =>
  `${field}: not with --unisolated, as ${why}: leave it out`;

/** The first field of the configuration that plain mode cannot hold, and why; `undefined`: there is none. */
export const unheldSetting = (settings: Settings): string | undefined => {
  const bounding = boundingField(settings);
  if (bounding !== undefined) return refused(bounding, 'nothing bounds plain processes');
  return settings.seccompDefault
    ? refused('seccompDefault', 'nothing filters the calls of plain processes')
    : undefined;
};
