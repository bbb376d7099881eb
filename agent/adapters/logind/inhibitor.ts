/**
 * The lock that delays shutdowns. logind hands it out as a file descriptor, which Node cannot receive, so `systemd-inhibit` holds
 * it: the lock lasts as long as the program that `systemd-inhibit` runs, and that one ends with the agent.
 */

import type { InhibitorLock } from '../../ports/machine/logind.ts';
import { hasOutput, startChild } from './child.ts';
import { environmentOf, type LogindSettings } from './settings.ts';

const WHY = 'Rollcall ends the pods of this node first';

/** Takes the lock. `onLost` is called if it is gone without having been released. */
export const takeInhibitor = async (settings: LogindSettings, onLost: () => void): Promise<InhibitorLock> => {
  const what = ['--what=shutdown', '--mode=delay', `--who=${settings.who}`, `--why=${WHY}`];
  const child = startChild('systemd-inhibit', [...what, 'cat'], environmentOf(settings));
  // `cat` answers as soon as it runs, and it runs as soon as the lock is held.
  child.stdin.write('held\n');
  if (!(await hasOutput(child))) throw new Error(child.errors() || 'systemd-inhibit ended at once');
  child.stdout.resume();
  let isReleased = false;
  child.ended.then(
    () => {
      if (!isReleased) onLost();
    },
    () => {},
  );
  return {
    release: async () => {
      isReleased = true;
      await child.end();
    },
  };
};
