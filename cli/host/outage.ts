/** `rollcall outage`: silences machines of the demonstration fleet. */

import { evictionForecast } from '../../host/fleet/forecast.ts';
import { isSilent, type Outage, readOutage, withOutage, writeOutage } from '../../host/fleet/outage.ts';
import type { HostRecord } from '../../host/folder/host-record.ts';
import { hostPathsOf, runningHost } from '../access/host-folder.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine } from '../shell/command.ts';
import { OWN_NAME } from '../shell/own-name.ts';

/** What the command takes. */
export const OPTIONS = {
  zone: { type: 'string', value: 'ZONE', multiple: true, describe: 'all machines of a zone' },
  node: { type: 'string', value: 'NODE', multiple: true, describe: 'one machine' },
  all: { type: 'boolean', describe: 'all machines' },
  folder: { ...CLUSTER_OPTIONS.folder, describe: 'folder of the host (default .rollcall)' },
  kubeconfig: {
    ...CLUSTER_OPTIONS.kubeconfig,
    describe:
      'the host that wrote this kubeconfig into its folder (default: that of KUBECONFIG, if no host runs here)',
  },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall outage (--zone ZONE | --node NODE | --all) [options]'],
  about: ['Silences machines of the demonstration fleet.'],
  options: OPTIONS,
  example: 'rollcall outage --zone a',
});

/** Most names that a message shows. */
const MOST_NAMES = 24;

type Machines = NonNullable<HostRecord['machines']>;

/** The machines and the host's files that a command line chooses. Throws a `CommandError`. */
export const readMachineArgs = (args: readonly string[], help: string, context: CommandContext) => {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS }, help);
  const { zone = [], node = [], all = false } = values;
  return { outage: { zones: zone, nodes: node, all } satisfies Outage, paths: hostPathsOf(values, context) };
};

/** The machines of the host's demonstration fleet. Throws a `CommandError` if it has none. */
export const machinesOf = ({ machines }: HostRecord): Machines => {
  if (machines && machines.length > 0) return machines;
  throw new CommandError(
    'the host has no demonstration fleet, and real machines cannot be silenced: use npm start',
  );
};

/** Throws a `CommandError` for zones and machines that do not exist. */
export const checkNames = ({ zones, nodes }: Outage, machines: Machines): void => {
  const known = {
    zones: new Set(machines.map(({ zone }) => zone)),
    nodes: new Set(machines.map(({ name }) => name)),
  };
  const zone = zones.find((one) => !known.zones.has(one));
  if (zone !== undefined)
    throw new CommandError(`there is no zone "${zone}"; the zones are ${[...known.zones].join(', ')}`);
  const node = nodes.find((one) => !known.nodes.has(one));
  if (node !== undefined)
    throw new CommandError(`there is no machine "${node}"; the machines are ${[...known.nodes].join(' ')}`);
};

/** The consequences if these machines are silent and all others answer. */
const forecast = (
  { nodeLifecycle }: HostRecord,
  machines: Machines,
  outage: Outage,
  names: readonly string[],
): string => {
  const seconds = nodeLifecycle.nodeMonitorGracePeriodMs / 1000;
  const subject = names.length === 1 ? `${names[0]} falls` : `${names.length} machines fall`;
  const shown = names.slice(0, MOST_NAMES).join(' ') + (names.length > MOST_NAMES ? ' …' : '');
  return [
    `${subject} silent: ${shown}`,
    `They become Unknown and unreachable:NoSchedule in the first pass ${seconds} s after their last heartbeat.`,
    ...evictionForecast(machines, (machine) => isSilent(outage, machine), nodeLifecycle),
    `Bring them back with: ${OWN_NAME} restore`,
  ].join('\n');
};

/** Silences machines and prints what will follow. Throws a `CommandError` for unknown machines, or if no host is running. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { outage, paths } = readMachineArgs(args, usage, context);
  if (!outage.all && outage.zones.length + outage.nodes.length === 0)
    throw misuse('give --zone, --node or --all', usage);
  const record = runningHost(paths, ['folder', 'kubeconfig']);
  const machines = machinesOf(record);
  checkNames(outage, machines);
  const after = withOutage(readOutage(paths.outage), outage);
  writeOutage(paths.outage, after);
  const names = machines.filter((machine) => isSilent(outage, machine)).map(({ name }) => name);
  context.print(forecast(record, machines, after, names));
};
