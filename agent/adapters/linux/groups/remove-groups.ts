/** Removes the folder of a control group. */
import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';

/** With those below it. A group that has members stays. */
export const removeGroups = (folder: string): void => {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroups(join(folder, entry.name));
  try {
    rmdirSync(folder);
  } catch {
    // It has members, or is gone.
  }
};
