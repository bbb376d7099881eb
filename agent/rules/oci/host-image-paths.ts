/** Folders of the machine that images show: `host` beside `/usr`, `/etc` and `/opt`, and those that are one. */
import { OF_THE_KERNEL } from './image-root.ts';

/** Always in `host`. */
const SHOWN = ['/usr', '/etc', '/opt'];

const isAt = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Why it cannot be a folder of `host`, or an image of its own, as far as its name tells; `undefined`: it can. `own`: folders of the agent. */
export const imagePathFault = (path: string, own: readonly string[]): string | undefined => {
  if (!path.startsWith('/')) return `${path} is no absolute path`;
  if (path === '/') return '/ is the whole machine: pods have it by the image "host" with privileged: true';
  if (/\/(\.{0,2})(\/|$)/.test(path)) return `${path} must have no empty parts, and neither "." nor ".."`;
  const kernel = OF_THE_KERNEL.find((folder) => isAt(path, folder));
  if (kernel !== undefined) return `${path} is the kernel's, and containers have their own ${kernel}`;
  const shown = own.find((folder) => isAt(folder, path) || isAt(path, folder));
  return shown === undefined ? undefined : `${path} would show ${shown}, which belongs to the agent`;
};

/**
 * Why an agent that is not root cannot have this folder of its own: the image shows it to containers, whose user is that of the agent.
 * `undefined`: it can.
 */
export const shownFolderFault = (own: readonly string[]): string | undefined => {
  const found = own.find((folder) => SHOWN.some((shown) => isAt(folder, shown)));
  return found === undefined
    ? undefined
    : `${found}: the image "host" would show it to containers, which have the user of the agent: keep it outside of ${SHOWN.join(', ')}`;
};
