/** Kubernetes' own control plane: etcd, API server, controllers and scheduler, as they come but for what is named here. */
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/clocks/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';
import type { Binaries, ProgramName } from './binaries.ts';
import { GRACE, type StartControlPlane, whenReady } from './control-plane.ts';

const TOKEN = 'bench-administrator';
/** By default kube-scheduler binds 50 pods a second. The controllers keep their limit, 20 requests a second each. */
const PER_SECOND = 10_000;
const START_MS = 60_000;

interface Ports {
  readonly etcd: number;
  readonly peers: number;
  readonly api: number;
}

const writeFiles = (folder: string, { api }: Ports): void => {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  write('accounts.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  write('accounts.pub', publicKey.export({ type: 'spki', format: 'pem' }).toString());
  write('tokens.csv', `${TOKEN},administrator,administrator,system:masters\n`);
  const cluster = {
    server: `https://127.0.0.1:${api}`,
    'certificate-authority': join(folder, 'apiserver.crt'),
  };
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user: { token: TOKEN } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  };
  write('kubeconfig', JSON.stringify(kubeconfig));
  const scheduler = {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig: join(folder, 'kubeconfig'), qps: PER_SECOND, burst: PER_SECOND },
    leaderElection: { leaderElect: false },
  };
  write('scheduler.json', JSON.stringify(scheduler));
};

const etcdOptions = (folder: string, { etcd, peers }: Ports): readonly string[] => [
  `--data-dir=${join(folder, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${etcd}`,
  `--advertise-client-urls=http://127.0.0.1:${etcd}`,
  `--listen-peer-urls=http://127.0.0.1:${peers}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peers}`,
  `--initial-cluster=default=http://127.0.0.1:${peers}`,
];

const apiOptions = (folder: string, { etcd, api }: Ports): readonly string[] => [
  `--etcd-servers=http://127.0.0.1:${etcd}`,
  '--bind-address=127.0.0.1',
  `--secure-port=${api}`,
  `--cert-dir=${folder}`,
  // It would refuse to be an endpoint of the Service `kubernetes` at a loopback address.
  '--endpoint-reconciler-type=none',
  '--service-cluster-ip-range=10.0.0.0/16',
  '--authorization-mode=Node,RBAC',
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(folder, 'accounts.pub')}`,
  `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
];

const controllerOptions = (folder: string): readonly string[] => [
  `--kubeconfig=${join(folder, 'kubeconfig')}`,
  `--service-account-private-key-file=${join(folder, 'accounts.key')}`,
  '--leader-elect=false',
  '--secure-port=0',
  ...GRACE,
];

const schedulerOptions = (folder: string): readonly string[] => [
  `--config=${join(folder, 'scheduler.json')}`,
  '--secure-port=0',
];

export const kubernetesFrom =
  (binaries: Binaries): StartControlPlane =>
  async (servers) => {
    const { folder } = servers;
    const ports = { etcd: await freePort(), peers: await freePort(), api: await freePort() };
    writeFiles(folder, ports);
    const start = (name: ProgramName, options: readonly string[]): number =>
      servers.start(name, [binaries[name], ...options]);
    const etcd = start('etcd', etcdOptions(folder, ports));
    const api = start('kube-apiserver', apiOptions(folder, ports));
    const certificate = join(folder, 'apiserver.crt');
    const ca = await eventually('a certificate', START_MS, async () => readFileSync(certificate, 'utf8'));
    const controllers = start('kube-controller-manager', controllerOptions(folder));
    const scheduler = start('kube-scheduler', schedulerOptions(folder));
    const target = { port: ports.api, ca, token: TOKEN };
    await whenReady(target);
    return { target, pids: [etcd, api, controllers, scheduler] };
  };
