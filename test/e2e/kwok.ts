/** Nodes whose kubelets are played by KWOK: it keeps them Ready, runs their pods at once and ends those that are deleted. */
import { join } from 'node:path';
import type { HostProcess } from '../support/servers/host-process.ts';
import { type Program, startProgram } from './program.ts';

/** KWOK's own annotation of the nodes that it plays. */
const PLAYED = { 'kwok.x-k8s.io/node': 'fake' };
const LEASE_SECONDS = 40;
const POD_CIDR = '10.244.0.0/16';
/** What becomes of pods, and of extended resources. */
const KUBELET_STAGES = join(import.meta.dirname, 'kubelet-stages.yaml');
/** Some tests spread pods over two nodes, and want another one beside them. */
const NODES = ['kwok-1', 'kwok-2', 'kwok-3'];
const AMOUNTS = { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' };

const nodeOf = (name: string, index: number): object => ({
  metadata: {
    name,
    annotations: PLAYED,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
    },
  },
  status: {
    capacity: AMOUNTS,
    allocatable: AMOUNTS,
    addresses: [
      { type: 'InternalIP', address: `10.0.0.${index + 1}` },
      { type: 'Hostname', address: name },
    ],
  },
});

const optionsOf = (kubeconfig: string, stages: string): readonly string[] => {
  const selector = Object.entries(PLAYED).map(([key, value]) => `${key}=${value}`);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--config=${stages}`,
    `--config=${KUBELET_STAGES}`,
    `--cidr=${POD_CIDR}`,
    `--manage-nodes-with-annotation-selector=${selector.join()}`,
    `--node-lease-duration-seconds=${LEASE_SECONDS}`,
    // Otherwise its server listens on all addresses of the machine, and authenticates no client.
    '--server-address=127.0.0.1:0',
  ];
};

/** `stages`: the file of KWOK's stages of nodes. */
export const startKwok = async (
  { path, stages }: { readonly path: string; readonly stages: string },
  host: HostProcess,
  kubeconfig: string,
  log: string,
): Promise<Program> => {
  for (const [index, name] of NODES.entries()) await host.send('POST', '/api/v1/nodes', nodeOf(name, index));
  return startProgram(path, optionsOf(kubeconfig, stages), log);
};
