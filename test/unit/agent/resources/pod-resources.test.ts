import { describe, expect, test } from 'vitest';
import { readKubeletConfig } from '../../../../agent/config/read-kubelet-config.ts';
import type { CheckpointStore } from '../../../../agent/ports/pods/pod-resources.ts';
import { createPodResources } from '../../../../agent/resources/create-pod-resources.ts';
import { type ResourceFacts, resourceSetup } from '../../../../agent/resources/resource-setup.ts';
import type { KubeletConfig } from '../../../../agent/rules/config/kubelet-config.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import type { NodeReading } from '../../../../agent/rules/machine/numa-topology.ts';

const GIB = 2 ** 30;

/** Two NUMA nodes of four CPUs, one thread a core, and 4 GiB each. */
const NODES: readonly NodeReading[] = [0, 1].map((id) => ({
  id,
  memoryBytes: 4 * GIB,
  hugePages: [],
  distances: id === 0 ? [10, 20] : [20, 10],
  cpus: [0, 1, 2, 3].map((core) => ({ cpu: id * 4 + core, coreId: core, packageId: id, outerCaches: [] })),
}));

const configOf = (...lines: readonly string[]): KubeletConfig => {
  const head = ['apiVersion: kubelet.config.k8s.io/v1beta1', 'kind: KubeletConfiguration'];
  const read = readKubeletConfig([...head, ...lines].join('\n'), 'kubelet.yaml');
  if ('problems' in read) throw new Error(read.problems.join('; '));
  return read.config;
};

const setupOf = (lines: readonly string[], facts: Partial<ResourceFacts> = {}) =>
  resourceSetup({
    config: configOf(...lines),
    nodes: NODES,
    memoryBytes: 8 * GIB,
    swapBytes: 2 * GIB,
    cgroups: 'v2',
    hasSwapController: true,
    reservation: { cpu: '1', memory: '1Gi' },
    ...facts,
  });

const storeOf = (): CheckpointStore & { readonly files: Map<string, string> } => {
  const files = new Map<string, string>();
  return {
    files,
    read: (name) => files.get(name),
    write: (name, text) => void files.set(name, text),
    path: (name) => `/root/${name}`,
  };
};

const podOf = (uid: string, cpu: string, memory = '1Gi'): AgentPod => {
  const resources = { requests: { cpu, memory }, limits: { cpu, memory } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: uid, namespace: 'ns', uid },
    spec: { containers: [{ name: 'c', resources }] },
  };
};

const C = { name: 'c' };
const STATIC = ['cpuManagerPolicy: static', 'reservedSystemCPUs: "0"'];
const ALL = [
  ...STATIC,
  'topologyManagerPolicy: single-numa-node',
  'memoryManagerPolicy: Static',
  'reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}]',
];

describe('CPUs and memory of containers', () => {
  test('are near each other, survive a start of the agent, and come back', () => {
    const store = storeOf();
    const first = createPodResources(setupOf(ALL), store, () => {});
    const pod = podOf('u1', '4', '2Gi');
    expect(first.admit(pod)).toEqual({ admit: true });
    const bounds = { cpuLimitMilli: 4000, memoryLimitBytes: 2 * GIB };
    const given = { memoryLimitBytes: 2 * GIB, cpus: '4-7', memoryNodes: '1', swapMaxBytes: 0 };
    expect(first.containerBounds(pod, C, bounds)).toEqual(given);
    expect(first.podBounds(pod, bounds)).toEqual({ memoryLimitBytes: 2 * GIB, swapMaxBytes: 0 });
    expect(first.cpusOf('other', 'c')).toBe('0-3');
    const second = createPodResources(setupOf(ALL), store, () => {});
    expect(second.containerBounds(pod, C, bounds)).toEqual(given);
    second.keepOnly([pod]);
    expect(second.cpusOf('other', 'c')).toBe('0-3');
    second.keepOnly([]);
    expect(second.cpusOf('other', 'c')).toBe('0-7');
    expect(store.files.get('cpu_manager_state')).toContain('"defaultCpuSet":"0-7","checksum"');
    expect(store.files.get('memory_manager_state')).not.toContain('entries');
  });

  test('a pod that fits no single NUMA node is refused, and the log tells the best hint', () => {
    const said: string[] = [];
    const resources = createPodResources(setupOf(ALL), storeOf(), (text) => void said.push(text));
    expect(resources.admit(podOf('u1', '6'))).toEqual({
      admit: false,
      reason: 'TopologyAffinityError',
      message: 'Resources cannot be allocated with Topology locality',
      note: {
        container: 'c',
        policy: 'single-numa-node',
        resources: [
          { resource: 'cpu', hints: [{ nodes: '0-1', isPreferred: true }] },
          {
            resource: 'memory',
            hints: [
              { nodes: '0', isPreferred: true },
              { nodes: '1', isPreferred: true },
              { nodes: '0-1', isPreferred: false },
            ],
          },
        ],
        merged: { isPreferred: false },
        bestEffort: { nodes: '0-1', isPreferred: false },
      },
    });
    expect(said).toEqual([
      'pod ns/u1: Resources cannot be allocated with Topology locality: container c: best hint any NUMA node; cpu fits NUMA 0-1 (preferred); memory fits NUMA 0 (preferred), NUMA 1 (preferred), NUMA 0-1',
    ]);
  });

  test('nothing is bound with policy none', () => {
    const store = storeOf();
    const resources = createPodResources(setupOf([]), store, () => {});
    expect(resources.admit(podOf('u1', '4'))).toEqual({ admit: true });
    expect(resources.containerBounds(podOf('u1', '4'), C, { cpuLimitMilli: 4000 })).toEqual({
      cpuLimitMilli: 4000,
      swapMaxBytes: 0,
    });
    expect(resources.bindPeriodMs).toBeUndefined();
    expect(store.files.get('cpu_manager_state')).toBe(
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
    );
  });

  test('swap is bounded by the share that the request has of the memory', () => {
    const resources = createPodResources(
      setupOf(['memorySwap: {swapBehavior: LimitedSwap}']),
      storeOf(),
      () => {},
    );
    const pod: AgentPod = {
      ...podOf('u1', '1'),
      spec: { containers: [{ ...C, resources: { requests: { memory: '1Gi' } } }, { name: 'd' }] },
    };
    expect(resources.containerBounds(pod, pod.spec.containers[0] ?? C, {})).toEqual({
      swapMaxBytes: GIB / 4,
    });
    expect(resources.containerBounds(pod, { name: 'd' }, {})).toEqual({ swapMaxBytes: 0 });
    expect(resources.podBounds(pod, {})).toEqual({ swapMaxBytes: GIB / 4 });
  });
});

