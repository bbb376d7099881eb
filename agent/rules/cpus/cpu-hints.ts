/** From which NUMA nodes a container could get its CPUs. Source: kubernetes v1.34 cpumanager `generateCPUTopologyHints`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { containersInOrder } from '../pod-actions/containers-in-time.ts';
import type { ResourceHints, TopologyHint } from '../topology/hint.ts';
import { countOf, masksOf, type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import type { CpuReuse } from './allocate-cpus.ts';
import { exclusiveCpus, exclusiveCpusOfPod } from './cpu-requests.ts';
import { type CpuSet, together } from './cpu-sets.ts';
import { assignedCpus, type CpuState, cpusOfPod } from './cpu-state.ts';
import { type CpuTopology, idsOf } from './cpu-topology.ts';
import { availableCpus, type StaticCpuPolicy } from './static-policy.ts';

/** Numbers of CPUs by NUMA node. */
type Counts = ReadonlyMap<number, number>;

const countsOf = ({ cpus }: CpuTopology, of: ReadonlySet<number> | undefined): Counts => {
  const counts = new Map<number, number>();
  for (const { cpu, numa } of cpus) if (!of || of.has(cpu)) counts.set(numa, (counts.get(numa) ?? 0) + 1);
  return counts;
};

const sumIn = (counts: Counts, nodes: readonly number[]): number =>
  nodes.reduce((sum, node) => sum + (counts.get(node) ?? 0), 0);

/** Whether the nodes lie in no more sockets than the request needs. */
const isInFewSockets = (
  { cpus, numaNodes, sockets }: CpuTopology,
  mask: NumaMask,
  fewest: number,
): boolean => {
  const perSocket = Math.trunc(numaNodes / sockets);
  if (perSocket === 0) return false;
  const nodes = nodesOf(mask);
  const spanned = idsOf(
    cpus.filter(({ numa }) => nodes.includes(numa)),
    'socket',
  );
  return spanned.length === Math.ceil(fewest / perSocket);
};

/** All sets of nodes that have enough; the smallest sets that could ever have enough are preferred. */
const hintsFor = (
  { topology, options }: StaticCpuPolicy,
  available: CpuSet,
  reusable: CpuSet,
  wanted: number,
): readonly TopologyHint[] => {
  const nodes = idsOf(topology.cpus, 'numa');
  const all = countsOf(topology, undefined);
  const free = countsOf(topology, new Set(available));
  const again = countsOf(topology, new Set(reusable));
  let fewest = nodes.length;
  const masks: NumaMask[] = [];
  for (const mask of masksOf(nodes)) {
    const inside = nodesOf(mask);
    if (sumIn(all, inside) >= wanted) fewest = Math.min(fewest, inside.length);
    // What the pod has already must be inside.
    const reused = sumIn(again, inside);
    if (reused === reusable.length && reused + sumIn(free, inside) >= wanted) masks.push(mask);
  }
  const bySocket = options.has('align-by-socket');
  return masks.map((mask) => ({
    affinity: mask,
    isPreferred: countOf(mask) === fewest || (bySocket && isInFewSockets(topology, mask, fewest)),
  }));
};

const IMPOSSIBLE: ResourceHints = { cpu: [] };

/** `undefined`: the container has no CPUs of its own. */
export const cpuHints = (
  policy: StaticCpuPolicy,
  state: CpuState & CpuReuse,
  pod: AgentPod,
  container: Container,
): ResourceHints | undefined => {
  const wanted = exclusiveCpus(pod, container);
  if (wanted === 0) return undefined;
  const uid = pod.metadata.uid ?? '';
  const has = assignedCpus(state, uid, container.name);
  if (!has) return { cpu: hintsFor(policy, availableCpus(policy, state), state.reusable[uid] ?? [], wanted) };
  return has.length === wanted ? { cpu: hintsFor(policy, has, [], wanted) } : IMPOSSIBLE;
};

const isKept = (state: CpuState, pod: AgentPod): boolean =>
  containersInOrder(pod).every((container) => {
    const has = assignedCpus(state, pod.metadata.uid ?? '', container.name);
    return !has || has.length === exclusiveCpus(pod, container);
  });

/** For all containers of the pod together. */
export const cpuHintsOfPod = (
  policy: StaticCpuPolicy,
  state: CpuState & CpuReuse,
  pod: AgentPod,
): ResourceHints | undefined => {
  const wanted = exclusiveCpusOfPod(pod);
  if (wanted === 0) return undefined;
  if (!isKept(state, pod)) return IMPOSSIBLE;
  const uid = pod.metadata.uid ?? '';
  const has = cpusOfPod(state, uid);
  if (has.length === wanted) return { cpu: hintsFor(policy, has, [], wanted) };
  const reusable = together(state.reusable[uid] ?? [], has);
  return { cpu: hintsFor(policy, availableCpus(policy, state), reusable, wanted) };
};
