/** `rollcall serve install | uninstall | status | logs`, and the same of a proxy and a relay. */
import { type CommandContext, CommandError, parseCommandLine } from '../shell/command.ts';
import { checkSystemd, orSudo } from './as-root.ts';
import { installService } from './install.ts';
import { printJournal } from './journal.ts';
import { type ServiceMachine, serviceMachine } from './machine.ts';
import { type ServiceCommand, stemOf, unitOf } from './service-command.ts';
import { readStatus } from './status.ts';
import { folderOfUnit } from './unit.ts';

const uninstall = async (
  command: ServiceCommand,
  { print }: CommandContext,
  { systemd }: ServiceMachine,
): Promise<void> => {
  const unit = unitOf(command);
  await checkSystemd(systemd, `rollcall ${command.name}`);
  const folder = folderOfUnit((await systemd.installed()) ?? '') ?? `/var/lib/${stemOf(command)}`;
  if (!(await orSudo(`cannot remove ${unit}`, systemd.uninstall())))
    throw new CommandError(`there is no ${unit} on this machine`);
  print(
    `${unit} is removed, and nothing else: its user and ${folder} stay, and another install goes on from there`,
  );
};

const withoutOptions = (command: ServiceCommand, args: readonly string[]): void => {
  parseCommandLine({ args: [...args], options: {} }, command.usage);
};

/** Does what the first word of `args` says. Throws a `CommandError`. */
export const serviceAction = async (
  command: ServiceCommand,
  [action = '', ...args]: readonly string[],
  context: CommandContext,
  machine: ServiceMachine = serviceMachine(unitOf(command)),
): Promise<void> => {
  if (action === 'install') return installService(command, args, context, machine);
  if (action === 'logs') return printJournal(unitOf(command), args);
  withoutOptions(command, args);
  if (action === 'uninstall') return uninstall(command, context, machine);
  await checkSystemd(machine.systemd, `rollcall ${command.name}`);
  context.print(await readStatus(command, machine));
};
