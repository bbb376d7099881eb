/** What of the machine may be given to containers, by the configuration. Source: kubernetes v1.34 cmd/kubelet/app `server.go`, cpumanager and memorymanager `NewManager`. */
import { quote } from '../../shared/kube/text/go-quote.ts';
import { milliUnits, quantityText } from '../../shared/kube/values/quantity.ts';
import { cpuSetText, parseCpuSet } from '../rules/config/cpu-set.ts';
import { isGateOn } from '../rules/config/feature-gates.ts';
import type { KubeletConfig } from '../rules/config/kubelet-config.ts';
import { without } from '../rules/cpus/cpu-sets.ts';
import { allCpus, type CpuTopology } from '../rules/cpus/cpu-topology.ts';
import { type StaticCpuPolicy, staticCpuPolicy } from '../rules/cpus/static-policy.ts';
import { distancesOf, machineTopology, type NodeReading } from '../rules/machine/numa-topology.ts';
import type { SwapNode } from '../rules/memory/container-swap.ts';
import type { MachineMemory } from '../rules/memory/memory-state.ts';
import { reservedByNode } from '../rules/memory/reserved-memory.ts';
import { freshMachine } from '../rules/memory/static-policy.ts';
import { swapStartFault } from '../rules/memory/swap-start.ts';
import { type AmountTexts, readAmounts } from '../rules/node/amounts.ts';
import type { CgroupVersion } from '../rules/stats/cgroup-layout.ts';
import { type TopologySetup, topologySetup } from '../rules/topology/policy-options.ts';
import { ResourceFault } from './owners.ts';

export interface ResourceSetup {
  readonly topology: TopologySetup;
  /** Absent: policy `none`. */
  readonly cpus?: StaticCpuPolicy;
  /** The machine's memory with policy `Static`; absent: policy `None`. */
  readonly memory?: MachineMemory;
  readonly swap: SwapNode;
  /** Whether containers with CPUs for themselves lose the bound of their time. */
  readonly dropsQuota: boolean;
  /** Kubelet: `cpuManagerReconcilePeriod`. */
  readonly bindPeriodMs: number;
}

export interface ResourceFacts {
  readonly config: KubeletConfig;
  readonly nodes: readonly NodeReading[];
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly cgroups: CgroupVersion;
  readonly hasSwapController: boolean;
  /** `/proc/swaps`; absent on machines that do not have it. */
  readonly procSwaps?: string | undefined;
  /** What is kept back from pods: reserved, and the hard thresholds of eviction. */
  readonly reservation: AmountTexts;
}

const right = <Value extends object>(field: string, value: Value | { readonly error: string }): Value => {
  if ('error' in value) throw new ResourceFault(`${field}: ${value.error}`);
  return value;
};

const textsOf = (
  options: Readonly<Record<string, string | undefined>> = {},
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(options).map(([name, text = '']) => [name, text]));

const reservedSet = ({ reservedSystemCPUs }: KubeletConfig, topology: CpuTopology): readonly number[] => {
  const set = right('reservedSystemCPUs', parseCpuSet(reservedSystemCPUs));
  if (without(set, allCpus(topology)).length > 0)
    throw new ResourceFault(
      `reserved-cpus: ${reservedSystemCPUs} is not a subset of online-cpus: ${cpuSetText(allCpus(topology))}: change reservedSystemCPUs`,
    );
  return set;
};

const gatesOf = ({ featureGates }: KubeletConfig) => ({
  alphaOptions: isGateOn(featureGates, 'CPUManagerPolicyAlphaOptions'),
  betaOptions: isGateOn(featureGates, 'CPUManagerPolicyBetaOptions'),
});

const staticCpus = (
  { config, reservation }: ResourceFacts,
  machine: CpuTopology,
  { policy }: TopologySetup,
): StaticCpuPolicy => {
  const reserved = readAmounts(reservation).get('cpu');
  const milli = reserved ? Number(milliUnits(reserved)) : 0;
  if (milli <= 0)
    throw new ResourceFault(
      'cpuManagerPolicy: [cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero: set reservedSystemCPUs, systemReserved or kubeReserved',
    );
  const made = staticCpuPolicy({
    topology: machine,
    options: textsOf(config.cpuManagerPolicyOptions),
    gates: gatesOf(config),
    reservedCount: Math.ceil(milli / 1000),
    reservedSet: reservedSet(config, machine),
    topologyPolicy: policy,
  });
  if ('error' in made) throw new ResourceFault(`cpuManagerPolicy: new static policy error: ${made.error}`);
  return made;
};

