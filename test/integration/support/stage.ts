/** The deployed stack for real clients: `rollcall proxy` in front of it, and nodes that are kept alive. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Node } from '../../../shared/kube/types/core.ts';
import { type Connection, connect } from '../../clients/cluster.ts';
import type { Stage } from '../../clients/kubectl/suite.ts';
import { startKubelets } from '../../clients/kubelets.ts';
import { kubectlEnvironment, runKubectl } from '../../support/shell/kubectl.ts';
import { cliToken, output, profile } from './deployment.ts';
import { leaseObject } from './machine.ts';
import { eventually } from './wait.ts';

const CLI = resolve('cli/rollcall.js');
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
/** How often the stand-in kubelets look for changes, ms. */
const ATTEND_MS = 1_000;

interface Gateway {
  readonly url: string;
  stop(): Promise<void>;
}

const urlOf = (text: string): string | undefined => / ready url=(\S+)/.exec(text)?.[1];

const startGateway = async (folder: string): Promise<Gateway> => {
  const args = [CLI, 'proxy', '--server', output('ApiUrl'), '--folder', folder];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  const url = await eventually('the gateway is ready', 30_000, async () => {
    if (child.exitCode !== null) throw new Error(text);
    return urlOf(text);
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await closed;
    },
  };
};

/** Renews the Leases of all nodes that were added, until it is stopped. A beat is one request, because the emulator is slow. */
const startBeats = ({ call }: Connection) => {
  const names = new Set<string>();
  const stopping = new AbortController();
  const renew = (name: string): Promise<unknown> => call('PATCH', `${LEASES}/${name}`, leaseObject(name));
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await Promise.allSettled([...names].map(renew));
      await wait(profile.beatMs);
    }
  };
  const running = run();
  return {
    add: async (name: string): Promise<void> => {
      await call('POST', LEASES, leaseObject(name));
      names.add(name);
    },
    silence: (name: string): void => {
      names.delete(name);
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
};

/** Until node-ipam has written the Node once more: watches of the sessions must not see that. */
const haveAddresses = ({ call }: Connection, name: string): Promise<unknown> =>
  eventually(`${name} has addresses`, 60_000, async () => {
    const { spec } = await call<Node>('GET', `/api/v1/nodes/${name}`);
    return spec?.podCIDR;
  });

export interface DeployedStage extends Stage, Pick<Connection, 'call'> {
  /** Renews the Lease of the node no more. */
  silence(node: string): void;
  /** What a kubectl prints; rejects with its error. `input` is its standard input. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
}

/** Starts all that the sessions of kubectl and the informers need on the stack. */
export const openStage = async (): Promise<DeployedStage> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-clients-'));
  const gatewayFolder = join(folder, 'gateway');
  const gateway = await startGateway(gatewayFolder);
  const ca = readFileSync(join(gatewayFolder, 'ca.crt'), 'utf8');
  const connection = connect(gateway.url, ca, cliToken('--admin'));
  const beats = startBeats(connection);
  const own = new Set<string>();
  // Other files have nodes on the same stack, with kubelets of their own.
  const attends = (node: string): boolean => own.has(node);
  const kubelets = startKubelets(connection.call, { periodMs: ATTEND_MS, attends });
  return {
    folder,
    kubeconfig: join(gatewayFolder, 'kubeconfig'),
    url: gateway.url,
    call: connection.call,
    addNamespace: connection.addNamespace,
    silence: beats.silence,
    kubectl: (args, input) => {
      const env = kubectlEnvironment(join(gatewayFolder, 'kubeconfig'), folder);
      return runKubectl(env, args, input);
    },
    addNodes: async (names, labels) => {
      for (const name of names) own.add(name);
      await connection.addNodes(names, labels);
      await Promise.all(names.flatMap((name) => [beats.add(name), haveAddresses(connection, name)]));
    },
    stop: async () => {
      await Promise.all([beats.stop(), kubelets.stop()]);
      connection.close();
      await gateway.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
