/** What a real containerd needs on this machine. */
import { existsSync, statSync } from 'node:fs';

export const CONTAINERD = '/usr/bin/containerd';
export const BUSYBOX = '/bin/busybox';

const PACKAGES: Readonly<Record<string, string>> = {
  [CONTAINERD]: 'containerd',
  '/usr/bin/ctr': 'containerd',
  '/usr/sbin/runc': 'runc',
  [BUSYBOX]: 'busybox-static',
};

/** A busybox that needs no libraries is larger than one that does. */
const STATIC_BYTES = 1_200_000;

/** Why no containerd can be started here; `undefined` if it can. */
export const missingForContainerd = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'only root can start containerd';
  const missing = Object.keys(PACKAGES).find((path) => !existsSync(path));
  if (missing) return `${missing} is not there: apt-get install --no-install-recommends ${PACKAGES[missing]}`;
  return statSync(BUSYBOX).size < STATIC_BYTES
    ? `${BUSYBOX} is not static: apt-get install busybox-static`
    : undefined;
};

export const PLUGINS = '/usr/lib/cni';

/** Why pods cannot have a network of their own here; `undefined` if they can. */
export const missingForNetworks = (): string | undefined =>
  missingForContainerd() ??
  (existsSync(`${PLUGINS}/bridge`)
    ? undefined
    : `${PLUGINS}/bridge is not there: apt-get install containernetworking-plugins`);
