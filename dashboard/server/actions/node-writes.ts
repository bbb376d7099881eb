/** The two writes that actions make. Each is for the Node in one state only. */

import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import { type NodeAction, withAction } from '../../../shared/rules/node-actions/node-action.ts';
import { type ApiAnswer, type ApiDeps, answered, createSend } from '../requests/requests.ts';

/** The writes, with the token of a node operator, which leaves this process for the API only. */
export interface NodeWrites {
  /** Changes the Node as the action says, if it is still as it was read. */
  patch(node: Node, action: NodeAction): Promise<ApiAnswer>;
  /** Asks for a drain, if the Node is still as it was read. */
  drain(node: Node, spec: JsonObject): Promise<ApiAnswer>;
}

const MANAGER = 'fieldManager=rollcall-dashboard';

const meant = ({ metadata }: Node): object => {
  const { name, uid, resourceVersion } = metadata;
  return { name, uid, resourceVersion };
};

/** Members that the action leaves as they are must not be sent; `null` removes one. */
const changedSpec = (node: Node, action: NodeAction): object => {
  const { unschedulable = null, taints = null } = withAction(node, action).spec ?? {};
  return action.kind === 'cordon' || action.kind === 'uncordon' ? { unschedulable } : { taints };
};

export const createNodeWrites = (deps: ApiDeps): NodeWrites => {
  const send = createSend(deps);
  const write = (method: string, path: string, type: string, body: object): Promise<ApiAnswer> =>
    answered(send(method, path, { body: Buffer.from(JSON.stringify(body)), type }));
  return {
    patch: (node, action) =>
      write('PATCH', `/api/v1/nodes/${node.metadata.name}?${MANAGER}`, 'application/merge-patch+json', {
        metadata: meant(node),
        spec: changedSpec(node, action),
      }),
    drain: (node, spec) =>
      write('POST', `/api/v1/nodes/${node.metadata.name}/drain`, 'application/json', {
        kind: 'NodeDrain',
        apiVersion: 'rollcall.dev/v1',
        metadata: meant(node),
        spec,
      }),
  };
};
