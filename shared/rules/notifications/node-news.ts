/** What a change of a Node is worth telling. */
import type { Node } from '../../kube/types/core.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { DRAIN_IN_PROGRESS, DRAINED, READY } from '../../kube/types/well-known.ts';
import { parseTime } from '../../kube/values/time.ts';
import type { EventType, Severity } from '../../settings/events/event-types.ts';
import { drainReason } from '../drain/drain-progress.ts';
import { readyOf, readyStatusOf } from '../nodes/node-conditions.ts';
import { hasTaint, taintsOf } from '../nodes/taints.ts';
import { isLeaving as leaves } from '../shutdown/shutting-down-node.ts';

/** News about a node; `more`: the fields of the type. */
export interface NodeNews {
  readonly type: EventType;
  readonly severity: Severity;
  readonly message: string;
  readonly time?: string | undefined;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A new machine is not ready at first: the end of that was nobody's need. */
const BEGINNING_MS = 60_000;

/** Reasons of a drain that does not go on without a person. */
const STUCK: ReadonlySet<string> = new Set((['invalid', 'gaveUp', 'refused'] as const).map(drainReason));

const isLeaving = (node: Node | undefined): boolean => node !== undefined && leaves(node);

const instantOf = (text: string | undefined): number => (text === undefined ? 0 : (parseTime(text) ?? 0));

const wasBeginning = (node: Node): boolean =>
  instantOf(readyOf(node)?.lastTransitionTime) <= instantOf(node.metadata.creationTimestamp) + BEGINNING_MS;

const timeOf = (node: Node): string | undefined => readyOf(node)?.lastTransitionTime;

const silentSeconds = (was: Node, is: Node): number =>
  Math.max(0, Math.round((instantOf(timeOf(is)) - instantOf(timeOf(was))) / 1000));

const becameReady = (name: string, was: Node | undefined, is: Node): readonly NodeNews[] => {
  const before = was && readyStatusOf(was);
  const isOver = was !== undefined && before === 'False' && !wasBeginning(was);
  const time = timeOf(is);
  const more = { status: 'True' };
  const ready: NodeNews = {
    type: 'NodeReady',
    severity: isOver ? 'resolved' : 'info',
    time,
    more,
    message: `node ${name} is ready`,
  };
  if (was === undefined || before !== 'Unknown') return [ready];
  const seconds = silentSeconds(was, is);
  return [
    ready,
    {
      type: 'NodeReturned',
      severity: 'resolved',
      time,
      more: { silentSeconds: seconds },
      message: `node ${name} answers again after ${seconds} s`,
    },
  ];
};

const becameUnready = (name: string, was: Node | undefined, is: Node): readonly NodeNews[] => {
  const status = readyStatusOf(is);
  const time = timeOf(is);
  const isExpected = isLeaving(was) || isLeaving(is);
  const isWorse = was !== undefined && readyStatusOf(was) === 'True' && status === 'False' && !isExpected;
  const notReady: NodeNews = {
    type: 'NodeNotReady',
    severity: isWorse ? 'warning' : 'info',
    time,
    more: { status },
    message: `node ${name} is not ready: its Ready is ${status}`,
  };
  if (status !== 'Unknown' || was === undefined) return [notReady];
  return [
    notReady,
    {
      type: 'NodeLost',
      severity: isExpected ? 'info' : 'warning',
      time,
      message: `node ${name} does not answer any more`,
    },
  ];
};

const readiness = (name: string, was: Node | undefined, is: Node): readonly NodeNews[] => {
  const [before, after] = [was && readyStatusOf(was), readyStatusOf(is)];
  if (after === undefined || before === after) return [];
  return after === 'True' ? becameReady(name, was, is) : becameUnready(name, was, is);
};

const shutdown = (name: string, was: Node | undefined, is: Node): readonly NodeNews[] =>
  isLeaving(is) && !isLeaving(was)
    ? [
        {
          type: 'NodeShuttingDown',
          severity: 'info',
          message: `the machine of node ${name} is shutting down`,
        },
      ]
    : [];

const missingFrom = (node: Node | undefined, among: Node): readonly string[] =>
  taintsOf(among)
    .filter((taint) => !node || !hasTaint(taintsOf(node), taint))
    .map(({ key, effect }) => `${key}:${effect}`);

const tainting = (name: string, was: Node | undefined, is: Node): readonly NodeNews[] => {
  const [added, removed] = [missingFrom(was, is), was ? missingFrom(is, was) : []];
  const news = (type: EventType, taints: readonly string[], words: string): readonly NodeNews[] => {
    const message = `node ${name} ${words} ${taints.join(', ')}`;
    return taints.length === 0 ? [] : [{ type, severity: 'info', message, more: { taints } }];
  };
  return [...news('NodeTainted', added, 'got'), ...news('NodeUntainted', removed, 'lost')];
};

const conditionIn = (node: Node | undefined, type: string): Condition | undefined =>
  node?.status?.conditions?.find((one) => one.type === type);

const draining = (name: string, was: Node | undefined, is: Node): readonly NodeNews[] => {
  const [before, after] = [conditionIn(was, DRAINED), conditionIn(is, DRAINED)];
  const time = after?.lastTransitionTime;
  if (after?.status === 'True' && before?.status !== 'True')
    return [{ type: 'NodeDrained', severity: 'resolved', message: `node ${name} is drained`, time }];
  const reason = conditionIn(is, DRAIN_IN_PROGRESS)?.reason ?? '';
  if (!STUCK.has(reason) || conditionIn(was, DRAIN_IN_PROGRESS)?.reason === reason) return [];
  const message = `the drain of node ${name} does not go on: ${after?.message ?? reason}`;
  return [{ type: 'NodeDrainStuck', severity: 'warning', message, more: { reason } }];
};

/** Whether the Node that goes was a need of somebody. */
const wasLost = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === READY && status === 'Unknown') === true;

/** All news of a change of a Node; `was` or `is` is absent if it was created or deleted. */
export const nodeNews = (name: string, was: Node | undefined, is: Node | undefined): readonly NodeNews[] => {
  if (!is) {
    const severity = wasLost(was) ? 'resolved' : 'info';
    return [{ type: 'NodeRemoved', severity, message: `node ${name} was removed` }];
  }
  const time = is.metadata.creationTimestamp;
  const registered: NodeNews = {
    type: 'NodeRegistered',
    severity: 'info',
    time,
    message: `node ${name} was registered`,
  };
  return [
    ...(was ? [] : [registered]),
    ...readiness(name, was, is),
    ...shutdown(name, was, is),
    ...tainting(name, was, is),
    ...draining(name, was, is),
  ];
};
