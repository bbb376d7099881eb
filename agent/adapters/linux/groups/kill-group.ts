/** Ends all processes of a control group. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CgroupVersion } from '../../../rules/stats/cgroup-layout.ts';
import { sendSignal } from '../processes.ts';
import { textIn } from '../whole-files.ts';

const SIGKILL = 9;
const ROUNDS = 200;
const ROUND_MS = 10;

const membersOf = (folder: string): readonly number[] =>
  (textIn(join(folder, 'cgroup.procs')) ?? '').split('\n').filter(Boolean).map(Number);

/** Does nothing where the tree has no freezer. */
const freeze = (version: CgroupVersion, folder: string, isFrozen: boolean): void => {
  const path = join(folder, version === 'v2' ? 'cgroup.freeze' : 'freezer.state');
  const [frozen, thawed] = version === 'v2' ? ['1', '0'] : ['FROZEN', 'THAWED'];
  if (existsSync(path)) writeFileSync(path, isFrozen ? frozen : thawed);
};

const killOnce = (version: CgroupVersion, folder: string): void => {
  const file = join(folder, 'cgroup.kill');
  if (version === 'v2' && existsSync(file)) {
    writeFileSync(file, '1');
    return;
  }
  // Frozen processes make no new ones, and end when they are thawed.
  freeze(version, folder, true);
  try {
    for (const pid of membersOf(folder)) sendSignal(pid, SIGKILL);
  } finally {
    freeze(version, folder, false);
  }
};

/** Resolves when the group has no members; after two seconds at the latest, because a process may hang in the kernel. */
export const killGroup = async (version: CgroupVersion, folder: string): Promise<void> => {
  for (let round = 0; round < ROUNDS && existsSync(folder); round += 1) {
    killOnce(version, folder);
    if (membersOf(folder).length === 0) return;
    await wait(ROUND_MS);
  }
};