const cpusOf = (facts: ResourceFacts, machine: CpuTopology, topology: TopologySetup) => {
  const { cpuManagerPolicy, cpuManagerPolicyOptions } = facts.config;
  reservedSet(facts.config, machine);
  if (cpuManagerPolicy === 'static') return { cpus: staticCpus(facts, machine, topology) };
  if (cpuManagerPolicy !== 'none')
    throw new ResourceFault(`cpuManagerPolicy: unknown policy: "${cpuManagerPolicy}": write none or static`);
  if (Object.keys(cpuManagerPolicyOptions ?? {}).length > 0)
    throw new ResourceFault(
      'cpuManagerPolicyOptions: new none policy error: None policy: received unsupported options: take them out, or set cpuManagerPolicy: static',
    );
  return {};
};

const pagesOf = ({ hugePages }: NodeReading): Readonly<Record<string, number>> =>
  Object.fromEntries(
    hugePages.map(({ pageSizeKiB, numPages }) => {
      const bytes = pageSizeKiB * 1024;
      const size = quantityText({ ...SIZE, nano: BigInt(bytes) * 1_000_000_000n });
      return [`hugepages-${size}`, bytes * numPages];
    }),
  );

const SIZE = { format: 'BinarySI', kept: { as: 'int64', exponent: 0 } } as const;

const memoryOf = ({ config, nodes, reservation }: ResourceFacts) => {
  const { memoryManagerPolicy, reservedMemory = [] } = config;
  if (memoryManagerPolicy === 'None') return {};
  if (memoryManagerPolicy !== 'Static')
    throw new ResourceFault(
      `memoryManagerPolicy: unknown policy: ${quote(memoryManagerPolicy)}: write None or Static`,
    );
  const reserved = reservedByNode(
    reservedMemory,
    nodes.map(({ id }) => id),
    reservation,
  );
  const byNode = right('reservedMemory', reserved);
  return {
    memory: freshMachine(
      nodes.map((node) => ({
        id: node.id,
        memoryBytes: node.memoryBytes,
        hugePages: pagesOf(node),
        systemReserved: byNode.byNode[node.id] ?? {},
      })),
    ),
  };
};

const topologyOf = ({ config, nodes }: ResourceFacts): TopologySetup => {
  const { featureGates, topologyManagerPolicy, topologyManagerScope, topologyManagerPolicyOptions } = config;
  const distances = distancesOf(nodes);
  return right(
    'topologyManagerPolicy',
    topologySetup({
      policy: topologyManagerPolicy,
      scope: topologyManagerScope,
      options: textsOf(topologyManagerPolicyOptions),
      nodes: nodes.map(({ id }) => id),
      ...(distances && { distances }),
      betaOptions: isGateOn(featureGates, 'TopologyManagerPolicyBetaOptions'),
    }),
  );
};

/** Throws a `ResourceFault` that names the field if the configuration does not fit the machine. */
export const resourceSetup = (facts: ResourceFacts): ResourceSetup => {
  const { config, cgroups, hasSwapController, memoryBytes, swapBytes, procSwaps } = facts;
  const { swapBehavior } = config.memorySwap;
  const fault = swapStartFault({ procSwaps, failSwapOn: config.failSwapOn, behavior: swapBehavior, cgroups });
  if (fault !== undefined) throw new ResourceFault(fault);
  const topology = topologyOf(facts);
  return {
    topology,
    ...cpusOf(facts, machineTopology(facts.nodes), topology),
    ...memoryOf(facts),
    swap: { cgroups, hasController: hasSwapController, behavior: swapBehavior, memoryBytes, swapBytes },
    bindPeriodMs: Number(config.cpuManagerReconcilePeriod) / 1e6,
    dropsQuota: isGateOn(config.featureGates, 'DisableCPUQuotaWithExclusiveCPUs'),
  };
};
