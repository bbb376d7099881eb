import { bootIdOf } from '../../shared/kube/values/boot-id.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { hasOutOfServiceTaint, isOutOfService } from '../../shared/rules/nodes/out-of-service.ts';
import type { FormerNode } from '../../shared/rules/pods/former-node.ts';
import { isTerminated } from '../../shared/rules/pods/terminated-pods.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../contract/step.ts';
import type { PodGcMessage } from './message.ts';

type Messages = readonly Outgoing<PodGcMessage>[];

const isOut = (row: LiveRow | undefined): boolean => row !== undefined && isOutOfService(row.object);
const isTainted = (row: LiveRow | undefined): boolean =>
  row !== undefined && hasOutOfServiceTaint(row.object);

const formerOf = ({ uid, object }: LiveRow): FormerNode => ({ uid, bootId: bootIdOf(object) });

/** A ready node that gets the taint has to be warned of. A new Node may be one that was made again. */
const ofNode = ({ key: { name }, before, after }: Step): Messages => {
  const isAnother = before?.uid !== after?.uid;
  const isNews = (isOut(after) && !isOut(before)) || (isTainted(after) && !isTainted(before));
  if (!isAnother && !isNews) return [];
  const former = isAnother && before ? { former: formerOf(before) } : {};
  return [{ body: { v: 1, kind: 'node', name, ...former } }];
};

const isTerminating = (row: LiveRow | undefined): boolean =>
  row?.object.metadata.deletionTimestamp !== undefined;

const hasEnded = (row: LiveRow | undefined): boolean => {
  const pod = podOf(row);
  return pod !== undefined && isTerminated(pod);
};

/**
 * Seconds for which a terminating pod is left to whoever stops it or holds it. A Job must let go of its pods before they become Failed, or
 * they would count. Most pods are gone by then and cost no look at their node.
 */
const TIME_TO_LET_GO = { onNode: 2, withoutNode: 5 };

const ofOnePod = (step: Step): Messages => {
  const { key, uid, before, after } = step;
  const { namespace, name } = key;
  const body = { v: 1, kind: 'pod', namespace, name, uid } as const;
  if (isNewlyBound(step)) return [{ body }];
  if (!isTerminating(after) || isTerminating(before)) return [];
  const { onNode, withoutNode } = TIME_TO_LET_GO;
  return [{ body, delaySeconds: nodeNameOf(after) === '' ? withoutNode : onNode }];
};

const ofPod = (step: Step): Messages => {
  const { before, after } = step;
  const ended: Messages =
    hasEnded(after) && !hasEnded(before) ? [{ body: { v: 1, kind: 'terminated' } }] : [];
  return [...ofOnePod(step), ...ended];
};

/**
 * Messages for Nodes that are new or go, or are out of service from now on, and for pods that are bound, begin to terminate or end. A resync of nodes
 * sends none: the sweep looks at all of them.
 */
export const routing: Routing<PodGcMessage> = {
  route: (step) => {
    if (step.key.resource === 'nodes') return ofNode(step);
    return step.key.resource === 'pods' ? ofPod(step) : [];
  },
  resync: async () => [],
};
