import { expect, it } from 'vitest';
import { ApiRefusal } from '../../../../agent/adapters/api/session.ts';
import type { ContainerStreams } from '../../../../agent/ports/machine/container-streams.ts';
import type { ServedPods } from '../../../../agent/ports/pods/served-pods.ts';
import { servedPods } from '../../../../agent/program/served-pods.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { createLogHandler } from '../../../../agent/server/serve-logs.ts';
import { createUpgradeHandler } from '../../../../agent/server/serve-streams.ts';

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
  [
    'is not there',
    async () => undefined,
    'c',
    { status: 404, reason: 'NotFound', message: 'pod "web" does not exist' },
  ],
  [
    'cannot be read',
    async () => Promise.reject(new Error('no answer')),
    'c',
    { status: 404, reason: 'PodNotReadYet', message: 'pod "web" has not been read yet: no answer' },
  ],
])('a pod that the agent has not read yet %s', async (_, read, container, expected) => {
  await expect(answerTo(read, container)).rejects.toMatchObject(expected);
});

const RUNNING = {
  ...POD,
  status: {
    phase: 'Running' as const,
    containerStatuses: [
      {
        name: 'c',
        image: '',
        imageID: '',
        ready: true,
        restartCount: 0,
        containerID: 'test://1',
        state: { running: {} },
      },
    ],
  },
};

/** What is asked of the runtime by a session with a pod that the agent has not read, or why not. */
const session = async (kind: 'exec' | 'portForward', read: ServedPods['read']): Promise<unknown> => {
  const asked = (id: string) => Promise.reject(new Error(`asked for ${id}`));
  const pods = { find: () => undefined, read, streams: { exec: asked, forward: asked } };
  const upgrade = {
    query: new URLSearchParams('command=x&output=1&ports=80'),
    path: { kind, namespace: 'default', pod: 'web', container: 'c' },
  };
  return await createUpgradeHandler({ pods: pods as unknown as ServedPods })(upgrade as never).catch(
    (error: unknown) => error,
  );
};

it('a session reaches a pod that runs, although the agent has not read it since its start', async () => {
  expect(await session('exec', async () => RUNNING)).toMatchObject({ message: 'asked for test://1' });
  expect(await session('portForward', async () => RUNNING)).toMatchObject({ message: 'asked for u' });
});

it.each(['exec', 'portForward'] as const)('%s: what is not known of a pod is not a no', async (kind) => {
  const unknown = await session(kind, async () => Promise.reject(new Error('no answer')));
  expect(unknown).toMatchObject({ status: 404, reason: 'PodNotReadYet' });
  const none = await session(kind, async () => undefined);
  expect(none).toMatchObject({ status: 404, reason: 'NotFound', message: 'pod "web" does not exist' });
});

it('a pod that the API does not show this node is not there, and one that cannot be asked for is not known', async () => {
  const servedBy = (fault: Error) => {
    const api = { get: async () => Promise.reject(fault) };
    const runtime = { pod: async () => undefined, onChange: () => () => {}, streams: {} as ContainerStreams };
    return servedPods(runtime, { find: () => undefined }, api).served?.read('default', 'web');
  };
  await expect(servedBy(new ApiRefusal({ status: 403, body: {} }))).resolves.toBeUndefined();
  await expect(servedBy(new ApiRefusal({ status: 503, body: {} }))).rejects.toThrow('503');
  await expect(servedBy(new Error('no answer'))).rejects.toThrow('no answer');
});
