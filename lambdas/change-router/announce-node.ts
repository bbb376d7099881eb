import type { Node } from '../../shared/kube/types/core.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { nodeTarget } from '../../shared/ports/process/event-recorder.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { taintsOf } from '../../shared/rules/nodes/taints.ts';
import type { LifecycleEvent } from '../../shared/rules/notifications/lifecycle-event.ts';
import { nodeNews } from '../../shared/rules/notifications/node-news.ts';
import { zoneKeyOf, zoneNameOf } from '../../shared/rules/zones/zone-names.ts';
import { sameJson } from '../../shared/store/commit/object-diff.ts';
import type { Step } from '../contract/step.ts';
import type { Announced, Notice } from './change.ts';
import { idOf } from './change.ts';
import { registeredNode, removingNode } from './events.ts';

const nodeOf = (row: LiveRow | undefined): Node | undefined => row?.object;

const lifecycle = (step: Step): readonly LifecycleEvent[] => {
  const { name } = step.key;
  const [was, is] = [nodeOf(step.before), nodeOf(step.after)];
  const labels = (is ?? was)?.metadata.labels ?? {};
  const zone = zoneNameOf(zoneKeyOf(labels));
  return nodeNews(name, was, is).map(({ type, severity, message, time, more }) => ({
    detailType: type,
    detail: {
      ...more,
      id: idOf(step),
      node: name,
      uid: step.uid,
      zone,
      severity,
      message,
      ...optional('time', time),
    },
    labels,
  }));
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
