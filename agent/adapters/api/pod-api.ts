/** The pods of this machine at the API server. */

import type { PodApi } from '../../ports/api/pod-api.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import { type ApiSession, bodyIfThere, bodyOf } from './session.ts';

const pathOf = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;

export const createPodApi = ({ request }: ApiSession): PodApi => ({
  get: async (namespace, name) => bodyIfThere<AgentPod>(await request('GET', pathOf(namespace, name))),
  patchStatus: async (namespace, name, patch) => {
    const path = `${pathOf(namespace, name)}/status`;
    return bodyOf<AgentPod>(await request('PATCH', path, { body: patch, isStrategic: true }));
  },
  delete: async (namespace, name, uid) => {
    const body = { gracePeriodSeconds: 0, preconditions: { uid } };
    const answer = await request('DELETE', pathOf(namespace, name), { body });
    // 409: there is another pod of this name, so this one has gone.
    if (answer.status !== 409) bodyIfThere(answer);
  },
});
