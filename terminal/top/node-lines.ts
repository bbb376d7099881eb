/** The page of one node: conditions, taints, pods with their deadlines, and its explanation. */

import { printable } from '../../shared/kube/text/printable.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { Condition } from '../../shared/kube/types/meta.ts';
import { parseTime } from '../../shared/kube/values/time.ts';
import { taintsOf } from '../../shared/rules/nodes/taints.ts';
import type { Monitoring } from '../../shared/rules/roll-call/next-steps.ts';
import type { NodeLine } from '../../shared/rules/roll-call/node-line.ts';
import { MARKS, marksOf } from '../../shared/rules/roll-call/node-marks.ts';
import type { RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { ageText, untilText } from '../../shared/rules/roll-call/units.ts';
import { isLeaving } from '../../shared/rules/workloads/children/pod-state.ts';
import { type Line, lineOf, type Piece, type Tone, wrapped } from '../roll-call/styled.ts';

/** A node with what is known about it. */
export interface OpenNode {
  readonly node: Node;
  readonly line: NodeLine;
  readonly pods: readonly Pod[];
  /** The answer of `explain` as lines, or why there is none. */
  readonly explanation: readonly string[];
}

const since = (time: string | null | undefined, now: number): string => {
  const at = parseTime(time ?? '');
  return at === undefined ? '' : `, for ${ageText(now - at)}`;
};

const conditionTone = ({ type, status }: Condition): Tone | undefined => {
  const isGood = status === (type === 'Ready' ? 'True' : 'False');
  return isGood || !/^(Ready|.*Pressure|NetworkUnavailable)$/.test(type) ? undefined : 'bad';
};

const conditionLines = (condition: Condition, now: number, columns: number): readonly Line[] => {
  const { type, status, reason = '', message = '', lastTransitionTime } = condition;
  const text = `  ${type}=${status}${since(lastTransitionTime, now)}  ${reason}: ${message}`;
  return wrapped(printable(text), columns, conditionTone(condition));
};

type Instant = Pick<RollCall, 'now' | 'isPast'>;

const podLine = (pod: Pod, { evictions }: NodeLine, { now, isPast }: Instant): Line => {
  const name = printable(pod.metadata.name);
  const namespace = printable(pod.metadata.namespace ?? '');
  const leaves = evictions.find((one) => one.name === name && one.namespace === namespace);
  const first = `  ${namespace}/${name}  ${printable(pod.status?.phase ?? 'Pending')}`;
  if (leaves && !isPast)
    return [
      { text: first },
      { text: `  leaves ${untilText(leaves.fireAt, now)}: ${leaves.reason}`, tone: 'warning' },
    ];
  if (!isLeaving(pod)) return lineOf(first);
  return [
    { text: first },
    { text: `  is leaving${since(pod.metadata.deletionTimestamp, now)}`, tone: 'notice' },
  ];
};

/** Sources stand in a column of their own where there is room; here they follow the text. */
const explanationLines = (text: string, columns: number): readonly Line[] =>
  wrapped(`  ${text.replace(/(?<=\S) {2,}(?=\()/, '  ')}`, columns, /^\S/.test(text) ? 'notice' : undefined);

const section = (title: string, lines: readonly Line[]): readonly Line[] =>
  lines.length === 0 ? [] : [lineOf(''), lineOf(title, 'strong'), ...lines];

const headOf = (line: NodeLine, config: Monitoring, now: number): Line => {
  const words = marksOf(line, now, config).flatMap((mark): Piece[] => [
    { text: '  ' },
    { text: MARKS[mark].word, tone: MARKS[mark].tone },
  ]);
  const beat =
    line.beatAt === undefined ? 'last beat not seen' : `last beat ${ageText(now - line.beatAt)} ago`;
  return [
    { text: `node ${line.name}`, tone: 'strong' },
    { text: ` in zone ${line.zone}` },
    ...words,
    { text: `  ${beat}` },
  ];
};

/** The page of an open node at an instant. */
export const nodePageLines = (
  { node, line, pods, explanation }: OpenNode,
  config: Monitoring,
  instant: Instant,
  columns: number,
): readonly Line[] => {
  const { now } = instant;
  const taints = taintsOf(node).map(({ key, value, effect, timeAdded }) =>
    lineOf(printable(`  ${key}${value ? `=${value}` : ''}:${effect}${since(timeAdded, now)}`), 'warning'),
  );
  const leavingFirst = pods.toSorted((a, b) => Number(isLeaving(b)) - Number(isLeaving(a)));
  return [
    headOf(line, config, now),
    ...section('Taints', taints),
    ...section(
      'Explanation',
      explanation.flatMap((text) => explanationLines(text, columns)),
    ),
    ...section(
      'Conditions',
      (node.status?.conditions ?? []).flatMap((one) => conditionLines(one, now, columns)),
    ),
    ...section(
      'Pods',
      leavingFirst.map((pod) => podLine(pod, line, instant)),
    ),
  ];
};
