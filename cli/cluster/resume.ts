/** `rollcall resume`: ends a Hold. */
import { humanDuration } from '../../shared/kube/text/human-duration.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import type { Hold } from '../../shared/kube/types/hold.ts';
import { parseTime } from '../../shared/kube/values/time.ts';
import { holdState } from '../../shared/rules/holds/hold-state.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, clusterChoiceOf } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { misuse, parseCommandLine } from '../shell/command.ts';
import { findHolds } from './hold-requests.ts';

/** What the command takes. */
export const OPTIONS = { ...CLUSTER_OPTIONS } as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall resume HOLD [options]'],
  about: ['Ends a Hold and deletes it. What it stopped goes on at the pace of before, not all at once.'],
  options: OPTIONS,
  example: 'rollcall resume incident-4711',
});

/** How long it held, in words. */
const heldFor = (hold: Hold, now: number): string => {
  const since = parseTime(hold.status?.since ?? '');
  if (since === undefined) return 'was never in force';
  if (holdState(hold, now) !== 'Expired') return `held for ${humanDuration(Math.max(now - since, 0))}`;
  const end = parseTime(hold.spec?.until ?? '') ?? now;
  return `held for ${humanDuration(Math.max(Math.min(end, now) - since, 0))}, and had ended by itself`;
};

/** Ends a Hold. Throws a `CommandError` if there is none, or when the API refuses. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, positionals } = parseCommandLine(
    { args: [...args], options: OPTIONS, allowPositionals: true },
    usage,
  );
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw misuse('give the name of one Hold', usage);
  const holds = await findHolds(clusterChoiceOf(values), context);
  const hold = await holds.read(name);
  await holds.remove(hold);
  const { status: { by = 'somebody unknown' } = {}, spec: { reason = '' } = {} } = hold;
  context.print(
    `${name} is resumed. It ${heldFor(hold, context.now())}. Made by ${printable(by)}: ${printable(reason)}`,
  );
};
