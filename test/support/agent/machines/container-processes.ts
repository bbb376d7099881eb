/** The processes of an agent's containers, whatever the agent itself knows of them. */
import { readdirSync, readFileSync } from 'node:fs';

export interface ContainerProcess {
  readonly pid: number;
  /** The container's folder in the runtime's root. */
  readonly folder: string;
  /** The shell that waits for the container. */
  readonly isShim: boolean;
}

const MARKER = 'ROLLCALL_CONTAINER=';

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** The container that a process belongs to, by the environment that it was started with; `undefined`: none below `root`. */
export const containerOf = (pid: number, root: string): string | undefined =>
  textOf(`/proc/${pid}/environ`)
    .split('\0')
    .find((entry) => entry.startsWith(`${MARKER}${root}/`))
    ?.slice(MARKER.length);

/** All that live. `root`: the runtime's, which is `runtime` in the agent's. */
export const containerProcesses = (root: string): readonly ContainerProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const pid = Number(name);
      const folder = containerOf(pid, root);
      if (folder === undefined) return [];
      return [{ pid, folder, isShim: textOf(`/proc/${pid}/cmdline`).includes('shim.sh') }];
    });
