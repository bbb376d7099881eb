/** `rollcall serve install`, and the same of a proxy and a relay. */
import { resolve } from 'node:path';
import { type CommandContext, CommandError } from '../shell/command.ts';
import { checkSystemd, orSudo } from './as-root.ts';
import type { Account, ServiceMachine } from './machine.ts';
import {
  environmentFileOf,
  type ServiceCommand,
  type ServiceSettings,
  stemOf,
  unitOf,
} from './service-command.ts';
import { commandUnit, folderOfUnit, hiddenBy, isStateFolder } from './unit.ts';
import { serviceWords } from './words.ts';

/** A service has one folder: that of another one must not lose its service unseen. */
const checkOther = (command: ServiceCommand, folder: string, unit: string | undefined): void => {
  const other = unit === undefined ? undefined : folderOfUnit(unit);
  if (other === undefined || other === folder) return;
  throw new CommandError(
    `${unitOf(command)} runs on ${other} already: give --folder ${other} to change its options, or end it with "rollcall ${command.name} uninstall" first`,
  );
};

/** systemd takes other characters in some settings only. */
const checkFolder = (folder: string): void => {
  if (/^(\/[\w.@+-]+)+$/.test(folder)) return;
  throw new CommandError(
    `--folder ${folder}: the folder of a service has a name of letters, digits and . _ @ + - only, and is not /`,
    2,
  );
};

const checkSeen = (path: string): void => {
  const folder = hiddenBy(path);
  if (folder === undefined) return;
  throw new CommandError(
    `a service sees nothing of ${folder}, so ${path} has to be elsewhere: programs in /usr/local/bin or /opt, files in /etc, state in /var/lib`,
  );
};

const checkReadable = async (machine: ServiceMachine, account: Account, path: string): Promise<void> => {
  if (await machine.mayRead(account, path)) return;
  throw new CommandError(
    `the user ${account.name}, whom the service runs as, cannot read ${path}: "namei -l ${path}" shows the modes on the way; chgrp ${account.name} and chmod g+r let it`,
  );
};

/** Variables that matter to Rollcall. Their values may be secret. */
const MATTERS = /^(AWS_\w+|ROLLCALL_\w+|OTEL_\w+|NODE_EXTRA_CA_CERTS|(https?|no)_proxy)$/i;

const leftBehind = (
  command: ServiceCommand,
  carried: ServiceSettings['fromEnvironment'],
  { env }: CommandContext,
): readonly string[] => {
  const names = Object.keys(env).filter(
    (name) => MATTERS.test(name) && !carried.some(({ variable }) => variable === name),
  );
  if (names.length === 0) return [];
  return [
    `The service does not have these variables of this terminal: ${names.toSorted().join(', ')}. If it needs them, write them to ${environmentFileOf(command)} (mode 0600), as NAME=value, and restart it`,
  ];
};

const described = (command: ServiceCommand, folder: string, program: readonly string[]): string =>
  `${unitOf(command)} runs on ${folder}; "rollcall ${command.name} status" and "rollcall ${command.name} logs" say more. It is started with ${program.join(' and ')}: when that moves, run this again`;

/** Checks everything, then makes user, folder and unit, and starts it. Throws a `CommandError`. */
export const installService = async (
  command: ServiceCommand,
  args: readonly string[],
  context: CommandContext,
  machine: ServiceMachine,
): Promise<void> => {
  const { user, words, files } = serviceWords(command, args);
  const settings = await command.read(words, context);
  const folder = resolve(settings.folder ?? `/var/lib/${stemOf(command)}`);
  checkFolder(folder);
  await checkSystemd(machine.systemd, `rollcall ${command.name}`);
  const installing = `cannot install ${unitOf(command)}`;
  checkOther(command, folder, await orSudo(installing, machine.systemd.installed()));
  const program = machine.program();
  const [needed, carried] = [[...program, ...files], settings.fromEnvironment];
  for (const path of [folder, ...needed]) checkSeen(path);
  const account = await orSudo(`cannot make the user ${user}`, machine.account(user, folder));
  for (const path of needed) await checkReadable(machine, account, path);
  if (!isStateFolder(folder))
    await orSudo(`cannot make the folder ${folder}`, machine.makeFolder(account, folder));
  const own = [
    ...carried.flatMap((one) => one.words),
    ...words.filter((word) => !word.startsWith('--folder=')),
  ];
  const unit = commandUnit({ command, program, words: own, user, folder, port: settings.port });
  await orSudo(installing, machine.systemd.install(unit));
  for (const line of [described(command, folder, program), ...leftBehind(command, carried, context)])
    context.print(line);
};
