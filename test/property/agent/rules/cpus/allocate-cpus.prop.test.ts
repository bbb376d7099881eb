import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import { allocateCpus, type CpuBook, releaseCpus } from '../../../../../agent/rules/cpus/allocate-cpus.ts';
import { EMPTY_STATE } from '../../../../../agent/rules/cpus/cpu-state.ts';
import { type CpuInfo, topologyOf } from '../../../../../agent/rules/cpus/cpu-topology.ts';
import {
  type StaticCpuPolicy,
  startedState,
  staticCpuPolicy,
} from '../../../../../agent/rules/cpus/static-policy.ts';
import { knownMask } from '../../../../../agent/rules/topology/numa-mask.ts';

const OPTIONS = [
  {},
  { 'full-pcpus-only': 'true' },
  { 'distribute-cpus-across-numa': 'true' },
  { 'distribute-cpus-across-cores': 'true' },
  { 'align-by-socket': 'true' },
  { 'strict-cpu-reservation': 'true' },
  { 'prefer-align-cpus-by-uncorecache': 'true' },
  { 'full-pcpus-only': 'true', 'distribute-cpus-across-numa': 'true' },
] as const;

interface Shape {
  readonly sockets: number;
  readonly numaPerSocket: number;
  readonly coresPerNuma: number;
  readonly threads: number;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  sockets: fc.integer({ min: 1, max: 2 }),
  numaPerSocket: fc.integer({ min: 1, max: 4 }),
  coresPerNuma: fc.integer({ min: 1, max: 6 }),
  threads: fc.integer({ min: 1, max: 2 }),
});

const machineOf = ({ sockets, numaPerSocket, coresPerNuma, threads }: Shape): readonly CpuInfo[] => {
  const cores = sockets * numaPerSocket * coresPerNuma;
  return Array.from({ length: cores * threads }, (_, cpu) => {
    const core = cpu % cores;
    const numa = Math.trunc(core / coresPerNuma);
    return { cpu, core, numa, socket: Math.trunc(numa / numaPerSocket), uncore: numa };
  });
};

const podOf = (uid: string, cpus: number): AgentPod => {
  const amounts = { cpu: String(cpus), memory: '1Gi' };
  const containers = [{ name: 'c', resources: { requests: amounts, limits: amounts } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: uid, uid }, spec: { containers } };
};

const step = fc.record({
  pod: fc.integer({ min: 0, max: 5 }),
  cpus: fc.integer({ min: 1, max: 12 }),
  nodes: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 1 }), { minLength: 1 })),
  isAdded: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

interface Machine {
  readonly policy: StaticCpuPolicy;
  readonly started: CpuBook;
}

const startedMachine = (given: Shape, options: Readonly<Record<string, string>>): Machine | undefined => {
  const topology = topologyOf(machineOf(given));
  const policy = staticCpuPolicy({
    topology,
    options,
    reservedCount: 1,
    reservedSet: [],
    topologyPolicy: 'best-effort',
    gates: { alphaOptions: true, betaOptions: true },
  });
  if ('error' in policy) return undefined;
  const started = startedState(policy, EMPTY_STATE);
  return 'error' in started ? undefined : { policy, started: { ...started, reusable: {} } };
};

/** What a pod has is asked for again with the same number. */
const askedAgain = (book: CpuBook, { pod, cpus }: Step): number =>
  book.assignments[`u${pod}`]?.['c']?.length ?? cpus;

const after = (policy: StaticCpuPolicy, book: CpuBook, now: Step): CpuBook => {
  const uid = `u${now.pod}`;
  if (!now.isAdded) return releaseCpus(book, uid, 'c');
  const pod = podOf(uid, askedAgain(book, now));
  const [container = { name: 'c' }] = pod.spec.containers;
  const hint = { isPreferred: true, ...(now.nodes && { affinity: knownMask(now.nodes) }) };
  const next = allocateCpus(policy, book, { pod, container, hint });
  return 'error' in next ? book : next;
};

const expectWhole = ({ policy, started }: Machine, book: CpuBook): void => {
  const own = Object.values(book.assignments).flatMap(({ c = [] }) => c);
  expect([...book.shared, ...own].toSorted((a, b) => a - b)).toEqual(started.shared);
  for (const cpu of policy.reserved) expect(own).not.toContain(cpu);
};

test('each CPU is shared or belongs to one container, as many as it asked for, and all come back', () => {
  let given = 0;
  fc.assert(
    fc.property(shape, fc.constantFrom(...OPTIONS), fc.array(step), (drawn, options, steps) => {
      const machine = startedMachine(drawn, options);
      if (!machine) return;
      let book = machine.started;
      for (const now of steps) {
        const before = book.assignments[`u${now.pod}`]?.['c'];
        book = after(machine.policy, book, now);
        const has = book.assignments[`u${now.pod}`]?.['c'];
        if (has) expect(has).toHaveLength(before?.length ?? now.cpus);
        if (has && !before) given += 1;
        expectWhole(machine, book);
      }
      for (const uid of Object.keys(book.assignments)) book = releaseCpus(book, uid, 'c');
      expect(book).toMatchObject({ shared: machine.started.shared, assignments: {} });
    }),
  );
  expect(given).toBeGreaterThan(30);
});
