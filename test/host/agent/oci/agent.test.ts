/** An agent whose pods are bundles of an OCI runtime, as an operator runs it: a host, kubectl, kills of the agent and of keepers. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';
import { killKeeper } from '../../../../agent/adapters/oci-runtime/bundles/conmon.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../../../support/agent/oci/bundle-machine.ts';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: pods of an OCI runtime: ${missing}\n`);
const PATIENCE_MS = 60_000;

const SCRIPT = [
  'trap "echo bye; exit 3" TERM',
  'cat /work/made /config/key /one/key; echo "$PASSWORD"; id -u; id -G',
  'while :; do sleep 0.1; done',
].join('; ');

const podOf = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 5, ...spec },
});

const oneOf = (command: readonly string[], more: object = {}): object => ({
  name: 'c',
  image: 'host',
  command,
  ...more,
});

const WEB = podOf('web', {
  securityContext: { runAsUser: 5000, runAsGroup: 5001, fsGroup: 3000 },
  initContainers: [
    {
      name: 'first',
      image: 'host',
      command: ['/bin/sh', '-c', 'echo made > /work/made'],
      volumeMounts: [{ name: 'work', mountPath: '/work' }],
    },
  ],
  containers: [
    oneOf(['/bin/sh', '-c', SCRIPT], {
      env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'password' } } }],
      readinessProbe: { exec: { command: ['test', '-f', '/work/made'] }, periodSeconds: 1 },
      volumeMounts: [
        { name: 'work', mountPath: '/work' },
        { name: 'config', mountPath: '/config' },
        { name: 'config', mountPath: '/one/key', subPath: 'key' },
      ],
    }),
  ],
  volumes: [
    { name: 'work', emptyDir: {} },
    { name: 'config', configMap: { name: 'm' } },
  ],
});

describe.runIf(missing === undefined || isComplete)('pods of an OCI runtime', { timeout: 300_000 }, () => {
  let cluster: ClusterHere;
  let agent: AgentHere;

  const stateOf = async (pod: string): Promise<Readonly<Record<string, Record<string, unknown>>>> => {
    const all = JSON.parse(await cluster.kubectl('get', 'pod', pod, '-o', 'json'));
    return all.status.containerStatuses?.[0]?.state ?? {};
  };
  const isReady = async (pod: string): Promise<boolean> => {
    const all = JSON.parse(await cluster.kubectl('get', 'pod', pod, '-o', 'json'));
    return all.status.containerStatuses?.[0]?.ready === true;
  };
  const ready = (pod: string) => cluster.seen(`${pod} is ready`, PATIENCE_MS, () => isReady(pod));
  const stateFor = <T>(pod: string, look: (state: Awaited<ReturnType<typeof stateOf>>) => T) =>
    cluster.seen(`the state of ${pod}`, PATIENCE_MS, async () => look(await stateOf(pod)) || undefined);

  beforeAll(async () => {
    cluster = await startClusterHere();
    const models = join(cluster.folder, 'models');
    mkdirSync(models);
    writeFileSync(join(models, 'm'), 'a model\n');
    agent = cluster.agent('m1', { flags: ['--host-image-paths', models] });
    agent.start();
    await cluster.apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { key: 'value\n' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2' } },
      WEB,
    );
    await ready('web');
  }, 300_000);
  afterAll(() => cluster?.close());

  it('are not run by an agent whose machine cannot isolate them: it ends at its start, and says why', async () => {
    const hidden = 'mount --bind /dev/null "$0" && exec "$@"';
    const without = ['unshare', '--mount', 'sh', '-c', hidden, findProgram('conmon') ?? ''];
    const command = [...without, process.execPath, resolve('cli/rollcall.js')];
    const other = cluster.agent('m2', { command });
    other.start();
    expect(await other.process().ended).toBe(2);
    expect(other.process().output()).toMatch(
      /no OCI runtime works on this machine: .*conmon is not there: install runc and conmon, or give --unisolated/,
    );
    expect(await cluster.kubectl('get', 'nodes', '-o', 'name')).toBe('node/m1\n');
  });

  it('run with their volumes, users and secrets, on a Node that names its isolation', async () => {
    expect(await cluster.kubectl('logs', 'web')).toBe('made\nvalue\nvalue\nhunter2\n5000\n5001 3000\n');
    const node = JSON.parse(await cluster.kubectl('get', 'node', 'm1', '-o', 'json'));
    expect(node.metadata.labels['rollcall.dev/isolation']).toBe('oci');
    expect(node.status.nodeInfo.containerRuntimeVersion).toMatch(/^(runc|crun):\/\/\d/);
  });

  it('see the folders of the machine that its operator has named, and write them nowhere', async () => {
    const model = join(cluster.folder, 'models', 'm');
    expect(await cluster.kubectl('exec', 'web', '--', 'cat', model)).toBe('a model\n');
    const write = cluster.kubectl('exec', 'web', '--', 'sh', '-c', `echo x >${model}`);
    await expect(write).rejects.toThrow(/denied/);
    const others = await cluster.kubectl('exec', 'web', '--', 'ls', cluster.folder);
    expect(others).toBe('models\n');
  });

  it('are not run by an agent that would show what no container may see', async () => {
    const other = cluster.agent('m3', { flags: ['--host-image-paths', '/srv,/proc'] });
    other.start();
    expect(await other.process().ended).toBe(2);
    expect(other.process().output()).toMatch("--host-image-paths: /proc is the kernel's");
  });

  it('are reached by exec and cp', async () => {
    expect(await cluster.kubectl('exec', 'web', '--', 'sh', '-c', 'echo $PASSWORD; id -u')).toBe(
      'hunter2\n5000\n',
    );
    const failed = cluster.kubectl('exec', 'web', '--', 'sh', '-c', 'exit 4');
    await expect(failed).rejects.toThrow('exit code 4');
    const [from, back] = [join(cluster.folder, 'from'), join(cluster.folder, 'back')];
    writeFileSync(from, 'copied\n');
    await cluster.kubectl('cp', from, 'web:/tmp/there');
    await cluster.kubectl('cp', 'web:/tmp/there', back);
    expect(readFileSync(back, 'utf8')).toBe('copied\n');
  });

  it('end with their codes and reasons, and are refused with the field that cannot be had', async () => {
    const hungry = 'my $x = "x" x (200 * 1024 * 1024); sleep 1000';
    mkdirSync(join(agent.root, 'image', 'bin'), { recursive: true });
    await cluster.apply(
      podOf('oom', {
        restartPolicy: 'Never',
        containers: [oneOf(['perl', '-e', hungry], { resources: { limits: { memory: '40Mi' } } })],
      }),
      podOf('root', { containers: [oneOf(['true'], { securityContext: { runAsUser: 0 } })] }),
      podOf('shared', { shareProcessNamespace: true, containers: [oneOf(['true'])] }),
      podOf('etc', { containers: [oneOf(['/shadow'], { image: '/etc' })] }),
      podOf('own', { containers: [oneOf(['/x'], { image: join(agent.root, 'image') })] }),
    );
    expect(await stateFor('oom', ({ terminated }) => terminated)).toMatchObject({
      exitCode: 137,
      reason: 'OOMKilled',
    });
    for (const [pod, words] of [
      ['root', 'runAsUser: 0'],
      ['shared', 'spec.shareProcessNamespace'],
      ['etc', 'in no folder that --image-folders of the agent names'],
      ['own', 'in no folder'],
    ] as const)
      expect(
        await stateFor(pod, ({ waiting }) => waiting?.['message'] !== undefined && waiting),
      ).toMatchObject({ message: expect.stringContaining(words) });
  });

  it('run on without their agent, and it hears of what ended meanwhile', async () => {
    const release = join(cluster.folder, 'release');
    mkdirSync(release, { mode: 0o777 });
    const script = 'while [ ! -f /release/now ]; do sleep 0.1; done; exit 6';
    const hostPath = { name: 'release', hostPath: { path: release } };
    const volumeMounts = [{ name: 'release', mountPath: '/release' }];
    await cluster.apply(
      podOf('short', {
        restartPolicy: 'Never',
        containers: [oneOf(['/bin/sh', '-c', script], { volumeMounts })],
        volumes: [hostPath],
      }),
    );
    await ready('short');
    const began = await stateOf('web');
    await agent.process().end('SIGKILL');
    writeFileSync(join(release, 'now'), '');
    agent.start();
    expect(await stateFor('short', ({ terminated }) => terminated)).toMatchObject({ exitCode: 6 });
    await ready('web');
    expect(await stateOf('web')).toEqual(began);
  });

  it('start again when their keeper was killed, whose program nobody hears any more', async () => {
    const { metadata } = JSON.parse(await cluster.kubectl('get', 'pod', 'web', '-o', 'json'));
    const folder = join(agent.root, 'runtime', 'pods', metadata.uid, 'c_0');
    const { attempt } = JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8'));
    await killKeeper(join(folder, attempt));
    const status = await cluster.seen('it runs again', PATIENCE_MS, async () => {
      const all = JSON.parse(await cluster.kubectl('get', 'pod', 'web', '-o', 'json'));
      const [one] = all.status.containerStatuses;
      return one.restartCount === 1 && one.ready ? one : undefined;
    });
    expect(status.lastState.terminated).toMatchObject({ exitCode: 255, reason: 'Unknown' });
  });

  it('leave nothing when they are deleted', async () => {
    const { metadata } = JSON.parse(await cluster.kubectl('get', 'pod', 'web', '-o', 'json'));
    await cluster.kubectl('delete', 'pod', 'web', '--timeout=60s');
    expect(existsSync(join(agent.root, 'runtime', 'pods', metadata.uid))).toBe(false);
  });

  it('have a Node that says when an update breaks what isolates them, and when that is mended', async () => {
    const conmon = findProgram('conmon') ?? '';
    const copy = join(cluster.folder, 'conmon');
    copyFileSync(conmon, copy);
    const shown = ['unshare', '--mount', 'sh', '-c', `mount --bind '${copy}' '${conmon}' && exec "$@"`, 'sh'];
    const other = cluster.agent('m3', {
      command: [...shown, process.execPath, resolve('cli/rollcall.js')],
      config: ['nodeStatusUpdateFrequency: 1s'],
    });
    const readyIs = (status: string) =>
      cluster.seen(`Ready is ${status}`, PATIENCE_MS, async () => {
        const node = await cluster.kubectl('get', 'node', 'm3', '-o', 'json').catch(() => undefined);
        const { conditions } = JSON.parse(node ?? '{"status":{"conditions":[]}}').status;
        const ready = conditions.find(({ type }: { readonly type: string }) => type === 'Ready');
        return ready?.status === status && ready.message;
      });
    other.start();
    await readyIs('True');
    writeFileSync(copy, '#!/bin/sh\nexit 3\n');
    expect(await readyIs('False')).toMatch(/RuntimeReady=false reason:RuntimeNotWorking message:runc /);
    copyFileSync(conmon, copy);
    await readyIs('True');
    await other.process().end('SIGTERM');
  });
});