describe('what was kept and does not fit', () => {
  const keptBy = (lines: readonly string[]): CheckpointStore => {
    const store = storeOf();
    createPodResources(setupOf(lines), store, () => {}).admit(podOf('u1', '2'));
    return store;
  };

  test.each<readonly [string, readonly string[], Partial<ResourceFacts>, string]>([
    [
      'another policy',
      [],
      {},
      'could not restore state from checkpoint: configured policy "none" differs from state checkpoint policy "static", please drain this node and delete the CPU manager checkpoint file "/root/cpu_manager_state" before restarting Kubelet',
    ],
    [
      'other CPUs',
      ALL,
      { nodes: NODES.map((node) => ({ ...node, cpus: node.cpus.slice(0, 3) })) },
      `start cpu manager error: current set of available CPUs "0-2,4-6" doesn't match with CPUs in state "0-7": drain this node and delete the file "/root/cpu_manager_state", or undo the change of CPUs or of the configuration`,
    ],
    [
      'other reserved CPUs',
      ALL.map((line) => line.replace('"0"', '"1"')),
      {},
      'start cpu manager error: not all reserved cpus: "1" are present in defaultCpuSet: "0,3-7": drain this node and delete the file "/root/cpu_manager_state", or undo the change of CPUs or of the configuration',
    ],
    [
      'other memory',
      ALL,
      { nodes: NODES.map((node) => ({ ...node, memoryBytes: 3 * GIB })) },
      'start memory manager error: [memorymanager] the expected machine state is different from the real one: drain this node and delete the file "/root/memory_manager_state", or undo the change of memory or of the configuration',
    ],
  ])('%s', (_, lines, facts, fault) => {
    expect(() => createPodResources(setupOf(lines, facts), keptBy(ALL), () => {})).toThrow(fault);
  });
});

describe('a configuration that does not fit the machine', () => {
  test.each<readonly [string, readonly string[], Partial<ResourceFacts>]>([
    [
      'reserved-cpus: 9 is not a subset of online-cpus: 0-7: change reservedSystemCPUs',
      ['reservedSystemCPUs: "9"'],
      {},
    ],
    [
      'cpuManagerPolicy: [cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero: set reservedSystemCPUs, systemReserved or kubeReserved',
      ['cpuManagerPolicy: static'],
      { reservation: {} },
    ],
    ['cpuManagerPolicy: unknown policy: "dynamic": write none or static', ['cpuManagerPolicy: dynamic'], {}],
    [
      'cpuManagerPolicyOptions: new none policy error: None policy: received unsupported options: take them out, or set cpuManagerPolicy: static',
      ['cpuManagerPolicyOptions: {full-pcpus-only: "true"}'],
      {},
    ],
    [
      'cpuManagerPolicy: new static policy error: unknown CPU Manager Policy option: "x"',
      [...STATIC, 'cpuManagerPolicyOptions: {x: "true"}'],
      {},
    ],
    [
      'cpuManagerPolicy: new static policy error: CPU Manager Policy Alpha-level Options not enabled, but option "align-by-socket" provided',
      [...STATIC, 'cpuManagerPolicyOptions: {align-by-socket: "true"}'],
      {},
    ],
    [
      'topologyManagerPolicy: unknown Topology Manager Policy option: "x"',
      ['topologyManagerPolicy: restricted', 'topologyManagerPolicyOptions: {x: "1"}'],
      {},
    ],
    [
      'memoryManagerPolicy: unknown policy: "Dynamic": write None or Static',
      ['memoryManagerPolicy: Dynamic'],
      {},
    ],
    [
      'reservedMemory: the total amount "0" of type "memory" is not equal to the value "1Gi" determined by Node Allocatable feature',
      ['memoryManagerPolicy: Static'],
      {},
    ],
    [
      'reservedMemory: the reserved memory configuration references a NUMA node 7 that does not exist on this machine',
      ['memoryManagerPolicy: Static', 'reservedMemory: [{numaNode: 7, limits: {memory: 1Gi}}]'],
      {},
    ],
    [
      'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false',
      ['failSwapOn: true'],
      { procSwaps: 'Filename\n/swap file 1 0 -2\n' },
    ],
  ])('%s', (fault, lines, facts) => {
    expect(() => setupOf(lines, facts)).toThrow(fault);
  });
});
