import type { AgentPod } from '../../../agent/rules/containers/agent-pod.ts';
import type { Container } from '../../../agent/rules/containers/container.ts';
import {
  type AllocationFault,
  admitByTopology,
  type HintProvider,
} from '../../../agent/rules/topology/admit-pod.ts';
import type { TopologyHint } from '../../../agent/rules/topology/hint.ts';
import {
  isBetterHint,
  type MergedHint,
  mergeHints,
  type TopologyPolicy,
} from '../../../agent/rules/topology/merge-hints.ts';
import { meanDistance, type NumaDistances } from '../../../agent/rules/topology/numa-info.ts';
import {
  countOf,
  isNarrower,
  knownMask,
  maskOf,
  masksOf,
  maskText,
  nodesOf,
} from '../../../agent/rules/topology/numa-mask.ts';
import { type TopologyScope, topologySetup } from '../../../agent/rules/topology/policy-options.ts';
import {
  hintOf,
  type RecordedHint,
  type RecordedHints,
  recordedHint,
  resourceHintsOf,
} from '../../support/agent/recorded/recorded-hints.ts';
import { type Replays, replay } from '../replay.ts';

interface MergeRow {
  readonly policy: TopologyPolicy;
  readonly nodes: readonly number[];
  readonly providers: readonly (RecordedHints | null)[];
  readonly distances?: NumaDistances;
}

interface CompareRow {
  readonly b: number;
  readonly policy: TopologyPolicy;
  readonly current: RecordedHint | null;
  readonly candidate: RecordedHint;
  readonly distances?: NumaDistances;
}

interface ConstructRow {
  readonly policy: string;
  readonly scope: string;
  readonly nodes: number;
  readonly distances: boolean;
  readonly options: Readonly<Record<string, string>>;
}

interface Stub {
  readonly containerHints: Readonly<Record<string, RecordedHints | null>>;
  readonly podHints: RecordedHints | null;
  readonly allocateErrors: Readonly<Record<string, { readonly text: string; readonly type?: string }>>;
}

interface AdmitRow {
  readonly policy: TopologyPolicy;
  readonly scope: TopologyScope;
  readonly nodes: readonly number[];
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
  readonly providers: readonly Stub[];
}

const mergedOf = (recorded: RecordedHint): MergedHint => ({ affinity: 0n, ...hintOf(recorded) });

const stubProvider = (stub: Stub, name: string, calls: string[]): HintProvider => ({
  hints: (_, container) => {
    calls.push(`${name}.hints ${container.name}`);
    return resourceHintsOf(stub.containerHints[container.name] ?? null);
  },
  podHints: () => {
    calls.push(`${name}.podhints`);
    return resourceHintsOf(stub.podHints);
  },
  allocate: (_, container): AllocationFault | undefined => {
    calls.push(`${name}.allocate ${container.name}`);
    const fault = stub.allocateErrors[container.name];
    return fault && { error: fault.text, ...(fault.type !== undefined && { type: fault.type }) };
  },
});

const namedContainers = (names: readonly string[]): readonly Container[] => names.map((name) => ({ name }));

const NOT_STORED: TopologyHint = { isPreferred: false };

const admitted = ({ policy, scope, nodes, initContainers, containers, providers }: AdmitRow): unknown => {
  const calls: string[] = [];
  const pod: AgentPod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns', uid: 'u' },
    spec: { initContainers: namedContainers(initContainers), containers: namedContainers(containers) },
  };
  const setup = { policy, scope: policy === 'none' ? ('none' as const) : scope, numa: { nodes } };
  const stubs = providers.map((stub, index) => stubProvider(stub, `p${index}`, calls));
  const { verdict, hints } = admitByTopology(setup, stubs, pod);
  const affinity = Object.fromEntries(
    [...initContainers, ...containers].map((name) => [name, recordedHint(hints[name] ?? NOT_STORED)]),
  );
  return {
    admit: verdict.admit,
    affinity: policy === 'none' ? null : affinity,
    calls,
    message: verdict.admit ? '' : verdict.message,
    reason: verdict.admit ? '' : verdict.reason,
  };
};

export const TABLES: Replays = {
  'topology-bitmask': replay((given: { readonly a: readonly number[]; readonly b: readonly number[] }) => {
    const [a, b] = [maskOf(given.a), maskOf(given.b)];
    if (typeof a === 'object') return a;
    if (typeof b === 'object') return b;
    return {
      and: nodesOf(a & b),
      or: nodesOf(a | b),
      count: countOf(a),
      equal: a === b,
      greater: a > b,
      less: a < b,
      narrower: isNarrower(a, b),
      string: maskText(a),
    };
  }),
  'topology-iterate': replay(({ nodes }: { readonly nodes: readonly number[] }) =>
    [...masksOf(nodes)].map(nodesOf),
  ),
  'topology-distance': replay(
    (given: { readonly distances: NumaDistances; readonly mask: readonly number[] }) =>
      meanDistance(given.distances, knownMask(given.mask)),
  ),
  'topology-compare': replay(({ b, policy, current, candidate, distances }: CompareRow) => {
    const numa = { nodes: [], ...(distances && policy !== 'single-numa-node' && { distances }) };
    return isBetterHint(numa, b, current ? mergedOf(current) : undefined, mergedOf(candidate))
      ? 'candidate'
      : 'current';
  }),
  'topology-merge': replay(({ policy, nodes, providers, distances }: MergeRow) => {
    const numa = { nodes, ...(distances && { distances }) };
    const { hint, isAdmitted } = mergeHints(policy, numa, providers.map(resourceHintsOf));
    return { hint: recordedHint(hint), admit: isAdmitted };
  }),
  'topology-construct': replay(({ nodes, distances, ...request }: ConstructRow) => {
    const setup = topologySetup({
      ...request,
      nodes: Array.from({ length: nodes }, (_, node) => node),
      ...(distances && { distances: {} }),
      betaOptions: true,
    });
    return 'error' in setup ? setup : { error: null, policy: setup.policy, scope: setup.scope };
  }),
  'topology-admit': replay(admitted),
};
