/** A random world that is explained every few seconds, and what happened in it. */
import { createChance } from '../../../shared/adapters/hostile/chance.ts';
import type { FaultRates } from '../../../shared/adapters/hostile/process.ts';
import type { Node, Pod } from '../../../shared/api/core.ts';
import type { LifecyclePolicySpec } from '../../../shared/api/lifecycle-policy.ts';
import { toTime } from '../../../shared/api/time.ts';
import type { ExplainDeps } from '../../../shared/apiserver/explain/explain-deps.ts';
import { explainNode } from '../../../shared/apiserver/explain/explain-node.ts';
import { explainPod } from '../../../shared/apiserver/explain/explain-pod.ts';
import type { Answer, Change } from '../../../shared/domain/explain/explanation.ts';
import { withDeletion } from '../../../shared/domain/pods/deletion.ts';
import { DEFAULT_SCHEDULER } from '../../../shared/domain/scheduling/pending.ts';
import type { LiveRow } from '../../../shared/ports/rows.ts';
import { taint } from '../../support/domain-objects.ts';
import * as fleet from '../../unit/lambdas/fleet.ts';
import { type BadDay, createBadDay } from './bad-day.ts';

const ZONES = ['a', 'b'];
const NODES_OF_ZONE = 5;
const LOOK_EVERY_MS = 3_000;
const NAMES = ZONES.flatMap((zone) => Array.from({ length: NODES_OF_ZONE }, (_, index) => `${zone}${index}`));
const HOLD = 'example.com/hold';

/** The answers about one object at one instant. */
export interface Sample {
  readonly at: number;
  readonly answers: ReadonlyMap<string, Answer>;
  /** For a node itself, for a pod that of its node. */
  readonly node: string;
  /** The latest beat of the node. */
  readonly beatAt: number;
  /** States and rates of all zones. */
  readonly zones: string;
  /** The object is gone. */
  readonly isEnd?: true;
}

/** Something that a client did. */
export interface Deed {
  readonly at: number;
  readonly change: Change;
  readonly name: string;
}

/** A day with its samples, by uid. */
export interface ExplainedDay {
  readonly day: BadDay;
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
  readonly deeds: readonly Deed[];
  /** When faults and clients stopped. */
  readonly calmAt: number;
  readonly endsAt: number;
}

const explainDeps = ({ plane }: BadDay): ExplainDeps => ({
  ...plane.state,
  clock: plane.clock,
  config: { nodeLifecycle: plane.config, schedulerName: DEFAULT_SCHEDULER },
  mayRead: async () => true,
});

const rowsOf = async ({ plane }: BadDay, resource: string): Promise<readonly LiveRow[]> =>
  (await plane.state.objects.page({ resource, namespace: '' })).rows;

const beatOf = async ({ plane }: BadDay, name: string): Promise<number> =>
  (await plane.state.heartbeats.read(fleet.leaseKey(name)))?.observedAt ?? 0;

const zonesOf = async ({ plane }: BadDay): Promise<string> =>
  JSON.stringify(
    (await plane.state.control.zones()).map(({ id, state, limiter }) => [id, state, limiter.rate]),
  );

const sampleOf = async (
  day: BadDay,
  row: LiveRow,
  explain: (deps: ExplainDeps, row: LiveRow) => Promise<readonly Answer[]>,
): Promise<Sample> => {
  const node = row.key.resource === 'nodes' ? row.key.name : ((row.object as Pod).spec.nodeName ?? '');
  const answers = await explain(explainDeps(day), row);
  const byQuestion = new Map(answers.map((answer) => [answer.question, answer]));
  return {
    at: day.plane.clock.now(),
    answers: byQuestion,
    node,
    beatAt: await beatOf(day, node),
    zones: await zonesOf(day),
  };
};

const look = async (day: BadDay, samples: Map<string, Sample[]>): Promise<void> => {
  const [nodes, pods] = [await rowsOf(day, 'nodes'), await rowsOf(day, 'pods')];
  const keep = (uid: string, sample: Sample): void => {
    samples.set(uid, [...(samples.get(uid) ?? []), sample]);
  };
  for (const row of nodes) keep(row.uid, await sampleOf(day, row, explainNode));
  for (const row of pods) keep(row.uid, await sampleOf(day, row, explainPod));
};

/** The tolerations of the pods of a world. */
const TOLERATIONS = [[], fleet.staying(20), fleet.staying(60), fleet.staying(), [{ operator: 'Exists' }]];

const POLICIES: readonly LifecyclePolicySpec[] = [
  { zones: ['a'], nodeMonitorGracePeriodSeconds: 65, flapDamping: { losses: 2, stableSeconds: 60 } },
  { zones: ['b'], fullDisruption: 'Hold', unhealthyZoneThreshold: 0.3 },
  { pacedNotReadyRate: 0.1, nodeEvictionRate: 0.3 },
];

const populate = async ({ plane, chance }: BadDay): Promise<void> => {
  for (const [index, spec] of POLICIES.entries())
    if (chance.hit(0.3)) await fleet.setPolicy(plane, `policy${index}`, spec);
  for (const name of NAMES) {
    await fleet.addNode(plane, name, { zone: name.slice(0, 1), ready: 'True' });
    for (const [index, tolerations] of TOLERATIONS.entries())
      await fleet.addPod(plane, `${name}-${index}`, {
        node: name,
        tolerations,
        graceSeconds: chance.hit(0.3) ? 0 : 30,
      });
  }
};

