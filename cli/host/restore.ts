/** `rollcall restore`: lets silenced machines of the demonstration fleet answer again. */
import { isSilent, readOutage, withoutOutage, writeOutage } from '../../host/fleet/outage.ts';
import { pathsFor, runningHost } from '../access/host-folder.ts';
import type { CommandContext } from '../shell/command.ts';
import { checkNames, OPTIONS as MACHINE_OPTIONS, machinesOf, readMachineArgs } from './outage.ts';

export const usage = `Usage: rollcall restore [--zone ZONE | --node NODE] [--folder FOLDER]

Lets machines that \`rollcall outage\` silenced answer again: the given ones, or all of them.
(rollcall backup restore FILE restores a backup.)

  --zone ZONE      the machines of a zone; may be given several times
  --node NODE      one machine; may be given several times
  --all            all of them, as without any option
  --folder FOLDER  folder of the host (default .rollcall)

Example: rollcall restore --zone a`;

/** What the command takes. */
export const OPTIONS = MACHINE_OPTIONS;

/** Lets machines answer again. Throws a `CommandError` for unknown machines, or if no host is running. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { outage: back, folder } = readMachineArgs(args, usage);
  const paths = pathsFor(folder, context);
  const machines = machinesOf(runningHost(paths));
  checkNames(back, machines);
  const before = readOutage(paths.outage);
  const after = withoutOutage(before, back, machines);
  writeOutage(paths.outage, after);
  const names = machines
    .filter((one) => isSilent(before, one) && !isSilent(after, one))
    .map(({ name }) => name);
  context.print(
    names.length === 0 ? 'no machine was silent' : `these machines answer again: ${names.join(' ')}`,
  );
};
