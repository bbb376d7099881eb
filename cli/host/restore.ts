/** `rollcall restore`: lets silenced machines of the demonstration fleet answer again. */
import { isSilent, readOutage, withoutOutage, writeOutage } from '../../host/fleet/outage.ts';
import { runningHost } from '../access/host-folder.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import type { CommandContext } from '../shell/command.ts';
import { checkNames, OPTIONS as MACHINE_OPTIONS, machinesOf, readMachineArgs } from './outage.ts';

/** What the command takes. */
export const OPTIONS = {
  ...MACHINE_OPTIONS,
  zone: { ...MACHINE_OPTIONS.zone, describe: 'the machines of a zone' },
  all: { type: 'boolean', describe: 'all of them, as without any option' },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall restore [--zone ZONE | --node NODE] [options]'],
  about: [
    'Lets machines that `rollcall outage` silenced answer again: the given ones, or all of them. (rollcall backup restore FILE restores a backup.)',
  ],
  options: OPTIONS,
  example: 'rollcall restore --zone a',
});

/** Lets machines answer again. Throws a `CommandError` for unknown machines, or if no host is running. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { outage: back, paths } = readMachineArgs(args, usage, context);
  const machines = machinesOf(runningHost(paths, ['folder', 'kubeconfig']));
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
