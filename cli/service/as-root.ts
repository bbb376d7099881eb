/** What only root may do, on a machine with systemd. */
import type { ServiceManager } from '../../agent/ports/machine/service-manager.ts';
import { CommandError, reasonOf } from '../shell/command.ts';

/** Explains the failure of `work`, which is said to be `what`. */
export const orSudo = async <T>(what: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${what}: ${reasonOf(error)}. Is this root, on a machine with systemd?`);
  }
};

/** Throws a `CommandError` where systemd does not run; `instead` is a command line that needs none. */
export const checkSystemd = async (systemd: ServiceManager, instead: string): Promise<void> => {
  if (await systemd.isThere()) return;
  throw new CommandError(
    `systemd does not run on this machine (there is no /run/systemd/system), so that it can start no service. Have "${instead}" started by what starts programs here, such as a container's entry point`,
  );
};
