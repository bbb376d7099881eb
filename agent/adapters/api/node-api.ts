/** The Node of this machine at the API server. */
import type { Node } from '../../../shared/kube/types/core.ts';
import type { NodeApi } from '../../ports/api/node-api.ts';
import type { NodeRegistry } from '../../ports/api/node-registry.ts';
import type { ReportedNode } from '../../rules/node/reported-status.ts';
import { ApiRefusal, type ApiSession, bodyIfThere, bodyOf } from './session.ts';

const NODES = '/api/v1/nodes';
/** The path of a Node. */
export const nodePath = (name: string): string => `${NODES}/${encodeURIComponent(name)}`;

export const createNodeRegistry = ({ request }: ApiSession): NodeRegistry => ({
  create: async (node) => {
    const answer = await request('POST', NODES, { body: node });
    if (answer.status < 300) return 'created';
    const refusal = new ApiRefusal(answer);
    if (answer.status === 403) return { forbidden: refusal.message };
    if (refusal.reason === 'AlreadyExists') return 'exists';
    throw refusal;
  },
  get: async (name) => bodyIfThere<Node>(await request('GET', nodePath(name))),
  patchStatus: async (name, patch) => {
    bodyOf(await request('PATCH', `${nodePath(name)}/status`, { body: patch, isStrategic: true }));
  },
});

export interface OwnNodeApi extends NodeApi {
  /** The Node as it was last read or written, however long ago. */
  seen(): ReportedNode | undefined;
  /** Makes `known` ask again: somebody else may have changed the Node. */
  forget(): void;
}

/** The Node as it was last read or written. `onSeen` takes what the API says of it, each time. */
export const createNodeApi = (
  { request }: ApiSession,
  name: string,
  onSeen: (node: ReportedNode) => void = () => undefined,
): OwnNodeApi => {
  let seen: ReportedNode | undefined;
  let isKnown = false;
  const remember = (node: ReportedNode): ReportedNode => {
    seen = node;
    isKnown = true;
    onSeen(node);
    return node;
  };
  const get = async (): Promise<ReportedNode> =>
    remember(bodyOf<ReportedNode>(await request('GET', nodePath(name))));
  return {
    get,
    known: async () => (isKnown && seen ? seen : await get()),
    seen: () => seen,
    forget: () => {
      isKnown = false;
    },
    patchStatus: async (patch) => {
      const answer = await request('PATCH', `${nodePath(name)}/status`, { body: patch, isStrategic: true });
      return remember(bodyOf<ReportedNode>(answer));
    },
  };
};
