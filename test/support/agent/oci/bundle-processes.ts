/** The processes of an agent's bundles, by their control groups: whatever the agent itself knows of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { podsGroupOf } from '../../../../cli/agent/agent-pods.ts';

export interface BundleProcess {
  readonly pid: number;
  /** `UID/NAME_COUNT`. */
  readonly container: string;
  /** conmon, or what conmon is about to start or asks of the runtime. */
  readonly isKeeper: boolean;
}

const groupsOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'latin1');
  } catch {
    return '';
  }
};

const SUFFIX = String.raw`/pod([^/\n]+)/([^/\n]+_\d+)(\.keeper)?(?:/|$)`;

/** All that live in the control group of pods. A process that has ended belongs to none. */
export const processesIn = (podsGroup: string): readonly BundleProcess[] => {
  const member = new RegExp(`${podsGroup}${SUFFIX}`, 'm');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const [, uid, container, keeper] = member.exec(groupsOf(name)) ?? [];
      if (uid === undefined) return [];
      return [{ pid: Number(name), container: `${uid}/${container}`, isKeeper: keeper !== undefined }];
    });
};

/** Of the agent of this root folder. */
export const bundleProcesses = (root: string): readonly BundleProcess[] => processesIn(podsGroupOf(root));