interface World {
  readonly day: BadDay;
  readonly alive: Set<string>;
  readonly deeds: Deed[];
}

type Act = (world: World, name: string, note: (change: Change, name: string) => void) => Promise<void>;

const change = (world: World, name: string, next: (node: Node) => Node): Promise<void> =>
  fleet.changeNode(world.day.plane, name, next);

const withTaint =
  (text: string) =>
  (node: Node): Node => {
    const taints = node.spec?.taints ?? [];
    const [{ key }, others] = [taint(text), taints.filter((one) => one.key !== taint(text).key)];
    const isThere = taints.some((one) => one.key === key);
    return { ...node, spec: { ...node.spec, taints: isThere ? others : [...taints, taint(text)] } };
  };

const podAt = (world: World, node: string): string =>
  `${node}-${Math.floor(world.day.chance.upTo(TOLERATIONS.length))}`;

/** What clients and machines do; each notes what it changes before it writes. */
const ACTS: readonly Act[] = [
  async ({ alive }, name) => void alive.delete(name),
  async ({ alive }, name) => void alive.delete(name),
  async ({ alive }) => {
    for (const name of NAMES) if (name.startsWith('a')) alive.delete(name);
  },
  async ({ day, alive }, name, note) => {
    note('NodeStatus', name);
    alive.add(name);
    await fleet.postReady(day.plane, name, 'True');
  },
  async ({ day }, name, note) => {
    note('NodeStatus', name);
    await fleet.postReady(day.plane, name, 'False');
  },
  async (world, name, note) => {
    note('ClientTaints', name);
    await change(world, name, withTaint('example.com/broken:NoExecute'));
  },
  async (world, name, note) => {
    note('OutOfServiceTaint', name);
    note('ClientTaints', name);
    await change(world, name, withTaint('node.kubernetes.io/out-of-service:NoSchedule'));
  },
  async (world, name, note) => {
    const pod = podAt(world, name);
    note('Tolerations', pod);
    await fleet.changePod(world.day.plane, pod, (given) => ({
      ...given,
      spec: { ...given.spec, tolerations: [...(given.spec.tolerations ?? []), { operator: 'Exists' }] },
    }));
  },
  async (world, name, note) => {
    const pod = podAt(world, name);
    note('Deletion', pod);
    const now = world.day.plane.clock.now();
    await fleet.changePod(world.day.plane, pod, (given) => withDeletion(given, 30, now));
  },
  async (world, name, note) => {
    const pod = podAt(world, name);
    note('ForceDeletion', pod);
    note('FinalizersRemoved', pod);
    note('Deletion', pod);
    await fleet.changePod(world.day.plane, pod, () => 'delete');
  },
  async (world, name, note) => {
    const pod = podAt(world, name);
    note('FinalizerAdded', pod);
    await fleet.changePod(world.day.plane, pod, (given) => {
      if (given.metadata.deletionTimestamp !== undefined) return given;
      return { ...given, metadata: { ...given.metadata, finalizers: [HOLD] } };
    });
  },
  async ({ day }, name, note) => {
    note('NodeDeleted', name);
    await fleet.removeNode(day.plane, name);
  },
  async ({ day, alive }, name, note) => {
    if (await fleet.nodeRow(day.plane, name)) return;
    note('NodeComesBack', name);
    alive.add(name);
    await fleet.addNode(day.plane, name, { zone: name.slice(0, 1), ready: 'True' });
  },
];

const actFor = async (world: World, ms: number): Promise<void> => {
  const { plane, chance } = world.day;
  const until = plane.clock.now() + ms;
  for (;;) {
    await plane.clock.sleep(chance.upTo(20_000));
    if (plane.clock.now() >= until) return;
    const act = ACTS[Math.floor(chance.upTo(ACTS.length))];
    const name = NAMES[Math.floor(chance.upTo(NAMES.length))] ?? '';
    await act?.(world, name, (kind, of) =>
      world.deeds.push({ at: plane.clock.now(), change: kind, name: of }),
    ).catch(() => undefined);
  }
};

const watch = async (day: BadDay, samples: Map<string, Sample[]>, until: number): Promise<void> => {
  while (day.plane.clock.now() < until) {
    await look(day, samples);
    await day.plane.clock.sleep(LOOK_EVERY_MS);
  }
};

/** Lives through a random day: clients and machines change things for `actsMs`, then faults and changes stop for `calmMs`. */
export const liveExplained = async (
  seed: number,
  rates: FaultRates,
  { actsMs, calmMs }: { readonly actsMs: number; readonly calmMs: number },
): Promise<ExplainedDay> => {
  const day = createBadDay(seed, rates, { nodeEvictionRate: 0.1 + createChance(seed).upTo(0.4) });
  const { plane } = day;
  await populate(day);
  const world: World = { day, alive: new Set(NAMES), deeds: [] };
  fleet.keepBeating({ ...plane, ...day.beating }, world.alive);
  const samples = new Map<string, Sample[]>();
  const startedAt = plane.clock.now();
  const calmAt = startedAt + actsMs;
  const endsAt = calmAt + calmMs;
  void actFor(world, actsMs);
  void watch(day, samples, endsAt);
  await plane.run(actsMs);
  day.calm();
  await plane.run(calmMs);
  return { day, samples, deeds: world.deeds, calmAt, endsAt };
};

/** For messages. */
export const clockText = (at: number): string => toTime(at).slice(11);
