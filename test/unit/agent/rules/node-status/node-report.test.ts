import { describe, expect, it } from 'vitest';
import type { ReportedNode } from '../../../../../agent/rules/node/reported-status.ts';
import { type Readings, reportNode } from '../../../../../agent/rules/node-status/node-report.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const NODE: ReportedNode = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };

const READINGS: Readings = {
  addresses: [{ type: 'Hostname', address: 'n1' }],
  machine: {
    machine: {
      machineID: 'm',
      systemUUID: 'u',
      bootID: 'b',
      numCores: 2,
      memoryCapacity: 10_000_000_000,
      swapCapacity: 0,
      hugePages: [],
    },
    maxPods: 110,
    podsPerCore: 0,
    devices: { capacity: {}, allocatable: {}, removed: [] },
    reservation: { cpu: '200m', memory: '100M' },
  },
  versions: {
    kernelVersion: '6.1.0',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    runtimeType: 'process',
    runtimeVersion: '1.0.0',
    agentVersion: 'v1.34.4',
  },
  platform: { operatingSystem: 'linux', architecture: 'amd64' },
  images: [{ repoDigests: [], repoTags: ['host:latest'], size: 7 }],
  maxImages: 50,
  handlers: [],
  health: {
    pressures: { MemoryPressure: false, DiskPressure: false, PIDPressure: false },
    runtimeErrors: [],
    networkErrors: [],
    storageErrors: [],
    shutdownErrors: [],
    localStorageCapacityIsolation: false,
  },
  volumes: { isSynced: true },
};

describe('the report of a node', () => {
  it('has everything, and Ready as its last condition', () => {
    const { node, events } = reportNode(NODE, READINGS, NOW);
    expect(node.status).toMatchObject({
      addresses: [{ type: 'Hostname', address: 'n1' }],
      capacity: { cpu: '2', memory: '9765625Ki', pods: '110' },
      allocatable: { cpu: '1800m', memory: '9900000000', pods: '110' },
      images: [{ names: ['host:latest'], sizeBytes: 7 }],
      nodeInfo: {
        bootID: 'b',
        operatingSystem: 'linux',
        containerRuntimeVersion: 'process://1.0.0',
        kubeProxyVersion: '',
      },
    });
    const types = node.status?.conditions?.map(({ type, status }) => `${type}=${status}`);
    expect(types).toEqual(['MemoryPressure=False', 'DiskPressure=False', 'PIDPressure=False', 'Ready=True']);
    expect(events.map(({ reason }) => reason)).toEqual([
      'NodeHasSufficientMemory',
      'NodeHasNoDiskPressure',
      'NodeHasSufficientPID',
    ]);
  });

  it('keeps what others write, and what cannot be read', () => {
    const handlers = [{ name: 'runc', recursiveReadOnlyMounts: false, userNamespaces: false }];
    const first = reportNode(NODE, { ...READINGS, handlers }, NOW).node;
    const volumesAttached = [{ name: 'v', devicePath: '/dev/x' }];
    const before = { ...first, status: { ...first.status, volumesAttached } };
    const { addresses: _, versions: __, images: ___, handlers: ____, ...others } = READINGS;
    const { machine: _____, ...limits } = READINGS.machine;
    const { node } = reportNode(before, { ...others, machine: limits }, NOW);
    expect(node.status).toMatchObject({
      volumesAttached,
      addresses: [{ type: 'Hostname', address: 'n1' }],
      nodeInfo: { kernelVersion: '6.1.0', bootID: 'b' },
      capacity: { cpu: '0', memory: '0', pods: '110' },
      runtimeHandlers: [
        { name: 'runc', features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
      ],
    });
    expect(node.status).not.toHaveProperty('images');
  });

  it('reports volumes once all pods were looked at', () => {
    const inUse = ['kubernetes.io/csi/d^v'];
    const before = reportNode(NODE, { ...READINGS, volumes: { inUse, isSynced: true } }, NOW).node;
    expect(before.status?.volumesInUse).toEqual(inUse);
    const kept = reportNode(before, { ...READINGS, volumes: { isSynced: false } }, NOW).node;
    expect(kept.status?.volumesInUse).toEqual(inUse);
    const gone = reportNode(before, { ...READINGS, volumes: { isSynced: true } }, NOW).node;
    expect(gone.status).not.toHaveProperty('volumesInUse');
  });
});
