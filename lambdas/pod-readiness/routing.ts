import type { Outgoing, Routing } from '../controller.ts';
import { isNewlyBound, type Step } from '../step.ts';
import type { PodReadinessMessage } from './message.ts';

/** Seconds until the pods of a silenced node are searched a second time, because the index of pods may lag. */
const SECOND_LOOK_SECONDS = 10;

type Messages = readonly Outgoing<PodReadinessMessage>[];

const isNewlySilenced = ({ before, after }: Step): boolean =>
  after?.facts.node?.silenced === true && before?.facts.node?.silenced !== true;

const ofNode = (step: Step): Messages => {
  if (!isNewlySilenced(step)) return [];
  const body = { v: 1, kind: 'node', name: step.key.name, uid: step.uid } as const;
  return [{ body }, { body, delaySeconds: SECOND_LOOK_SECONDS }];
};

const ofPod = (step: Step): Messages => {
  const { namespace, name } = step.key;
  return isNewlyBound(step) ? [{ body: { v: 1, kind: 'pod', namespace, name, uid: step.uid } }] : [];
};

/**
 * Messages for nodes that the monitor silenced, which only the node's own row says and not the index, and for newly bound pods.
 */
export const routing: Routing<PodReadinessMessage> = {
  route: (step) => {
    if (step.key.resource === 'nodes') return ofNode(step);
    return step.key.resource === 'pods' ? ofPod(step) : [];
  },
  resync: async ({ health: { name, ready }, read }) => {
    const row = ready === 'Unknown' ? await read() : undefined;
    return row?.facts.node?.silenced === true ? [{ body: { v: 1, kind: 'node', name, uid: row.uid } }] : [];
  },
};
