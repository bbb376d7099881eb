/** One long day of a small fleet, by a seed: machines die, flap and live, users meddle, and faults strike until they stop. */

import { resync } from '../../../lambdas/change-router/resync.ts';
import { createChance } from '../../../shared/adapters/hostile/chance.ts';
import type { FaultRates } from '../../../shared/adapters/hostile/process.ts';
import { byText } from '../../../shared/kube/text/compare-text.ts';
import type { QueueName } from '../../../shared/ports/process/work-queue.ts';
import type { Part } from '../../../simulation/plane/control-plane-types.ts';
import type { BadDay } from '../../support/planes/bad-day.ts';
import { createBadDay } from '../../support/planes/bad-day.ts';
import * as fleet from '../../support/planes/fleet.ts';

const DEAD = ['a0', 'a1', 'b0', 'c0'];
const FLAKY = ['b1', 'c1'];
const ALIVE = ['a2', 'a3', 'a4', 'b2', 'b3', 'b4', 'c2', 'c3', 'c4'];
const NODES = [...DEAD, ...FLAKY, ...ALIVE];
const RATE = 0.2;
/** Replaced while its node is silent by another pod of its name, on a node that lives. */
const MOVED = 'a0-soon';
/** Replaced on the silent node itself by one that tolerates everything. */
const RENEWED = 'b0-soon';

const PARTS: readonly Part[] = [
  'node-monitor-ticks',
  'stream',
  'eviction-wakeups',
  'taint-eviction',
  'pod-readiness',
  'sweep',
  'ticks',
];
export const QUEUES: readonly QueueName[] = [
  'node-monitor-ticks',
  'pod-readiness',
  'eviction-wakeups',
  'taint-eviction',
];

export interface FaultPlan {
  readonly rates: FaultRates;
  /** Also pauses, stream gaps, lost wake-ups, poison. */
  readonly isRough: boolean;
  /** As on AWS. */
  readonly skipsCalmPasses?: boolean;
}

export interface FaultRun {
  readonly day: BadDay;
  /** uids of pods that must never be touched. */
  readonly sacred: ReadonlySet<string>;
}

const PODS = [
  ['at-once', []],
  ['soon', fleet.staying(20)],
  ['late', fleet.staying(400)],
  ['never', fleet.staying()],
] as const;

const populate = async ({ plane }: BadDay): Promise<Set<string>> => {
  const sacred = new Set<string>();
  for (const node of NODES) {
    await fleet.addNode(plane, node, { zone: node.slice(0, 1), ready: 'True' });
    for (const [name, tolerations] of PODS) {
      const uid = await fleet.addPod(plane, `${node}-${name}`, { node, tolerations });
      if (ALIVE.includes(node) || name === 'never') sacred.add(uid);
    }
  }
  return sacred;
};

const replacePod = async (
  { plane }: BadDay,
  name: string,
  node: string,
  tolerations: ReturnType<typeof fleet.staying>,
): Promise<string> => {
  await fleet.changePod(plane, name, () => 'delete');
  return fleet.addPod(plane, name, { node, tolerations });
};

const pauseParts = async ({ plane }: BadDay, seed: number): Promise<void> => {
  const chance = createChance(seed);
  for (const part of PARTS) {
    await plane.clock.sleep(chance.upTo(15_000));
    plane.set(part, false);
    // Five passes and a little, or as much of anything else.
    await plane.clock.sleep(5_000 + chance.upTo(22_000));
    plane.set(part, true);
  }
};

const poison = async ({ plane }: BadDay): Promise<void> => {
  for (const queue of QUEUES) await plane.queues.send(queue, [{ body: { v: 99, kind: 'nonsense' } }]);
};

