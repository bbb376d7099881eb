/** The processes of an agent's containers by their control groups, whatever the agent itself knows of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { processStatIn } from '../../../../agent/rules/machine/process-stat.ts';
import { podsGroupOf } from '../../../../cli/agent/agent-pods.ts';

export interface PodProcess {
  readonly pid: number;
  /** `<uid of the pod>/<name>_<restart count>`. */
  readonly container: string;
  /** Of its keeper, or of what that starts: no program of the pod. */
  readonly isKeeper: boolean;
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

/** One that has ended is listed until its parent has read how. */
const hasEnded = (pid: number): boolean => {
  const state = processStatIn(textOf(`/proc/${pid}/stat`))?.state;
  return state === undefined || state === 'Z' || state === 'X';
};

const NAME = /^\/pod([^/]+)\/([^/]+_\d+)(\.keeper)?(?:\/|$)/;

/** `undefined`: it belongs to no pod of this group. */
const memberOf = (pid: number, podsGroup: string): PodProcess | undefined => {
  for (const line of textOf(`/proc/${pid}/cgroup`).split('\n')) {
    const at = line.indexOf(`${podsGroup}/pod`);
    const [, uid, name, keeper] = at < 0 ? [] : (NAME.exec(line.slice(at + podsGroup.length)) ?? []);
    if (uid !== undefined)
      return hasEnded(pid) ? undefined : { pid, container: `${uid}/${name}`, isKeeper: keeper !== undefined };
  }
  return undefined;
};

/** All that live. `podsGroup`: the control group of all pods of the agent. */
export const processesOfPods = (podsGroup: string): readonly PodProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => memberOf(Number(name), podsGroup) ?? []);

/** The same of the agent of this root folder. */
export const podProcesses = (root: string): readonly PodProcess[] => processesOfPods(podsGroupOf(root));
