/** A real agent makes this machine a node of a real host. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Lease } from '../../../../shared/kube/types/coordination.ts';
import type { Event, Node } from '../../../../shared/kube/types/core.ts';
import {
  type AgentProcess,
  joinWords,
  killPods,
  removeGroupsAndMounts,
  startAgent,
  withoutToken,
} from '../../../support/agent/machines/agent-process.ts';
import { makeSharedFolder, withSharedFolder } from '../../../support/agent/pods/shared-folder.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../../support/servers/host-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-agent-'));
const root = join(folder, 'root');
const config = join(folder, 'kubelet.yaml');
const manifests = join(folder, 'manifests');
const NODE = '/api/v1/nodes/m1';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/m1';
let host: HostProcess;
let words: readonly string[];
let agent: AgentProcess;

const start = (...more: readonly string[]): AgentProcess =>
  startAgent([...words, '--root-dir', root, '--config', config, '--hostname-override', 'M1', ...more]);
const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
  eventually(what, 25_000, look, { seen: agent.output });
const leasedAt = async (): Promise<string> => (await host.get<Lease>(LEASE)).spec?.renewTime ?? '';
const storedToken = (): { readonly token: string } =>
  JSON.parse(readFileSync(join(root, 'token.json'), 'utf8')) as { readonly token: string };
const isReady = ({ status }: Node): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
const ready = (): Promise<Node> =>
  seen('the node is ready', async () => {
    const node = await host.get<Node>(NODE);
    return isReady(node) && node;
  });

beforeAll(async () => {
  mkdirSync(manifests);
  writeFileSync(
    config,
    `podLogsDir: ${join(folder, 'logs')}\nstaticPodPath: ${manifests}\nfileCheckFrequency: 1s\n`,
  );
  host = await startHostProcess(join(folder, 'host'));
  words = await joinWords(join(folder, 'host'));
  agent = start(
    '--node-labels',
    'rack=7',
    '--register-with-taints',
    'dedicated=db:NoSchedule',
    '--token-ttl',
    '60s',
  );
});

afterAll(async () => {
  await agent.end('SIGKILL');
  // A pod that was bound to the deleted Node may run on the new one.
  await killPods(root);
  await removeGroupsAndMounts(root);
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('joins by the printed line, and reports what a kubelet reports', async () => {
  const { metadata, spec, status } = await ready();
  expect(metadata.labels).toMatchObject({ 'kubernetes.io/hostname': 'm1', rack: '7' });
  expect(spec?.taints).toEqual([{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }]);
  expect(status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason])).toEqual([
    ['MemoryPressure', 'False', 'KubeletHasSufficientMemory'],
    ['DiskPressure', 'False', 'KubeletHasNoDiskPressure'],
    ['PIDPressure', 'False', 'KubeletHasSufficientPID'],
    ['Ready', 'True', 'KubeletReady'],
  ]);
  expect(status?.addresses?.map(({ type }) => type)).toEqual(['InternalIP', 'Hostname']);
  expect(Object.keys(status?.capacity ?? {})).toEqual(
    expect.arrayContaining(['cpu', 'memory', 'pods', 'ephemeral-storage']),
  );
});

it('keeps its own token to itself', async () => {
  const { mode } = await seen('the token', async () => statSync(join(root, 'token.json')));
  expect(mode & 0o777).toBe(0o600);
});

it('beats by its Lease, which its Node owns', async () => {
  const { metadata } = await seen('the Lease', () => host.get<Lease>(LEASE).catch(() => undefined));
  expect(metadata.ownerReferences?.[0]).toMatchObject({ kind: 'Node', name: 'm1' });
  const before = await leasedAt();
  await seen('a beat', async () => (await leasedAt()) !== before);
});

/** No other process has these arguments. */
const SERVER = `sleep 1${process.pid}`;
const SERVER_SCRIPT = `exec ${SERVER}`;
const podOf = (name: string, script: string) => ({
  metadata: { name },
  spec: {
    nodeName: 'm1',
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'c', image: 'host', command: ['/bin/sh', '-c', script] }],
  },
});
const phaseOf = async (name: string): Promise<string | undefined> =>
  (await host.pods()).find(({ metadata }) => metadata.name === name)?.status?.phase;