/** Lives through the day. What users and machines do is the same for every set of faults. */
export const liveThrough = async (
  seed: number,
  { rates, isRough, skipsCalmPasses = false }: FaultPlan,
): Promise<FaultRun> => {
  const day = createBadDay(seed, rates, { nodeEvictionRate: RATE }, { skipsCalmPasses });
  const { plane } = day;
  const chance = createChance(seed ^ 0x5eed);
  const sacred = await populate(day);
  const alive = new Set(ALIVE);
  fleet.keepBeating({ ...plane, ...day.beating }, alive);
  if (isRough) {
    await poison(day);
    void pauseParts(day, seed);
  }
  await plane.run(45_000 + chance.upTo(60_000));
  sacred.add(await replacePod(day, MOVED, 'a2', fleet.staying(20)));
  sacred.add(await replacePod(day, RENEWED, 'b0', fleet.staying()));
  await plane.run(30_000 + chance.upTo(60_000));
  for (const node of FLAKY) {
    alive.add(node);
    await fleet.postReady(plane, node, 'True');
  }
  await plane.run(120_000);
  day.calm();
  await plane.run(60_000);
  // What a gap of the stream lost is made good by the hourly resync.
  await plane.clock.run(resync(plane.invoke()));
  await plane.run(900_000);
  return { day, sacred };
};

const podDigest = async ({ plane }: BadDay, name: string) => {
  const pod = await fleet.readPod(plane, name);
  const isEvicted = pod === undefined || pod.metadata.deletionTimestamp !== undefined;
  const ready = pod?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return {
    name,
    isEvicted,
    ready: isEvicted ? undefined : ready,
    deadline: await fleet.deadlineOf(plane, name),
  };
};

/** What the day leaves behind. Pods of flapping nodes are left out: whether they had to go depends on the instant. */
export const digest = async ({ day }: FaultRun) => {
  const { plane } = day;
  const pods = [...DEAD, ...ALIVE].flatMap((node) => PODS.map(([name]) => `${node}-${name}`));
  return {
    nodes: await Promise.all(
      NODES.map(async (node) => [node, await fleet.readyOf(plane, node), await fleet.taintsOf(plane, node)]),
    ),
    pods: await Promise.all(pods.map((name) => podDigest(day, name))),
    zones: (await plane.state.control.zones())
      .map(({ id, state, limiter }) => `${id} ${state} ${limiter.rate}`)
      .toSorted(byText),
  };
};

type Committed = BadDay['plane']['commits'][number];

const onceOnly = ({ change: { before, after } }: Committed): readonly string[] => {
  if (before?.state !== 'live' || after?.state !== 'live' || before.uid !== after.uid) return [];
  const [was, is] = [before.facts, after.facts];
  const isDead = DEAD.includes(after.key.name);
  const flips = was.node?.ready === 'True' && is.node?.ready === 'Unknown';
  const taints = was.node?.noExecute.length === 0 && is.node?.noExecute.length === 1;
  const goes = was.pod && !was.pod.deletionTimestamp && is.pod?.deletionTimestamp;
  const told = [isDead && flips && 'flip', isDead && taints && 'taint', goes && 'eviction'];
  return told.flatMap((what) => (what ? [`${what} ${after.uid}`] : []));
};

/** What happened twice although it must happen once: a dead node's silence, its taint, a pod's eviction. */
export const repetitions = ({ day: { plane } }: FaultRun): readonly string[] => {
  const told = plane.commits.flatMap(onceOnly);
  return told.filter((one, index) => told.indexOf(one) !== index);
};

/** Pods that were touched although they must not be. */
export const violated = ({ day: { plane }, sacred }: FaultRun): readonly string[] =>
  plane.commits.flatMap(({ change: { after } }) =>
    after?.state === 'live' && sacred.has(after.uid) && after.facts.pod?.deletionTimestamp !== undefined
      ? [after.uid]
      : [],
  );

/** Zones in which two tokens were closer than the rate allows, or a taint had none. */
export const hurried = ({ day: { plane, tokens } }: FaultRun): readonly string[] =>
  ['a', 'b', 'c'].filter((zone) => {
    const taken = tokens.flatMap((token) => (token.zone === zone ? [token.at] : []));
    const taints = fleet.taintInstants(plane).flatMap(({ node, at }) => (node.startsWith(zone) ? [at] : []));
    const close = taken.some((at, index) => index > 0 && at - (taken[index - 1] ?? 0) < 1000 / RATE);
    return close || taints.some((at, index) => taken.filter((token) => token <= at).length <= index);
  });
