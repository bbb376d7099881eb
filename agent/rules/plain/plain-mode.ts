/** What plain mode (`--unisolated`) says of itself, and which settings it cannot hold. */
import type { KubeletConfig } from '../config/kubelet-config.ts';

/** What pods can do that nothing isolates: for the Node, and for each pod. `user`: the name of the agent's own. */
export const notIsolated = (user: string): string =>
  `pods are not isolated: they can do what user ${user} can, and read this agent's token`;

/** Reason of the event that tells it of a pod. */
export const NOT_ISOLATED = 'NotIsolated';

type Settings = Pick<
  KubeletConfig,
  'cgroupRoot' | 'cpuManagerPolicy' | 'memoryManagerPolicy' | 'podPidsLimit' | 'seccompDefault'
>;

const AMOUNTS = 'nothing bounds plain processes';

/** Fields of the file that would keep something from pods, and why nothing does. */
const UNHELD: readonly (readonly [keyof Settings, (settings: Settings) => boolean, string])[] = [
  ['cgroupRoot', ({ cgroupRoot }) => !['', '/'].includes(cgroupRoot), AMOUNTS],
  ['cpuManagerPolicy', ({ cpuManagerPolicy }) => cpuManagerPolicy === 'static', AMOUNTS],
  ['memoryManagerPolicy', ({ memoryManagerPolicy }) => memoryManagerPolicy === 'Static', AMOUNTS],
  ['podPidsLimit', ({ podPidsLimit }) => podPidsLimit > 0, AMOUNTS],
  ['seccompDefault', ({ seccompDefault }) => seccompDefault, 'nothing filters the calls of plain processes'],
];

/** The first field of the configuration that plain mode cannot hold, and why; `undefined`: there is none. */
export const unheldSetting = (settings: Settings): string | undefined => {
  const [field, , why] = UNHELD.find(([, isAsked]) => isAsked(settings)) ?? [];
  return field && `${field}: not with --unisolated, as ${why}: leave it out`;
};
