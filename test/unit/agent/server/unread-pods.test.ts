import { expect, it } from 'vitest';
import type { ServedPods } from '../../../../agent/ports/pods/served-pods.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { createLogHandler } from '../../../../agent/server/serve-logs.ts';

const POD: AgentPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'web', uid: 'u' },
  spec: { containers: [{ name: 'c' }] },
  status: { phase: 'Pending' },
};

/** What a reader of logs is answered whose pod the agent has not read. */
const answerTo = (read: ServedPods['read'], container = 'c') => {
  const pods = { find: () => undefined, read } as unknown as ServedPods;
  const clock = { now: () => 0, sleep: async () => {} };
  const upgrade = { query: new URLSearchParams(), signal: new AbortController().signal };
  const path = { kind: 'logs', namespace: 'default', pod: 'web', container } as const;
  return createLogHandler({ pods, clock })(upgrade as never, path);
};

it.each<[string, ServedPods['read'], string, object]>([
  [
    'waits to start',
    async () => POD,
    'c',
    { status: 400, message: 'container "c" in pod "web" is waiting to start: ContainerCreating' },
  ],
  [
    'waits for its init containers',
    async () => ({ ...POD, spec: { ...POD.spec, initContainers: [{ name: 'i' }] } }),
    'c',
    { status: 400, message: 'container "c" in pod "web" is waiting to start: PodInitializing' },
  ],
  [
    'has no such container',
    async () => POD,
    'd',
    { status: 404, message: 'container "d" not found in pod "web"' },
  ],
  ['is not there', async () => undefined, 'c', { status: 404, message: 'pod "web" does not exist' }],
  [
    'cannot be read',
    async () => Promise.reject(new Error('forbidden')),
    'c',
    { status: 404, message: 'pod "web" does not exist' },
  ],
])('a pod that the agent has not read yet %s', async (_, read, container, expected) => {
  await expect(answerTo(read, container)).rejects.toMatchObject(expected);
});
