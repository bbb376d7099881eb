/** The API's copies of static pods. */
import { isMirrorPod } from '../../../shared/rules/pods/mirror-pod.ts';
import type { MirrorApi } from '../../ports/api/mirror-api.ts';
import type { PodApi } from '../../ports/api/pod-api.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import { type ApiSession, bodyOf } from './session.ts';

/** The list has no `kind` and `apiVersion` in its items. */
interface PodList {
  readonly items: readonly AgentPod[];
}

export const createMirrorApi = (
  { request }: Pick<ApiSession, 'request'>,
  pods: Pick<PodApi, 'delete'>,
  nodeName: string,
): MirrorApi => ({
  delete: pods.delete,
  mirrors: async () => {
    const selector = encodeURIComponent(`spec.nodeName=${nodeName}`);
    const { items } = bodyOf<PodList>(await request('GET', `/api/v1/pods?fieldSelector=${selector}`));
    return items.filter(isMirrorPod);
  },
  create: async (pod) => {
    const namespace = encodeURIComponent(pod.metadata.namespace ?? 'default');
    return bodyOf<AgentPod>(await request('POST', `/api/v1/namespaces/${namespace}/pods`, { body: pod }));
  },
});
