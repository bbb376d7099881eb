/** What is found on the machine, whatever an agent says, and killed there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cgroupMountsIn } from '../../agent/rules/stats/cgroup-layout.ts';

/** One of them, or `undefined` if there is none. `random`: from 0 up to 1. */
export const oneOf = <T>(all: readonly T[], random: () => number): T | undefined =>
  all[Math.floor(random() * all.length)];

/** Whether it was there to be killed. */
export const killed = (pid: number | undefined): boolean => {
  try {
    return pid !== undefined && pid > 1 && process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
};

/** The state folder is in the command line of an OCI runtime, and in that of no other program but keepers. */
export const runtimePids = (stateFolder: string): readonly number[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      const words = /^\d+$/.test(name) ? readFileSync(`/proc/${name}/cmdline`, 'latin1').split('\0') : [];
      const isRuntime = ['runc', 'runc-init'].includes(basename(words[0] ?? ''));
      return isRuntime && words.includes(stateFolder) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

/** Folders of a control group that are there. An OCI runtime makes groups in each tree that is mounted. */
export const groupFolders = (group: string): readonly string[] =>
  cgroupMountsIn(readFileSync('/proc/self/mountinfo', 'utf8'))
    .map(({ mountPoint }) => join(mountPoint, group))
    .filter((folder) => existsSync(folder));
