import { describe, expect, it } from 'vitest';
import { createFill, type FillDeps } from '../../../../agent/node/fill-status.ts';
import type { ReportedNode } from '../../../../agent/rules/node/reported-status.ts';
import { quantityOf } from '../../../../shared/kube/values/quantity.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const GIB = 1024 ** 3;

const NODE: ReportedNode = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  status: { nodeInfo: { bootID: 'before' } },
};

const refused = async (): Promise<never> => {
  throw new Error('refused');
};

/** A machine of 4 cores, and what was told about it. */
const aMachine = () => {
  const told: string[] = [];
  const deps: FillDeps = {
    settings: {
      addresses: { nodeIps: [], hostName: 'n1', hasExternalCloud: false },
      maxPods: 110,
      podsPerCore: 0,
      maxImages: 50,
      reserved: { systemReserved: { cpu: '500m' }, kubeReserved: {} },
      thresholds: [
        {
          signal: 'memory.available',
          value: { quantity: quantityOf(100 * 1024 ** 2, 'BinarySI') },
          graceMs: 0,
        },
        { signal: 'nodefs.available', value: { percentage: Math.fround(0.1) }, graceMs: 0 },
      ],
      localStorageCapacityIsolation: true,
      rootDirectory: '/var/lib/agent',
      agentVersion: 'v1.34.4',
    },
    machine: {
      machine: async () => ({
        machineID: 'm',
        systemUUID: 'u',
        bootID: 'after',
        numCores: 4,
        memoryCapacity: 8 * GIB,
        swapCapacity: 0,
        hugePages: [],
      }),
      system: async () => ({
        hostName: 'n1',
        kernelVersion: '6.1.0',
        osImage: 'Debian GNU/Linux 12 (bookworm)',
        operatingSystem: 'linux',
        architecture: 'arm64',
      }),
      bootTime: async () => 0,
      interfaces: () => [{ name: 'eth0', isLoopback: false, addresses: ['192.0.2.2'] }],
      defaultRoutes: async () => [{ family: 4, interfaceName: 'eth0' }],
      lookUp: async () => [],
      fileSystem: async () => ({ capacity: 100 * GIB, available: GIB, inodes: 10, inodesFree: 5 }),
    },
    serving: () => undefined,
    facts: {
      health: () => ({
        pressures: { MemoryPressure: false, DiskPressure: false, PIDPressure: false },
        runtimeErrors: [],
        networkErrors: [],
        storageErrors: [],
        shutdownErrors: [],
      }),
      devices: () => ({ capacity: {}, allocatable: {}, removed: [] }),
      volumes: () => ({ inUse: [], isSynced: true }),
      runtime: async () => ({ type: 'process', version: '1.0.0', handlers: [] }),
      images: async () => [],
    },
    clock: { now: () => NOW },
    warn: (problem) => told.push(problem),
  };
  return { deps, told };
};

const readyOf = ({ status }: ReportedNode) => status?.conditions?.at(-1);

describe('the status of a node', () => {
  it('has what its machine has, less what is kept back', async () => {
    const { deps, told } = aMachine();
    const { node } = await createFill(deps)(NODE);
    expect(node.status).toMatchObject({
      addresses: [
        { type: 'InternalIP', address: '192.0.2.2' },
        { type: 'Hostname', address: 'n1' },
      ],
      capacity: { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' },
      allocatable: { cpu: '3500m', memory: '8092Mi', pods: '110', 'ephemeral-storage': '96636764000' },
      nodeInfo: { architecture: 'arm64', containerRuntimeVersion: 'process://1.0.0' },
    });
    expect(readyOf(node)?.message).toBe('kubelet is posting ready status');
    expect(told).toEqual([]);
  });

  it('tells the restart of its machine once, however often the report is tried', async () => {
    const fill = createFill(aMachine().deps);
    const reasons = async () => (await fill(NODE)).events.map(({ reason }) => reason);
    expect(await reasons()).toContain('Rebooted');
    expect(await reasons()).not.toContain('Rebooted');
  });

  it('is reported as far as it can be read', async () => {
    const { deps, told } = aMachine();
    const machine = { ...deps.machine, machine: refused, fileSystem: refused, defaultRoutes: refused };
    const facts = { ...deps.facts, runtime: refused, images: refused };
    const { node } = await createFill({ ...deps, machine, facts })(NODE);
    expect(told).toEqual([
      'the addresses of the node could not be found',
      'the container runtime does not tell what it is',
      'the images could not be listed',
      'the machine could not be read',
      'the file system of /var/lib/agent could not be read',
    ]);
    expect(readyOf(node)?.message).toBe('missing node capacity for resources: ephemeral-storage');
    expect(node.status?.capacity).toEqual({ cpu: '0', memory: '0', pods: '110' });
  });

  it('keeps its addresses if there is no default route', async () => {
    const { deps, told } = aMachine();
    const machine = { ...deps.machine, defaultRoutes: async () => [] };
    const addresses = [{ type: 'InternalIP', address: '192.0.2.1' }];
    const { node } = await createFill({ ...deps, machine })({ ...NODE, status: { addresses } });
    expect(node.status?.addresses).toEqual(addresses);
    expect(told).toEqual(['the addresses of the node stay as they are']);
  });
});