it('runs a pod, and says what became of it', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const said = makeSharedFolder(join(folder, 'said'));
  const { metadata, spec } = podOf('server', `echo here >>${said}/file; ${SERVER_SCRIPT}`);
  await host.send('POST', pods, { metadata, spec: withSharedFolder(spec, said) });
  await host.send('POST', pods, {
    ...podOf('broken', 'exit 3'),
    spec: { ...podOf('broken', 'exit 3').spec, restartPolicy: 'Never' },
  });
  await seen('the pod runs', async () => (await phaseOf('server')) === 'Running');
  await seen('the pod has failed', async () => (await phaseOf('broken')) === 'Failed');
  expect(readFileSync(join(said, 'file'), 'utf8')).toBe('here\n');
});

it('runs a static pod, and shows it at the API', async () => {
  const { metadata, spec } = podOf('static', SERVER_SCRIPT);
  const { nodeName: _node, ...rest } = spec;
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata, spec: rest };
  writeFileSync(join(manifests, 'static.json'), JSON.stringify(manifest));
  await seen('the static pod runs', async () => (await phaseOf('static-m1')) === 'Running');
  rmSync(join(manifests, 'static.json'));
  await seen('its mirror is gone', async () => (await phaseOf('static-m1')) === undefined);
});

it('confirms the deletion of a pod soon after it was asked for', async () => {
  await host.send('POST', '/api/v1/namespaces/default/pods', {
    metadata: { name: 'web' },
    spec: { nodeName: 'm1', containers: [{ name: 'c', image: 'i' }] },
  });
  await host.send('DELETE', '/api/v1/namespaces/default/pods/web');
  await seen('the pod is gone', async () => (await phaseOf('web')) === undefined);
});

it('tells of a cordon by an Event', async () => {
  await host.send('PUT', NODE, { ...(await host.get<Node>(NODE)), spec: { unschedulable: true } });
  const event = await seen('the Event', async () => {
    const { items } = await host.get<{ items: readonly Event[] }>('/api/v1/namespaces/default/events');
    return items.find(({ reason }) => reason === 'NodeNotSchedulable');
  });
  expect(event).toMatchObject({ count: 1, source: { component: 'kubelet', host: 'm1' } });
});

it('refuses a second agent on its folder', async () => {
  const second = start();
  expect(await second.ended).toBe(2);
  expect(second.output()).toContain(`another agent (process ${agent.pid}) runs on`);
});

it('goes on with its own token after a kill, and renews it at half its time', async () => {
  await agent.end('SIGKILL');
  words = withoutToken(words);
  const before = storedToken().token;
  agent = start('--token-ttl', '60s');
  const beat = await leasedAt();
  await seen('a beat after the kill', async () => (await leasedAt()) !== beat);
  expect(await phaseOf('server')).toBe('Running');
  expect(readFileSync(join(folder, 'said/file'), 'utf8')).toBe('here\n');
  await eventually('a new token', 40_000, async () => storedToken().token !== before, { seen: agent.output });
  const renewed = await leasedAt();
  await seen('a beat with the new token', async () => (await leasedAt()) !== renewed);
}, 80_000);

it('ends when its Node is deleted, and does not make it again', async () => {
  await host.send('DELETE', NODE);
  expect(await agent.ended).toBe(3);
  expect(agent.output()).toContain('the Node m1 was deleted');
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  expect(stdout).not.toContain(SERVER);
  agent = start();
  expect(await agent.ended).toBe(3);
  expect(await host.nodes()).toEqual([]);
});

/** As `rollcall agent install` keeps it. */
const installed = join(root, 'bootstrap-token');

it('joins anew by a new line', async () => {
  words = await joinWords(join(folder, 'host'));
  renameSync(words.at(-1) ?? '', installed);
  words = [...withoutToken(words), '--bootstrap-token-file', installed];
  agent = start();
  await ready();
});

it('keeps no bootstrap token when its own one counts, and needs none after that', async () => {
  await seen('the bootstrap token is gone', async () => !existsSync(installed));
  await agent.end('SIGKILL');
  agent = start();
  await seen('it has joined', async () => agent.output().includes('has joined'));
  await agent.end('SIGTERM');
  agent = start('--root-dir', join(folder, 'another'), '--hostname-override', 'm2');
  expect(await agent.ended).toBe(1);
  expect(agent.output()).toContain(
    `this machine has not joined yet, and --bootstrap-token-file: cannot read ${installed}: ENOENT`,
  );
});
