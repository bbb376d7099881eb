import { checkNodeToken } from '../../kinds/admission/node-restriction.ts';
import { nodeNameOf } from '../../kinds/contract/user.ts';
import type { Call } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';

/**
 * For a node that creates a pod: the call with the uid of its Node, which the pod's owner reference must carry.
 * Other calls are returned unchanged. Throws 401 when the node's token was issued for another Node.
 */
export const withOwnNode = async (call: Call, { objects }: Pick<ApiServerDeps, 'objects'>): Promise<Call> => {
  const self = nodeNameOf(call.user);
  if (self === undefined || call.info.group !== '' || call.info.resource !== 'pods') return call;
  const row = await objects.read({ resource: 'nodes', namespace: '', name: self });
  const node = row?.state === 'live' ? row.object : undefined;
  checkNodeToken(call.user, node);
  return node?.metadata.uid === undefined
    ? call
    : { ...call, user: { ...call.user, nodeUid: node.metadata.uid } };
};
