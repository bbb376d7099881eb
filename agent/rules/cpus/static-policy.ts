/** The static CPU policy: its options, what it reserves, and the state to begin with. Containers get CPUs of their own by `allocate-cpus.ts`. Source: kubernetes v1.34 cpumanager `NewStaticPolicy`. */
import { cpuSetText } from '../config/cpu-set.ts';
import type { TopologyPolicy } from '../topology/merge-hints.ts';
import { type CpuSet, without } from './cpu-sets.ts';
import { type CpuState, cpuStateFault } from './cpu-state.ts';
import { allCpus, type CpuTopology, cpusIn } from './cpu-topology.ts';
import { type CpuOptionGates, type CpuOptions, cpuOptionsFault, parseCpuOptions } from './policy-options.ts';
import { takeByOptions } from './take-by-options.ts';
import type { NotTaken } from './take-cpus.ts';

export interface StaticCpuPolicy {
  readonly topology: CpuTopology;
  readonly options: CpuOptions;
  /** No container gets them for itself. */
  readonly reserved: CpuSet;
}

export interface CpuPolicyRequest {
  readonly topology: CpuTopology;
  readonly options: Readonly<Record<string, string>>;
  readonly gates: CpuOptionGates;
  /** Whole CPUs for the system and the agent. */
  readonly reservedCount: number;
  /** Which ones; empty: the policy chooses. */
  readonly reservedSet: CpuSet;
  readonly topologyPolicy: TopologyPolicy;
}

const reservedOf = (request: CpuPolicyRequest, options: CpuOptions): CpuSet => {
  const { topology, reservedCount, reservedSet } = request;
  if (reservedSet.length > 0) return reservedSet;
  const taken = takeByOptions({ topology, options }, allCpus(topology), reservedCount);
  return 'error' in taken ? [] : taken;
};

export const staticCpuPolicy = (request: CpuPolicyRequest): StaticCpuPolicy | NotTaken => {
  const { topology, reservedCount } = request;
  const options = parseCpuOptions(request.options, request.gates);
  if ('error' in options) return options;
  const fault = cpuOptionsFault(options, topology, request.topologyPolicy);
  if (fault !== undefined) return { error: fault };
  const reserved = reservedOf(request, options);
  if (reserved.length !== reservedCount)
    return {
      error: `[cpumanager] unable to reserve the required amount of CPUs (size of ${cpuSetText(reserved)} did not equal ${reservedCount})`,
    };
  const unknown = without(reserved, allCpus(topology))[0];
  if (unknown !== undefined)
    return {
      error: `[cpumanager] unable to build the reserved physical CPUs from the reserved set: unknown CPU ID: ${unknown}`,
    };
  return { topology, options, reserved };
};

/** What containers share as long as none has CPUs of its own. */
const allForContainers = ({ topology, options, reserved }: StaticCpuPolicy): CpuSet =>
  options.has('strict-cpu-reservation') ? without(allCpus(topology), reserved) : allCpus(topology);

/** The state to begin with: the one that was kept, if it fits this machine and configuration. */
export const startedState = (policy: StaticCpuPolicy, kept: CpuState): CpuState | NotTaken => {
  const all = allForContainers(policy);
  const isStrict = policy.options.has('strict-cpu-reservation');
  const fault = cpuStateFault(kept, { all, reserved: policy.reserved, isStrict, textOf: cpuSetText });
  if (fault !== undefined) return { error: fault };
  return kept.shared.length === 0 ? { ...kept, shared: all } : kept;
};

/** The CPUs of all cores of which a part is reserved. */
export const reservedCores = ({ topology, reserved }: StaticCpuPolicy): CpuSet => {
  const kept = new Set(reserved);
  const cores = topology.cpus.flatMap(({ cpu, core }) => (kept.has(cpu) ? [core] : []));
  return cpusIn(topology, 'core', cores);
};

/** The CPUs that a container can have for itself. */
export const availableCpus = ({ reserved }: StaticCpuPolicy, { shared }: CpuState): CpuSet =>
  without(shared, reserved);
