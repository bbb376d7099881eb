import type { Node, Taint } from '../../shared/api/core.ts';
import { hasTaint, taintsOf } from '../../shared/domain/nodes/taints.ts';
import type { LifecycleEvent } from '../../shared/ports/event-bus.ts';
import { nodeTarget } from '../../shared/ports/event-recorder.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { sameJson } from '../../shared/state/object-diff.ts';
import type { Step } from '../step.ts';
import type { Announced, Notice } from './change.ts';
import { idOf } from './change.ts';
import { registeredNode, removingNode } from './events.ts';

const NO_TAINTS: readonly Taint[] = [];

const nodeOf = (row: LiveRow | undefined): Node | undefined => row?.object;

const lifecycleEvent = (
  step: Step,
  detailType: LifecycleEvent['detailType'],
  detail: Readonly<Record<string, unknown>> = {},
): LifecycleEvent => ({
  detailType,
  detail: { ...detail, id: idOf(step), node: step.key.name, uid: step.uid },
});

const readiness = (step: Step): readonly LifecycleEvent[] => {
  const [was, is] = [step.before?.facts.node?.ready, step.after?.facts.node?.ready];
  if (is === undefined || was === is) return [];
  return [lifecycleEvent(step, is === 'True' ? 'NodeReady' : 'NodeNotReady', { status: is })];
};

const missingFrom = (taints: readonly Taint[], among: readonly Taint[]): readonly string[] =>
  among.filter((taint) => !hasTaint(taints, taint)).map(({ key, effect }) => `${key}:${effect}`);

const taintEvents = (step: Step, was: readonly Taint[], is: readonly Taint[]): readonly LifecycleEvent[] => {
  const [added, removed] = [missingFrom(was, is), missingFrom(is, was)];
  return [
    ...(added.length > 0 ? [lifecycleEvent(step, 'NodeTainted', { taints: added })] : []),
    ...(removed.length > 0 ? [lifecycleEvent(step, 'NodeUntainted', { taints: removed })] : []),
  ];
};

const lifecycle = (step: Step): readonly LifecycleEvent[] => {
  const [was, is] = [nodeOf(step.before), nodeOf(step.after)];
  if (!is) return [lifecycleEvent(step, 'NodeRemoved')];
  return [
    ...(was ? [] : [lifecycleEvent(step, 'NodeRegistered')]),
    ...readiness(step),
    ...taintEvents(step, was ? taintsOf(was) : NO_TAINTS, taintsOf(is)),
  ];
};

/** Kubernetes' controller compares with the nodes that it knows. Here, the rows before and after the change show the same. */
const notices = ({ key: { name }, uid, before, after }: Step): readonly Notice[] => {
  if (before && after) return [];
  const target = nodeTarget(name, uid);
  return after
    ? [{ target, text: registeredNode(name), occasion: 'registered' }]
    : [{ target, text: removingNode(name), occasion: 'removed' }];
};

/** Whether the agent on the node has to act on the change: yes for a cordon or a taint, no for the node's own status. */
const hasWork = ({ before, after }: Step): boolean => {
  const [was, is] = [nodeOf(before), nodeOf(after)];
  if (!was || !is) return false;
  return (
    (was.spec?.unschedulable === true) !== (is.spec?.unschedulable === true) ||
    !sameJson(taintsOf(was), taintsOf(is))
  );
};

/** The lifecycle events, `core/v1` Events and work that a change of a Node causes. */
export const announceNode = (step: Step): Announced => ({
  lifecycle: lifecycle(step),
  notices: notices(step),
  workFor: hasWork(step) ? [step.key.name] : [],
});
