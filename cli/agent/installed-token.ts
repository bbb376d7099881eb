/** The bootstrap token that `rollcall agent install` keeps for the first start of the service. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/** Its name in the root folder of the agent. */
export const INSTALLED_TOKEN = 'bootstrap-token';

/** Removes it, if it is there. A file that cannot be removed harms no node: the token in it expires. */
export const forgetInstalledToken = (rootDirectory: string): void => {
  try {
    rmSync(join(rootDirectory, INSTALLED_TOKEN), { force: true });
  } catch {
    // The disk is read-only now.
  }
};
