import type { Node } from '../../shared/kube/types/core.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { podCidrsOf } from '../../shared/rules/addresses/node-blocks.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import type { Step } from '../contract/step.ts';
import type { NodeIpamMessage } from './message.ts';

type Messages = readonly Outgoing<NodeIpamMessage>[];

const gone = ({ key: { name }, uid, object }: LiveRow): Messages => {
  const node: Node = object;
  const podCidrs = [...podCidrsOf(node)];
  return podCidrs.length === 0 ? [] : [{ body: { v: 1, kind: 'gone', name, uid, podCidrs } }];
};

/** A Node that is deleted and made again in one change is both. */
const ofNode = ({ key: { name }, before, after }: Step): Messages => {
  if (before?.uid === after?.uid) return [];
  return [
    ...(before ? gone(before) : []),
    ...(after ? [{ body: { v: 1, kind: 'node', name, uid: after.uid } } as const] : []),
  ];
};

/** Messages for Nodes that come and go. The sweep makes up for lost ones, so a resync sends none. */
export const routing: Routing<NodeIpamMessage> = {
  route: (step) => (step.key.resource === 'nodes' ? ofNode(step) : []),
  resync: async () => [],
  matters: (_, { hasClusterCidr }) => hasClusterCidr,
};
