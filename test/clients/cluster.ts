/** A host with nothing on it, and what real clients need to be there: nodes that stay, and kubelets that end pods. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiClient, createApiClient, expectOk } from '../../shared/client/api-client.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.ts';
import { type Call, startKubelets } from './kubelets.ts';
import { aNode } from './objects.ts';

/** Nobody beats here: silence must not show before the tests are over. */
const PATIENT = ['--node-monitor-grace-period', '1h', '--node-startup-grace-period', '1h'];
/** The tests bind their pods themselves. */
const NO_SCHEDULER = ['--scheduler-name', 'rollcall'];

export interface Cluster {
  /** For files of the tests; removed at the end. */
  readonly folder: string;
  /** Of the host: keys, certificates, state. */
  readonly hostFolder: string;
  readonly kubeconfig: string;
  readonly url: string;
  readonly call: Call;
  /** Nodes that are ready, and free of admission's taint. */
  addNodes(names: readonly string[], labels?: Readonly<Record<string, string>>): Promise<void>;
  addNamespace(name: string): Promise<void>;
  /** kill -9, and a new host on the same folder and port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const addNode = async (call: Call, name: string, labels: Readonly<Record<string, string>>): Promise<void> => {
  await call('POST', '/api/v1/nodes', aNode(name, labels));
  await eventually(`${name} is free of taints`, 10_000, async () => {
    const { spec } = await call<{ spec?: { taints?: readonly object[] } }>('GET', `/api/v1/nodes/${name}`);
    return (spec?.taints ?? []).length === 0 || undefined;
  });
};

const callerOf = (client: ApiClient, token: string): Call => {
  return <T>(method: string, path: string, body?: object) =>
    expectOk<T>(client.call(method, path, token, body));
};

export type Connection = Pick<Cluster, 'call' | 'addNodes' | 'addNamespace'> & { close(): void };

/** What anybody needs to use a cluster that runs somewhere. */
export const connect = (url: string, ca: string, token: string): Connection => {
  const client = createApiClient(url, ca);
  const call = callerOf(client, token);
  return {
    call,
    addNodes: async (names: readonly string[], labels: Readonly<Record<string, string>> = {}) => {
      await Promise.all(names.map((name) => addNode(call, name, labels)));
    },
    addNamespace: async (name: string) => {
      await call('POST', '/api/v1/namespaces', { metadata: { name } });
    },
    close: client.close,
  };
};

export const startCluster = async (...settings: readonly string[]): Promise<Cluster> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-clients-'));
  const state = join(folder, 'host');
  const start = (): Promise<HostProcess> => startHostProcess(state, ...PATIENT, ...NO_SCHEDULER, ...settings);
  let host = await start();
  const connection = connect(host.url, readFileSync(join(state, 'ca.crt'), 'utf8'), host.adminToken);
  const kubelets = startKubelets(connection.call);
  return {
    folder,
    hostFolder: state,
    kubeconfig: join(state, 'kubeconfig'),
    url: host.url,
    call: connection.call,
    addNodes: connection.addNodes,
    addNamespace: connection.addNamespace,
    restart: async () => {
      await host.kill();
      host = await start();
    },
    stop: async () => {
      await kubelets.stop();
      connection.close();
      await host.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
