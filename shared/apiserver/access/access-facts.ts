import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import type { AccessFacts } from './access.ts';

interface Attachment extends ApiObject {
  readonly spec?: { readonly nodeName?: string };
}

/**
 * The facts that authorization looks up in the stores. Pods of a node come from an index that may lag a moment
 * behind, like the graph of Kubernetes' node authorizer: kubelets retry.
 */
export const accessFacts = (
  { objects }: Pick<HeartbeatServerDeps, 'objects'>,
  fieldSelector: string,
): AccessFacts => ({
  fieldSelector,
  nodeOfPod: async (namespace, name) => {
    const row = await objects.read({ resource: 'pods', namespace, name });
    return row?.state === 'live' ? row.facts.pod?.nodeName : undefined;
  },
  podsOfNode: async (node) => {
    const { value } = await objects.podsByNode(node);
    return value.map(({ object }) => object as Pod);
  },
  nodeOfAttachment: async (name) => {
    const row = await objects.read({ resource: 'volumeattachments', namespace: '', name });
    return row?.state === 'live' ? (row.object as Attachment).spec?.nodeName : undefined;
  },
});
