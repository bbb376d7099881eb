/** `rollcall top`: the fleet on the terminal, live, for any cluster of Rollcall. */

import { printableLines } from '../../shared/kube/text/printable.ts';
import { type ApiTarget, connectApi } from '../../terminal/top/connect.ts';
import { showOnTerminal } from '../../terminal/top/show-on-terminal.ts';
import { tellChanges } from '../../terminal/top/tell-changes.ts';
import { findApi } from '../access/api-access.ts';
import { ROLES } from '../access/identities.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, type ClusterChoice, clusterChoiceOf } from '../shell/cluster-options.ts';
import { hasColours } from '../shell/colours.ts';
import { type CommandContext, CommandError, parseCommandLine } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { type Explanation, explanationText } from './explanation-text.ts';

/** What the command takes. */
export const OPTIONS = {
  'no-beats': {
    type: 'boolean',
    describe:
      'do not follow Leases, which costs reads on AWS: late nodes are not seen before they are Unknown',
    default: false,
  },
  'no-color': { type: 'boolean', describe: 'no colours (NO_COLOR)', default: false },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall top [options]'],
  about: [
    'Shows the fleet on the terminal and follows it by watches: a letter for each node, the zones with their waiting lines, what happens next, when and why. Piped, it prints the zones and then each change as a line.',
  ],
  options: OPTIONS,
  notes: ['Keys: q quit, j/k or arrows choose, Enter open, Esc back, / filter.'],
  example: 'rollcall top --kubeconfig .rollcall/kubeconfig',
});

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS }, usage).values;

/** Seconds for which a token is valid. */
const TOKEN_SECONDS = 600;

const targetOf = async (choice: ClusterChoice, context: CommandContext): Promise<ApiTarget> => {
  const { server, ca, tokens } = await findApi(choice, context);
  const url = URL.parse(server);
  if (!url) throw new CommandError(`--server ${server} is not an address; write it as https://host`, 2);
  return { url, ca, token: tokens(ROLES.viewer, TOKEN_SECONDS) };
};

const explained = (body: string): readonly string[] =>
  printableLines(explanationText(JSON.parse(body) as Explanation)).split('\n');

/** Shows the fleet until a key or a signal ends that. Throws a `CommandError` if there is no cluster. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const values = readValues(args);
  const target = await targetOf(clusterChoiceOf(values), context);
  const connect = (onChange: () => void) => connectApi(target, onChange);
  const hasBeats = !values['no-beats'];
  const deps = { connect, server: target.url.origin, now: context.now, hasBeats };
  if (process.stdout.isTTY && process.stdin.isTTY)
    await showOnTerminal({ ...deps, explained, hasColours: !values['no-color'] && hasColours(context) });
  else {
    const ended = new AbortController();
    const stopped = stopSignal().then(() => ended.abort());
    await tellChanges({ ...deps, print: context.print, signal: ended.signal });
    await stopped;
  }
};
