/** A random world that is explained every few seconds, and what happened in it. */
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import type { FaultRates } from '../../../../shared/adapters/hostile/process.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import type { Change } from '../../../../shared/rules/explain/explanation.ts';
import { withDeletion } from '../../../../shared/rules/pods/deletion.ts';
import { oneOf } from '../../../support/faults/one-of.ts';
import { taint } from '../../../support/objects/domain-objects.ts';
import { type BadDay, createBadDay } from '../../../support/planes/bad-day.ts';
import * as fleet from '../../../support/planes/fleet.ts';
import {
  type Act,
  manage,
  type Note,
  startParts,
  startPolicies,
  type World,
  withApp,
} from './explain-parts.ts';
import { look, type Sample } from './explain-samples.ts';

const ZONES = ['a', 'b'];
const NODES_OF_ZONE = 5;
const LOOK_EVERY_MS = 3_000;
const NAMES = ZONES.flatMap((zone) => Array.from({ length: NODES_OF_ZONE }, (_, index) => `${zone}${index}`));
const HOLD = 'example.com/hold';

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

/** The tolerations of the pods of a world. */
const TOLERATIONS = [[], fleet.staying(20), fleet.staying(60), fleet.staying(), [{ operator: 'Exists' }]];

const populate = async (day: BadDay): Promise<void> => {
  const { plane, chance } = day;
  await startPolicies(day);
  for (const name of NAMES) {
    await fleet.addNode(plane, name, { zone: name.slice(0, 1), ready: 'True' });
    await manage(day, name);
    for (const [index, tolerations] of TOLERATIONS.entries())
      await fleet.addPod(plane, `${name}-${index}`, {
        node: name,
        tolerations,
        graceSeconds: chance.hit(0.3) ? 0 : 30,
      });
    await fleet.changePod(plane, `${name}-0`, withApp);
    await fleet.changePod(plane, `${name}-4`, withApp);
  }
};

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
    await manage(day, name);
  },
];

const actFor = async (world: World, acts: readonly Act[], ms: number, note: Note): Promise<void> => {
  const { plane, chance } = world.day;
  const until = plane.clock.now() + ms;
  for (;;) {
    await plane.clock.sleep(chance.upTo(20_000));
    if (plane.clock.now() >= until) return;
    const [act, name] = [oneOf(chance, acts), oneOf(chance, NAMES)];
    await act(world, name, note).catch(() => undefined);
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
  const world: World = { day, alive: new Set(NAMES) };
  const deeds: Deed[] = [];
  const note: Note = (kind, name) => void deeds.push({ at: plane.clock.now(), change: kind, name });
  const acts = [...ACTS, ...(await startParts(world, note))];
  fleet.keepBeating({ ...plane, ...day.beating }, world.alive);
  const samples = new Map<string, Sample[]>();
  const startedAt = plane.clock.now();
  const calmAt = startedAt + actsMs;
  const endsAt = calmAt + calmMs;
  void actFor(world, acts, actsMs, note);
  void watch(day, samples, endsAt);
  await plane.run(actsMs);
  day.calm();
  await plane.run(calmMs);
  return { day, samples, deeds, calmAt, endsAt };
};

/** For messages. */
export const clockText = (at: number): string => toTime(at).slice(11);
