/** A real agent on a real host has containerd pull from a registry that asks for credentials. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { type Containerd, startContainerd } from '../../../support/cri/containerd.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';
import { type Registry, startRegistry } from '../../../support/cri/registry.ts';

const missing = missingForCluster() ?? missingForContainerd();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

const PATIENCE_MS = 90_000;
const PASSWORD = 'hunter2';
const LOOPBACK = { cniVersion: '0.4.0', name: 'lo', plugins: [{ type: 'loopback' }] };

interface ContainerState {
  readonly state: { readonly waiting?: { readonly reason: string; readonly message?: string } };
  readonly imageID: string;
}

const podOf = (name: string, image: string, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    hostNetwork: true,
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'c', image, args: ['sleep 100000'] }],
    ...spec,
  },
});

const secretOf = (name: string, host: string, password: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  type: 'kubernetes.io/dockerconfigjson',
  stringData: {
    '.dockerconfigjson': JSON.stringify({ auths: { [host]: { username: 'user', password } } }),
  },
});

const classOf = (name: string, handler: string) => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name },
  handler,
});

describe.skipIf(missing !== undefined)(`images of pods${missing ? ` (${missing})` : ''}`, () => {
  let containerd: Containerd;
  let registry: Registry;
  let here: ClusterHere;
  let agent: AgentHere;
  const entrypoint = ['/bin/sh', '-c'];

  const pod = async (name: string): Promise<Pod | undefined> =>
    (await here.host.pods()).find(({ metadata }) => metadata.name === name);
  const container = async (name: string): Promise<ContainerState | undefined> =>
    ((await pod(name))?.status?.['containerStatuses'] as readonly ContainerState[] | undefined)?.[0];
  const running = (name: string): Promise<unknown> =>
    here.seen(
      `${name} runs`,
      PATIENCE_MS,
      async () => (await pod(name))?.status?.phase === 'Running' && (await container(name)),
    );
  const waiting = (name: string, reason: string) =>
    here.seen(`${name} waits: ${reason}`, PATIENCE_MS, async () => {
      const state = (await container(name))?.state.waiting;
      return state?.reason === reason && state;
    });
  const told = (name: string, reason: string) =>
    here.seen(`${name} has the event ${reason}`, PATIENCE_MS, async () => {
      const fields = `involvedObject.name=${name},reason=${reason}`;
      const text = await here.kubectl(
        'get',
        'events',
        '--field-selector',
        fields,
        '-o',
        'jsonpath={.items[*].message}',
      );
      return text !== '' && text;
    });

  beforeAll(async () => {
    containerd = await startContainerd({ networks: { '10-loopback.conflist': LOOPBACK } });
    registry = await startRegistry({ auth: 'token', password: PASSWORD });
    here = await startClusterHere();
    agent = here.agent('m1', {
      flags: ['--container-runtime-endpoint', containerd.endpoint],
      config: ['resolvConf: /etc/resolv.conf'],
    });
    agent.start();
    await here.seen('m1 is ready', PATIENCE_MS, async () => {
      const { status } = await here.host.get<Node>('/api/v1/nodes/m1');
      return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
    });
  }, 3 * PATIENCE_MS);

  afterAll(async () => {
    await here?.kubectl('delete', 'pods', '--all', '--wait=false');
    await here?.seen('no pod is left', PATIENCE_MS, async () => (await here.host.pods()).length === 0);
    await here?.close();
    await registry?.close();
    await containerd?.close();
  }, 2 * PATIENCE_MS);

  it(
    'J-171 are pulled with the Secret of the pod, or that of its ServiceAccount',
    async () => {
      const own = registry.add('private/own:1', { entrypoint });
      const account = registry.add('private/account:1', { entrypoint, files: { 'etc/which': 'account' } });
      await here.apply(
        secretOf('good', registry.host, PASSWORD),
        {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'robot' },
          imagePullSecrets: [{ name: 'good' }],
        },
        podOf('own', own, { imagePullSecrets: [{ name: 'good' }] }),
      );
      await running('own');
      await here.apply(podOf('account', account, { serviceAccountName: 'robot' }));
      await running('account');
      expect(await told('own', 'Pulled')).toMatch(/Successfully pulled image .* Image size: \d+ bytes\./);
      const node = await here.seen('the Node has the images', PATIENCE_MS, async () => {
        const { status } = await here.host.get<Node>('/api/v1/nodes/m1');
        const images = status?.['images'] as readonly { readonly names: readonly string[] }[] | undefined;
        const names = images?.flatMap((image) => image.names) ?? [];
        return [own, account].every((name) => names.includes(name)) && names;
      });
      expect(node).toContain('rollcall.test/pause:1');
    },
    3 * PATIENCE_MS,
  );

  it(
    'J-174 are not pulled with a wrong one, nor if they do not exist',
    async () => {
      const image = registry.add('private/refused:1', { entrypoint, files: { 'etc/which': 'refused' } });
      await here.apply(
        secretOf('wrong', registry.host, 'wrong'),
        podOf('refused', image, { imagePullSecrets: [{ name: 'wrong' }] }),
        podOf('none', `${registry.host}/private/none:1`, { imagePullSecrets: [{ name: 'good' }] }),
      );
      const { message = '' } = await waiting('refused', 'ImagePullBackOff');
      expect(message).toContain(`Back-off pulling image "${image}": ErrImagePull: rpc error: code = `);
      expect((await waiting('none', 'ImagePullBackOff')).message).toContain('code = NotFound');
      expect(await told('refused', 'Failed')).toContain('Error: ErrImagePull');
    },
    3 * PATIENCE_MS,
  );

  it(
    'J-176 a RuntimeClass chooses the handler, and one that the runtime does not have keeps the pod waiting',
    async () => {
      const image = registry.add('private/own:1', { entrypoint });
      const secrets = { imagePullSecrets: [{ name: 'good' }] };
      await here.apply(classOf('usual', 'runc'), classOf('unknown', 'runsc'));
      await here.apply(
        podOf('usual', image, { ...secrets, runtimeClassName: 'usual' }),
        podOf('unknown', image, { ...secrets, runtimeClassName: 'unknown' }),
      );
      await running('usual');
      expect(await told('unknown', 'FailedCreatePodSandBox')).toContain(
        'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "runsc" is configured',
      );
      const { items } = await containerd.client.runtime.listPodSandbox({});
      expect(items.find(({ metadata }) => metadata?.name === 'usual')?.runtimeHandler).toBe('runc');
    },
    2 * PATIENCE_MS,
  );

  it(
    'a pod that is deleted does not wait for a slow registry, and no log has a password',
    async () => {
      const image = registry.add('private/slow:1', { entrypoint, files: { 'etc/which': 'slow' } });
      registry.pause();
      await here.apply(podOf('slow', image, { imagePullSecrets: [{ name: 'good' }] }));
      await told('slow', 'Pulling');
      await here.kubectl('delete', 'pod', 'slow', '--wait=false');
      await here.seen('slow is gone', PATIENCE_MS, async () => (await pod('slow')) === undefined);
      registry.resume();
      expect(agent.process().output()).not.toContain(PASSWORD);
    },
    2 * PATIENCE_MS,
  );
});
