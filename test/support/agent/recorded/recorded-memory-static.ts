/** Replays a row of `memory-static`: pods come and go on a machine whose memory is given away. */

import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { allocateMemory, releaseMemory } from '../../../../agent/rules/memory/allocate-memory.ts';
import { memoryHints, memoryHintsOfPod } from '../../../../agent/rules/memory/memory-hints.ts';
import type { MemoryBook, NodeMemory } from '../../../../agent/rules/memory/memory-state.ts';
import { freshMachine } from '../../../../agent/rules/memory/static-policy.ts';
import { containersInOrder } from '../../../../agent/rules/pod-actions/containers-in-time.ts';
import { admitByTopology, type HintProvider } from '../../../../agent/rules/topology/admit-pod.ts';
import type { ResourceHints } from '../../../../agent/rules/topology/hint.ts';
import { type TopologySetup, topologySetup } from '../../../../agent/rules/topology/policy-options.ts';
import { recordedHint } from './recorded-hints.ts';

type Operation = { readonly add: AgentPod } | { readonly remove: readonly [string, string] };

export interface MemoryStaticRow {
  readonly nodes: readonly {
    readonly id: number;
    readonly memory: number;
    /** Pages. */
    readonly hugepages1Gi: number;
    readonly systemReserved: number;
  }[];
  readonly topologyPolicy: string;
  readonly topologyScope: string;
  readonly operations: readonly Operation[];
}

interface Machine {
  readonly setup: TopologySetup;
  book: MemoryBook;
}

const GIB = 1024 ** 3;

const asRecorded = (hints: ResourceHints | undefined): unknown =>
  hints
    ? Object.fromEntries(Object.entries(hints).map(([type, list]) => [type, list?.map(recordedHint) ?? null]))
    : null;

const providerOf = (machine: Machine, asked: Record<string, unknown>): HintProvider => ({
  hints: (pod, container) => {
    const hints = memoryHints(machine.book, pod, container);
    asked[container.name] = asRecorded(hints);
    return hints;
  },
  podHints: (pod) => {
    const hints = memoryHintsOfPod(machine.book, pod);
    asked['pod'] = asRecorded(hints);
    return hints;
  },
  allocate: (pod, container, hint) => {
    const book = allocateMemory(machine.book, { pod, container, hint });
    if ('error' in book) return book;
    machine.book = book;
    return undefined;
  },
});

const added = (machine: Machine, pod: AgentPod): object => {
  const hints: Record<string, unknown> = {};
  const { verdict } = admitByTopology(machine.setup, [providerOf(machine, hints)], pod);
  const uid = pod.metadata.uid ?? '';
  const blocks = Object.fromEntries(
    Object.entries(machine.book.entries[uid] ?? {}).map(([name, list]) => [
      name,
      list.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
    ]),
  );
  if (!verdict.admit)
    for (const { name } of containersInOrder(pod)) machine.book = releaseMemory(machine.book, uid, name);
  return {
    admit: verdict.admit,
    blocks,
    hints,
    message: verdict.admit ? '' : verdict.message,
    reason: verdict.admit ? '' : verdict.reason,
  };
};

const recordedNode = ({ numberOfAssignments, cells, memoryMap }: NodeMemory): object => ({
  assignments: numberOfAssignments,
  cells,
  ...Object.fromEntries(
    Object.entries(memoryMap).map(([type, { free, reserved }]) => [type, { free, reserved }]),
  ),
});

const step = (machine: Machine, operation: Operation): object => {
  const answer = 'add' in operation ? added(machine, operation.add) : {};
  if ('remove' in operation) machine.book = releaseMemory(machine.book, ...operation.remove);
  const nodes = Object.entries(machine.book.machineState).map(([id, node]) => [id, recordedNode(node)]);
  return { ...answer, nodes: Object.fromEntries(nodes) };
};

/** All nodes of a machine that knows pages of this size list them, even if they have none. */
const listsHugePages = ({ nodes, operations }: MemoryStaticRow): boolean =>
  nodes.some(({ hugepages1Gi }) => hugepages1Gi > 0) || JSON.stringify(operations).includes('hugepages-1Gi');

export const memoryStaticRun = (row: MemoryStaticRow): unknown => {
  const setup = topologySetup({
    policy: row.topologyPolicy,
    scope: row.topologyScope,
    options: {},
    betaOptions: true,
    nodes: row.nodes.map(({ id }) => id),
  });
  if ('error' in setup) return setup;
  const hasPages = listsHugePages(row);
  const machineState = freshMachine(
    row.nodes.map(({ id, memory, hugepages1Gi, systemReserved }) => ({
      id,
      memoryBytes: memory,
      hugePages: hasPages ? { 'hugepages-1Gi': hugepages1Gi * GIB } : {},
      systemReserved: { memory: systemReserved },
    })),
  );
  const machine: Machine = { setup, book: { machineState, entries: {}, reusable: {} } };
  return row.operations.map((operation) => step(machine, operation));
};
