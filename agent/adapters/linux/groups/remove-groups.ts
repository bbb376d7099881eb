/** Removes the folder of a control group. */
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { cgroupMountsIn } from '../../../rules/stats/cgroup-layout.ts';

/** `false`: it has members, or groups below it, or is gone. */
const isRemoved = (folder: string): boolean => {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
};

/** With those below it. A group that has members stays. */
export const removeGroups = (folder: string): void => {
  if (isRemoved(folder) || !existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroups(join(folder, entry.name));
  isRemoved(folder);
};

/**
 * A runtime makes groups in trees that the agent does not limit anything in: the group is removed from each tree that is mounted. Whether
 * it is gone from all: one that has members stays.
 */
export const removeEverywhere = (systemRoot: string, group: string): boolean => {
  const info = join(systemRoot, 'proc/self/mountinfo');
  const folders = cgroupMountsIn(existsSync(info) ? readFileSync(info, 'utf8') : '').map(({ mountPoint }) =>
    join(systemRoot, mountPoint, group),
  );
  for (const folder of folders) removeGroups(folder);
  return !folders.some((folder) => existsSync(folder));
};
