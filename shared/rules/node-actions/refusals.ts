/** Why an action would be in vain, or a danger. */
import type { Node, Taint } from '../../kube/types/core.ts';
import { TAINT_OUT_OF_SERVICE } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { decideNoExecute } from '../nodes/no-execute.ts';
import { readyStatusOf } from '../nodes/node-conditions.ts';
import { outOfServiceDoubt } from '../nodes/out-of-service.ts';
import { hasTaint, type TaintId, taintsOf } from '../nodes/taints.ts';
import { taintText } from '../roll-call/taint-text.ts';
import { spanText } from '../roll-call/units.ts';
import { isHealthTaint } from '../zones/health-taints.ts';
import { isDone, type NodeAction, nodeAfter } from './node-action.ts';

/** When the node was last heard (ms; absent: nobody knows), and how long it may be silent (ms). */
export interface Heard {
  readonly heardAt?: EpochMs | undefined;
  readonly graceMs: number;
}

const DONE: Readonly<Record<NodeAction['kind'], string>> = {
  cordon: 'It is cordoned already.',
  uncordon: 'It is not cordoned.',
  drain: 'It is being drained already, with at least these options.',
  taint: 'It has this taint already.',
  untaint: 'It does not have this taint.',
  outOfService: 'It is set out of service already.',
};

const isWanted = (after: Node, key: string): boolean => {
  const decision = decideNoExecute(after, []);
  return decision.action === 'queue' && decision.add === key;
};

/** The control plane takes the taint away by itself: with the write, or with the next pass of the monitor. */
const isTakenAway = (after: Node, { key, effect }: TaintId): boolean => {
  if (!hasTaint(taintsOf(after), { key, effect })) return true;
  return (
    effect === 'NoExecute' &&
    isHealthTaint({ key }) &&
    readyStatusOf(after) !== undefined &&
    !isWanted(after, key)
  );
};

/** The control plane sets the taint again by itself. */
const isSetAgain = (after: Node, { key, effect }: TaintId): boolean =>
  hasTaint(taintsOf(after), { key, effect }) || (effect === 'NoExecute' && isWanted(after, key));

const readyText = (node: Node): string => `Ready is ${readyStatusOf(node) ?? 'not known'}`;

const doubtText = (after: Node, { heardAt, graceMs }: Heard, now: EpochMs): readonly string[] => {
  const doubt = outOfServiceDoubt(after, heardAt, now, graceMs);
  if (doubt === undefined) return [];
  const seems =
    doubt === 'ready'
      ? 'It is ready.'
      : `It was heard ${spanText(Math.max(0, now - (heardAt ?? now)))} ago, and has not been silent for ${spanText(graceMs)}.`;
  return [
    `${seems} A machine that answers is not off, and its volumes would be taken from it while it writes.`,
  ];
};

const taintFaults = (node: Node, after: Node, taint: Taint): readonly string[] => {
  if (taint.key === TAINT_OUT_OF_SERVICE)
    return ['This taint is set by “Out of service”, which says what it does.'];
  return isTakenAway(after, taint)
    ? [`The control plane sets ${taintText(taint)} by itself, and would take it away: ${readyText(node)}.`]
    : [];
};

const ownFaults = (node: Node, action: NodeAction, heard: Heard, now: EpochMs): readonly string[] => {
  const after = nodeAfter(node, action, now);
  if (action.kind === 'outOfService') return doubtText(after, heard, now);
  if (action.kind === 'taint') return taintFaults(node, after, action.taint);
  if (action.kind !== 'untaint' || !isSetAgain(after, action.taint)) return [];
  return [`The control plane would set ${taintText(action.taint)} again: ${readyText(node)}.`];
};

/** Why the action on this node is not offered at `now` (ms), in sentences; none: it is. */
export const refusalsOf = (node: Node, action: NodeAction, heard: Heard, now: EpochMs): readonly string[] => {
  if (node.metadata.deletionTimestamp !== undefined) return ['The Node is being deleted.'];
  return isDone(node, action) ? [DONE[action.kind]] : ownFaults(node, action, heard, now);
};
