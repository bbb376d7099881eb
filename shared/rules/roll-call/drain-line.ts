/** How the drain of a node stands, as far as a roll call tells of it. */

import { printable } from '../../kube/text/printable.ts';
import type { Node } from '../../kube/types/core.ts';
import { DRAIN_IN_PROGRESS } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { type DrainState, drainReason, isDrained } from '../drain/drain-progress.ts';
import { drainRequestOf } from '../drain/node-drain.ts';

/** The drain of a node that is not empty yet. Its text has no control characters. */
export interface DrainLine {
  /** `asked`: nobody has looked at the node yet. */
  readonly state: DrainState | 'asked';
  /** What is left on the node, and what holds it. */
  readonly message: string;
  /** When the drain gives up. */
  readonly deadlineAt?: EpochMs;
  /** From when on pods are deleted and no budget is asked. */
  readonly deleteAt?: EpochMs;
}

const STATES: readonly DrainState[] = [
  'invalid',
  'gaveUp',
  'evicting',
  'held',
  'waiting',
  'refused',
  'stopping',
];

const stateOf = (reason: string | undefined): DrainLine['state'] =>
  STATES.find((state) => drainReason(state) === reason) ?? 'asked';

/** The drain of a node; `undefined`: nobody wants it drained, or it is. */
export const drainLineOf = (node: Node): DrainLine | undefined => {
  const request = drainRequestOf(node);
  if (!request || isDrained(node)) return undefined;
  const said = node.status?.conditions?.find(({ type }) => type === DRAIN_IN_PROGRESS);
  return {
    state: stateOf(said?.reason),
    message: printable(said?.message ?? ''),
    ...optional('deadlineAt', request.deadlineAt),
    ...optional('deleteAt', request.deleteAt),
  };
};

const WORDS: Readonly<Record<DrainLine['state'], string>> = {
  asked: 'is to be drained',
  invalid: 'cannot be drained',
  drained: 'is drained',
  gaveUp: 'was not drained in time',
  evicting: 'is being drained',
  held: 'is to be drained, and is held',
  waiting: 'is being drained, and waits for budgets',
  refused: 'cannot be drained as asked',
  stopping: 'is being drained',
};

/** The drain in words, without the name of the node: `is being drained, and waits for budgets: 1 pod is left; …`. */
export const drainSentence = ({ state, message }: DrainLine): string =>
  message === '' ? WORDS[state] : `${WORDS[state]}: ${message}`;

/** Whether the drain goes on only when a budget allows it, or a person does something. */
export const isHeldUp = ({ state }: DrainLine): boolean =>
  state === 'held' || state === 'waiting' || state === 'refused' || state === 'gaveUp' || state === 'invalid';

/** Instants at which the drain changes its ways. One that gave up or cannot be understood has none. */
export const drainTurns = ({
  state,
  deadlineAt,
  deleteAt,
}: DrainLine): readonly { readonly at: EpochMs; readonly what: string; readonly why: string }[] => {
  if (state === 'gaveUp' || state === 'invalid') return [];
  const turns = [
    { at: deleteAt, what: 'asks no budget any more', why: 'deleteAfter of the request' },
    { at: deadlineAt, what: 'gives up', why: 'the deadline of the request' },
  ];
  return turns.flatMap(({ at, ...turn }) =>
    at === undefined || at > (deadlineAt ?? at) ? [] : [{ at, ...turn }],
  );
};
