/** Gives containers CPUs of their own, and takes them back. Source: kubernetes v1.34 cpumanager `staticPolicy.Allocate`, `RemoveContainer`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { isPassing } from '../pod-actions/containers-in-time.ts';
import type { AllocationFault } from '../topology/admit-pod.ts';
import type { TopologyHint } from '../topology/hint.ts';
import { nodesOf } from '../topology/numa-mask.ts';
import { exclusiveCpus } from './cpu-requests.ts';
import { type CpuSet, common, together, without } from './cpu-sets.ts';
import { assignedCpus, type CpuState, cpusOfPod, withAssignment } from './cpu-state.ts';
import { cpusIn, cpusPerCore, idsOf } from './cpu-topology.ts';
import { availableCpus, reservedCores, type StaticCpuPolicy } from './static-policy.ts';
import { takeByOptions } from './take-by-options.ts';
import type { NotTaken } from './take-cpus.ts';

/** CPUs of init containers, which later containers of the same pod get. Only those of the pod that was looked at last are known. */
export interface CpuReuse {
  readonly reusable: Readonly<Record<string, CpuSet>>;
}

export type CpuBook = CpuState & CpuReuse;

const SMT_ALIGNMENT_ERROR = 'SMTAlignmentError';

/** Whole cores only: `full-pcpus-only`. Cores of which a part is reserved do not count. */
const alignmentFault = (
  policy: StaticCpuPolicy,
  state: CpuState,
  wanted: number,
): AllocationFault | undefined => {
  if (!policy.options.has('full-pcpus-only')) return undefined;
  const perCore = cpusPerCore(policy.topology);
  if (wanted % perCore !== 0)
    return {
      type: SMT_ALIGNMENT_ERROR,
      error: `SMT Alignment Error: requested ${wanted} cpus not multiple cpus per core = ${perCore}`,
    };
  const free = without(state.shared, reservedCores(policy)).length;
  return wanted <= free
    ? undefined
    : {
        type: SMT_ALIGNMENT_ERROR,
        error: `SMT Alignment Error: not enough free physical CPUs: available physical CPUs = ${free}, requested CPUs = ${wanted}, CPUs per core = ${perCore}`,
      };
};

const reusableAfter = (
  book: CpuBook,
  pod: AgentPod,
  container: Container,
  cpus: CpuSet,
): CpuBook['reusable'] => {
  const uid = pod.metadata.uid ?? '';
  const before = book.reusable[uid] ?? [];
  return { [uid]: isPassing(pod, container) ? together(before, cpus) : without(before, cpus) };
};

/** Those of the allowed CPUs that are where the hint says; with `align-by-socket` in the same sockets. */
const near = ({ topology, options }: StaticCpuPolicy, nodes: readonly number[], allowed: CpuSet): CpuSet => {
  if (!options.has('align-by-socket')) return common(allowed, cpusIn(topology, 'numa', nodes));
  const there = topology.cpus.filter(({ numa }) => nodes.includes(numa));
  return common(allowed, cpusIn(topology, 'socket', idsOf(there, 'socket')));
};

/** First what is near, then what is missing from anywhere. */
const chosen = (
  policy: StaticCpuPolicy,
  allowed: CpuSet,
  wanted: number,
  { affinity }: TopologyHint,
): CpuSet | NotTaken => {
  const nearby = affinity === undefined ? [] : near(policy, nodesOf(affinity), allowed);
  const first = takeByOptions(policy, nearby, Math.min(wanted, nearby.length));
  if ('error' in first) return first;
  const rest = takeByOptions(policy, without(allowed, first), wanted - first.length);
  return 'error' in rest ? rest : together(first, rest);
};

/** The book with the container in it; unchanged if it has no CPUs of its own. */
export const allocateCpus = (
  policy: StaticCpuPolicy,
  book: CpuBook,
  {
    pod,
    container,
    hint,
  }: { readonly pod: AgentPod; readonly container: Container; readonly hint: TopologyHint },
): CpuBook | AllocationFault => {
  const wanted = exclusiveCpus(pod, container);
  if (wanted === 0) return book;
  const fault = alignmentFault(policy, book, wanted);
  if (fault) return fault;
  const uid = pod.metadata.uid ?? '';
  const has = assignedCpus(book, uid, container.name);
  if (has) return { ...book, reusable: reusableAfter(book, pod, container, has) };
  const allowed = together(availableCpus(policy, book), book.reusable[uid] ?? []);
  const cpus = chosen(policy, allowed, wanted, hint);
  if ('error' in cpus) return cpus;
  return {
    shared: without(book.shared, cpus),
    assignments: withAssignment(book.assignments, uid, container.name, cpus),
    reusable: reusableAfter(book, pod, container, cpus),
  };
};

/** What no other container of the pod uses is shared again. */
export const releaseCpus = (book: CpuBook, podUid: string, container: string): CpuBook => {
  const has = assignedCpus(book, podUid, container);
  if (!has) return book;
  const released = without(has, cpusOfPod(book, podUid, container));
  return {
    ...book,
    shared: together(book.shared, released),
    assignments: withAssignment(book.assignments, podUid, container, undefined),
  };
};
