/** Which commit a checkout stands at. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The short id of the commit at which the checkout `folder` stands; undefined if it is no checkout, or if git does not say. */
export const commitOf = (folder: string): string | undefined => {
  // A folder without its own .git may lie in the checkout of another project.
  if (!existsSync(join(folder, '.git'))) return undefined;
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
};
