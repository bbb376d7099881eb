/** Replays a row of `cpu-static`: pods come and go on a machine whose CPUs are given away. */
import { cpuSetText, parseCpuSet } from '../../../../agent/rules/config/cpu-set.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { allocateCpus, type CpuBook, releaseCpus } from '../../../../agent/rules/cpus/allocate-cpus.ts';
import { cpuHints, cpuHintsOfPod } from '../../../../agent/rules/cpus/cpu-hints.ts';
import { EMPTY_STATE } from '../../../../agent/rules/cpus/cpu-state.ts';
import {
  type StaticCpuPolicy,
  startedState,
  staticCpuPolicy,
} from '../../../../agent/rules/cpus/static-policy.ts';
import { containersInOrder } from '../../../../agent/rules/pod-actions/containers-in-time.ts';
import { admitByTopology, type HintProvider } from '../../../../agent/rules/topology/admit-pod.ts';
import type { ResourceHints } from '../../../../agent/rules/topology/hint.ts';
import type { TopologyPolicy } from '../../../../agent/rules/topology/merge-hints.ts';
import { type TopologySetup, topologySetup } from '../../../../agent/rules/topology/policy-options.ts';
import { type RecordedCpu, recordedTopology } from './recorded-cpus.ts';
import { recordedHint } from './recorded-hints.ts';

type Operation = { readonly add: AgentPod } | { readonly remove: readonly [string, string] };

export interface CpuStaticRow {
  readonly cpus: readonly RecordedCpu[];
  readonly options: Readonly<Record<string, string>>;
  readonly reservedCount: number;
  readonly reservedSet: string;
  readonly topologyPolicy: TopologyPolicy;
  readonly topologyScope: string;
  readonly operations: readonly Operation[];
}

const valid = <Value extends object>(value: Value | { readonly error: string }): Value => {
  if ('error' in value) throw new Error(value.error);
  return value;
};

/** What a provider was asked, as the tables write it. */
const asRecorded = (hints: ResourceHints | undefined, resource: string): unknown =>
  hints ? (hints[resource]?.map(recordedHint) ?? null) : null;

interface Machine {
  readonly policy: StaticCpuPolicy;
  readonly setup: TopologySetup;
  book: CpuBook;
}

const providerOf = (machine: Machine, asked: Record<string, unknown>): HintProvider => ({
  hints: (pod, container) => {
    const hints = cpuHints(machine.policy, machine.book, pod, container);
    asked[container.name] = asRecorded(hints, 'cpu');
    return hints;
  },
  podHints: (pod) => {
    const hints = cpuHintsOfPod(machine.policy, machine.book, pod);
    asked['pod'] = asRecorded(hints, 'cpu');
    return hints;
  },
  allocate: (pod, container, hint) => {
    const book = allocateCpus(machine.policy, machine.book, { pod, container, hint });
    if ('error' in book) return book;
    machine.book = book;
    return undefined;
  },
});

const added = (machine: Machine, pod: AgentPod): unknown => {
  const hints: Record<string, unknown> = {};
  const { verdict } = admitByTopology(machine.setup, [providerOf(machine, hints)], pod);
  const uid = pod.metadata.uid ?? '';
  const cpus = Object.fromEntries(
    Object.entries(machine.book.assignments[uid] ?? {}).map(([name, set]) => [name, cpuSetText(set)]),
  );
  if (!verdict.admit)
    for (const { name } of containersInOrder(pod)) machine.book = releaseCpus(machine.book, uid, name);
  return {
    admit: verdict.admit,
    cpus,
    hints,
    message: verdict.admit ? '' : verdict.message,
    reason: verdict.admit ? '' : verdict.reason,
  };
};

const step = (machine: Machine, operation: Operation): object => {
  if ('add' in operation) {
    const answer = added(machine, operation.add) as object;
    return { ...answer, default: cpuSetText(machine.book.shared) };
  }
  machine.book = releaseCpus(machine.book, ...operation.remove);
  return { default: cpuSetText(machine.book.shared) };
};

export const cpuStaticRun = (row: CpuStaticRow): unknown => {
  const { options, reservedCount, topologyPolicy } = row;
  const topology = recordedTopology(row.cpus);
  const nodes = [...new Set(row.cpus.map(([, , , numa]) => numa))].sort((a, b) => a - b);
  const setup = valid(
    topologySetup({
      policy: topologyPolicy,
      scope: row.topologyScope,
      options: {},
      nodes,
      betaOptions: true,
    }),
  );
  const policy = staticCpuPolicy({
    topology,
    options,
    reservedCount,
    topologyPolicy,
    reservedSet: valid(parseCpuSet(row.reservedSet)),
    gates: { alphaOptions: true, betaOptions: true },
  });
  if ('error' in policy) return policy;
  const state = valid(startedState(policy, EMPTY_STATE));
  const machine: Machine = { policy, setup, book: { ...state, reusable: {} } };
  return {
    default: cpuSetText(machine.book.shared),
    reserved: cpuSetText(policy.reserved),
    steps: row.operations.map((operation) => step(machine, operation)),
  };
};
