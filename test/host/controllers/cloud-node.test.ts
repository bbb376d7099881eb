import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { QUARANTINE_MS } from '../../../shared/rules/pods/pod-gc.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import type { HostProcess } from '../../support/servers/host-process.ts';
import { addReadyNode, newFolder, startPatientHost } from '../../support/servers/patient-host.ts';
import { hasKubectl, kubectlEnvironment, runKubectl } from '../../support/shell/kubectl.ts';

const NODES = '/api/v1/nodes';
/** Milliseconds within which a Node follows what its cloud says. */
const SOON_MS = 10_000;

type States = Readonly<Record<string, string>>;

const writeMachines = (file: string, states: States): void => {
  const machines = Object.entries(states).map(([name, state]) => ({
    providerID: `metal://rack7/${name}`,
    nodeName: name,
    state,
    zone: 'rack7',
  }));
  writeFileSync(`${file}.next`, JSON.stringify({ machines }));
  renameSync(`${file}.next`, file);
};

const start = async (states: States) => {
  const folder = newFolder();
  const file = join(folder, 'machines.json');
  writeMachines(file, states);
  const provider = ['--cloud-provider', 'file', '--cloud-provider-file', file];
  const host = await startPatientHost(join(folder, 'state'), ...provider);
  const env = kubectlEnvironment(join(folder, 'state', 'kubeconfig'), folder);
  const kubectl = (...args: readonly string[]): Promise<string> => runKubectl(env, args);
  return { host, kubectl, say: (next: States) => writeMachines(file, next) };
};

const WAITS = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };

const addNode = (host: HostProcess, name: string): Promise<void> =>
  addReadyNode(host, name, { taints: [WAITS] });

const nodes = async (host: HostProcess): Promise<readonly Node[]> =>
  (await host.get<{ readonly items: readonly Node[] }>(NODES)).items;

const makeReplicaSet = (host: HostProcess): Promise<unknown> => {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'img' }] } };
  const spec = { replicas: 2, selector: { matchLabels: labels }, template };
  const path = '/apis/apps/v1/namespaces/default/replicasets';
  return host.send('POST', path, { metadata: { name: 'web' }, spec });
};

const living = (pods: readonly Pod[]): readonly Pod[] =>
  pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);

it('a terminated machine’s Node is gone within ten seconds, and its pods stand elsewhere (J-70, J-74)', async () => {
  const { host, say } = await start({ n1: 'running', n2: 'running' });
  await addNode(host, 'n1');
  await addNode(host, 'n2');
  await eventually('both Nodes are initialised', 20_000, async () =>
    (await nodes(host)).every(({ spec }) => spec?.providerID !== undefined && spec.taints === undefined),
  );
  expect((await nodes(host))[0]?.metadata.labels).toMatchObject({ 'topology.kubernetes.io/zone': 'rack7' });
  await makeReplicaSet(host);
  await eventually('both pods are bound', 25_000, async () => {
    const places = (await host.pods()).map(({ spec }) => spec.nodeName);
    return new Set(places).size === 2 && !places.includes(undefined);
  });
  say({ n1: 'terminated', n2: 'running' });
  await eventually('the Node is gone', SOON_MS, async () => (await nodes(host)).length === 1);
  await eventually('its pod stands elsewhere', QUARANTINE_MS + 30_000, async () => {
    const pods = living(await host.pods());
    return pods.length === 2 && pods.every(({ spec }) => spec.nodeName === 'n2');
  });
}, 150_000);

if (!hasKubectl) process.stdout.write('skipped: machines by kubectl: this machine has no kubectl\n');

const OFF = { conditions: [{ type: 'Ready', status: 'False', reason: 'Off', message: 'it is off' }] };

it.skipIf(!hasKubectl)(
  'kubectl sees the same of a terminated and of a stopped machine (J-70, J-73)',
  async () => {
    const { host, kubectl, say } = await start({ n1: 'running', n2: 'running', n3: 'running' });
    for (const name of ['n1', 'n2', 'n3']) await addNode(host, name);
    await kubectl('wait', 'node', '--all', '--for=jsonpath={.spec.providerID}', '--timeout=30s');
    await kubectl('create', 'deployment', 'web', '--image=example.org/web:1', '--replicas=6');
    const places = async (): Promise<readonly string[]> => {
      const path = 'jsonpath={.items[*].spec.nodeName}';
      const printed = await kubectl('get', 'pods', '-l', 'app=web', '-o', path);
      return printed.trim().split(' ');
    };
    await eventually('six pods are bound', 30_000, async () => (await places()).length === 6);
    const status = JSON.stringify({ status: OFF });
    await kubectl('patch', 'node', 'n3', '--subresource=status', '-p', status);
    say({ n1: 'terminated', n2: 'running', n3: 'stopped' });
    await kubectl('wait', '--for=delete', 'node/n1', '--timeout=30s');
    await eventually('the stopped machine is tainted', 30_000, async () => {
      const taints = await kubectl('get', 'node', 'n3', '-o', 'jsonpath={.spec.taints[*].key}');
      return taints.includes('node.cloudprovider.kubernetes.io/shutdown');
    });
    await eventually('no pod is left on the terminated machine', QUARANTINE_MS + 30_000, async () => {
      const all = await places();
      return all.length >= 6 && !all.includes('n1');
    });
  },
  150_000,
);
