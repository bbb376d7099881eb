/** `rollcall serve install | uninstall | status | logs`, and the same of a proxy and a relay. */
import { type CommandContext, CommandError, parseCommandLine } from '../shell/command.ts';
import { checkSystemd, orSudo } from './as-root.ts';
import { installService } from './install.ts';
import { printJournal } from './journal.ts';
import { type ServiceMachine, serviceMachine } from './machine.ts';
import { type ServiceCommand, stemOf, unitOf } from './service-command.ts';
import { folderOfUnit } from './unit.ts';

const NAMES = [
  'LoadState',
  'ActiveState',
  'SubState',
  'Result',
  'MainPID',
  'NRestarts',
  'ActiveEnterTimestamp',
  'ExecMainStatus',
  'UnitFileState',
];

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

/** The state of a service in systemd, as text. `isWell`: it runs. */
const serviceStatus = (
  { name }: Pick<ServiceCommand, 'name'>,
  properties: Readonly<Record<string, string>>,
): { readonly isWell: boolean; readonly text: string } => {
  const of = (property: string): string => properties[property] ?? '';
  const unit = unitOf({ name });
  const isWell = of('ActiveState') === 'active';
  const lines = [
    `${unit} is ${of('ActiveState')} (${of('SubState')})${isWell ? ` since ${of('ActiveEnterTimestamp')}` : ''}`,
    ...(isWell ? [`process ${of('MainPID')}, started again ${of('NRestarts')} times by systemd`] : []),
    ...(isWell || ['success', ''].includes(of('Result'))
      ? []
      : [
          `it ended with ${of('Result')}, exit code ${of('ExecMainStatus')}: "rollcall ${name} logs" says why`,
        ]),
    ...(of('UnitFileState') === 'enabled'
      ? []
      : [`it is not started with the machine: systemctl enable ${unit}`]),
  ];
  return { isWell, text: lines.join('\n') };
};

/** The status as text. Throws a `CommandError` if the service does not run, with the same text. */
const readStatus = async (command: ServiceCommand, { systemd }: ServiceMachine): Promise<string> => {
  const properties = await orSudo('systemd does not answer', systemd.properties(NAMES));
  if (properties['LoadState'] !== 'loaded')
    throw new CommandError(
      `there is no ${unitOf(command)} on this machine: "rollcall ${command.name} install" makes one`,
    );
  const { isWell, text } = serviceStatus(command, properties);
  if (!isWell) throw new CommandError(text);
  return text;
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
