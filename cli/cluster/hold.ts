/** `rollcall hold`: makes a Hold, and waits until it is in force. */
import { parseLabelSelector } from '../../shared/kube/selector/label-selector.ts';
import { selectorFrom } from '../../shared/kube/selector/object-selector.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import { HOLD_CLASSES, type Hold } from '../../shared/kube/types/hold.ts';
import type { LabelSelector } from '../../shared/kube/types/meta.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import { holdState, inForceOf } from '../../shared/rules/holds/hold-state.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, clusterChoiceOf } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { parseDuration } from '../shell/duration.ts';
import { findHolds } from './hold-requests.ts';

const NODES = 'Nodes';

/** What the command takes. */
export const OPTIONS = {
  for: { type: 'string', value: 'DURATION', describe: 'it ends by itself after this time: 90s, 30m, 2h, 7d' },
  'until-resumed': { type: 'boolean', describe: 'it ends when somebody resumes' },
  reason: {
    type: 'string',
    value: 'TEXT',
    describe: 'why, for all who wonder that nothing happens; required',
  },
  owner: { type: 'string', value: 'TEXT', describe: 'whom to ask' },
  stops: {
    type: 'string',
    value: 'CLASSES',
    describe: `what it stops, with commas: ${HOLD_CLASSES.join(', ')} (default: all but ClientEvictions)`,
    complete: HOLD_CLASSES,
  },
  zones: {
    type: 'string',
    value: 'ZONES',
    group: NODES,
    describe: 'only nodes of these zones, with commas',
    complete: 'zones',
  },
  selector: { type: 'string', value: 'SELECTOR', group: NODES, describe: 'only nodes with these labels' },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall hold NAME (--for DURATION | --until-resumed) --reason TEXT [options]'],
  about: [
    'Stops evictions, drains, fencing and deletions of Nodes by the control plane, for all nodes or some. Waits until this is in force, 30 s at most. End it with: rollcall resume NAME',
  ],
  options: OPTIONS,
  notes: ['Exit codes: 0 in force; 1 refused, or made and not in force yet; 2 invalid command line.'],
  example: "rollcall hold incident-4711 --zones b --for 2h --reason 'switch upgrade'",
});

const readArgs = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS, allowPositionals: true }, usage);

type Values = ReturnType<typeof readArgs>['values'];

/** When it ends, RFC 3339; `undefined`: when somebody resumes. */
const untilOf = (values: Values, now: number): string | undefined => {
  if ((values.for === undefined) === (values['until-resumed'] !== true))
    throw misuse(
      'give either --for DURATION or --until-resumed: a forgotten Hold is an outage of its own',
      usage,
    );
  return values.for === undefined ? undefined : toTime(now + parseDuration(values.for, '--for') * 1000);
};

const selectorOf = (text: string): LabelSelector => {
  try {
    const selector = selectorFrom(parseLabelSelector(text));
    if (selector && Object.keys(selector).length > 0) return selector;
  } catch (error) {
    throw misuse(`--selector ${text}: ${reasonOf(error)}`, usage);
  }
  throw misuse(`--selector ${text} names no labels; leave it out for all nodes`, usage);
};

const listOf = (text: string | undefined): readonly string[] | undefined =>
  text?.split(',').map((one) => one.trim());

const specOf = (values: Values, now: number): object => {
  if (!values.reason?.trim()) throw misuse('--reason is required', usage);
  return {
    zones: listOf(values.zones),
    nodeSelector: values.selector === undefined ? undefined : selectorOf(values.selector),
    stops: listOf(values.stops),
    reason: values.reason,
    owner: values.owner,
    until: untilOf(values, now),
  };
};

/** Milliseconds after which nobody waits any more, and between two looks. */
const WITHIN_MS = 30_000;
const POLL_MS = 250;

const secondsText = (ms: number): string => (ms / 1000).toFixed(1);

/** What is known of the Hold: its object, and why the last look has failed. */
interface Look {
  readonly hold: Hold;
  readonly failure?: CommandError;
}

const notInForce = ({ hold, failure }: Look, ms: number): CommandError => {
  const { name } = hold.metadata;
  if (failure) return new CommandError(`${name} was made, but since then: ${failure.message}`);
  const { reason = 'Closing', message } = inForceOf(hold) ?? {};
  const why = message === undefined ? reason : `${reason}: ${message}`;
  return new CommandError(
    `${name} is not in force after ${secondsText(ms)} s: ${printable(why)}. It stays, and the control plane goes on closing it; look with: kubectl get hold ${name}`,
  );
};

/** A look that fails is no end: an API that stumbles is a reason for a Hold. */
const lookAgain = async (hold: Hold, read: () => Promise<Hold>): Promise<Look> => {
  try {
    return { hold: await read() };
  } catch (error) {
    if (error instanceof CommandError) return { hold, failure: error };
    throw error;
  }
};

/** Resolves to the Hold when it is in force. Throws a `CommandError` if it ends before, or takes too long. */
const waitFor = async (
  made: Hold,
  read: () => Promise<Hold>,
  begun: number,
  context: CommandContext,
): Promise<Hold> => {
  for (let look: Look = { hold: made }; ; look = await lookAgain(look.hold, read)) {
    const now = context.now();
    const [state, { name, uid }] = [holdState(look.hold, now), look.hold.metadata];
    if (state === 'Expired' || state === 'Resumed' || uid !== made.metadata.uid)
      throw new CommandError(`${name} has ended before it was in force`);
    if (state === 'Held') return look.hold;
    if (now - begun >= WITHIN_MS) throw notInForce(look, now - begun);
    await context.wait(POLL_MS);
  }
};

const nodesText = ({ status }: Hold): string =>
  status?.heldNodes === undefined
    ? ''
    : ` for ${status.heldNodes} ${status.heldNodes === 1 ? 'node' : 'nodes'}`;

/** Makes a Hold. Throws a `CommandError` when the API refuses, or when the Hold is not in force in time. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, positionals } = readArgs(args);
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0) throw misuse('give the name of one Hold', usage);
  const begun = context.now();
  const spec = specOf(values, begun);
  const holds = await findHolds(clusterChoiceOf(values), context);
  const made = await holds.create({ apiVersion: 'rollcall.dev/v1', kind: 'Hold', metadata: { name }, spec });
  const hold = await waitFor(made, () => holds.read(name), begun, context);
  const until = hold.spec?.until === undefined ? '' : `, until ${hold.spec.until}`;
  context.print(
    `${name} is in force${nodesText(hold)} after ${secondsText(context.now() - begun)} s${until}. End it with: rollcall resume ${name}`,
  );
};
