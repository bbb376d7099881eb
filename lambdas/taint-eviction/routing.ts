import { sameJson } from '../../shared/store/commit/object-diff.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { isNewlyBound, nodeNameOf, podOf, type Step } from '../contract/step.ts';
import type { TaintEvictionMessage } from './message.ts';

type Messages = readonly Outgoing<TaintEvictionMessage>[];

/** `noExecute` includes when each taint was added, so a taint that was removed and added again counts as a change. */
const ofNode = ({ key, before, after }: Step): Messages => {
  const [was, is] = [before?.facts.node?.noExecute ?? [], after?.facts.node?.noExecute ?? []];
  const hasEnded = before?.facts.node?.shutdown !== undefined && after?.facts.node?.shutdown === undefined;
  // The taints of a node that shuts down begin to count with its end.
  const isNews = !sameJson(was, is) || (hasEnded && is.length > 0);
  return isNews ? [{ body: { v: 1, kind: 'node', name: key.name } }] : [];
};

const isRetolerated = ({ before, after }: Step): boolean =>
  before !== undefined &&
  nodeNameOf(after) !== '' &&
  !sameJson(podOf(before)?.spec.tolerations ?? [], podOf(after)?.spec.tolerations ?? []);

const ofPod = (step: Step): Messages => {
  const { namespace, name } = step.key;
  return isNewlyBound(step) || isRetolerated(step)
    ? [{ body: { v: 1, kind: 'pod', namespace, name, uid: step.uid } }]
    : [];
};

/**
 * Messages for nodes whose NoExecute taints changed, and for pods that were bound or got other tolerations. A resync sends none
 * for a node without such a taint: if its pods still have deadlines, the sweep finds them when they are due.
 */
export const routing: Routing<TaintEvictionMessage> = {
  route: (step) => {
    if (step.key.resource === 'nodes') return ofNode(step);
    return step.key.resource === 'pods' ? ofPod(step) : [];
  },
  resync: async ({ health: { name, noExecute } }) =>
    noExecute.length > 0 ? [{ body: { v: 1, kind: 'node', name } }] : [],
};
