// Drains that are asked for, joined and cancelled under races, crashes, stalls, lost, late and doubled messages and lost answers: no budget
// is broken, no pod goes that need not, and at quiet every drain has ended or says what holds it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { parseTime } from '../../../../shared/kube/values/time.ts';
import { type LiveRow, liveRow } from '../../../../shared/ports/store/rows.ts';
import { drainStep } from '../../../../shared/rules/drain/drain-pods.ts';
import { withoutDrainConditions } from '../../../../shared/rules/drain/drain-progress.ts';
import { type DrainRequest, isPastDeadline } from '../../../../shared/rules/drain/drain-request.ts';
import { drainRequestOf, withDrainRequest } from '../../../../shared/rules/drain/node-drain.ts';
import { isPodReady } from '../../../../shared/rules/pods/pod-conditions.ts';
import type { Committed } from '../../../../simulation/plane/control-plane-types.ts';
import { unexplained } from '../../../support/planes/bad-day.ts';
import {
  APPS,
  aDrainWorld,
  addNode,
  addPod,
  allPods,
  changeNode,
  NODES,
  oneOf,
  SKEW_MS,
  uncordoned,
  type World,
} from '../../../support/planes/drain-world.ts';

const STEPS = 40;
const RUNS = 10;

const aRequest = (chance: Chance, id: string, now: number): DrainRequest => ({
  id,
  requestedAt: now,
  by: 'alice',
  reason: 'kernel',
  ...(chance.hit(0.3) ? { deadlineAt: now + Math.round(chance.upTo(120_000)) } : {}),
  ...(chance.hit(0.2) ? { deleteAt: now + Math.round(chance.upTo(90_000)) } : {}),
  ...(chance.hit(0.4) ? { gracePeriodSeconds: oneOf(chance, [5, 40]) } : {}),
  ...(chance.hit(0.4) ? { force: true } : {}),
  ...(chance.hit(0.8) ? { ignoreDaemonSets: true } : {}),
  ...(chance.hit(0.4) ? { deleteEmptyDirData: true } : {}),
  ...(chance.hit(0.15) ? { podSelectors: ['app=web'] } : {}),
});

const remakeNode = async (world: World, name: string): Promise<void> => {
  await changeNode(world, name, () => undefined);
  const { writer } = world.plane;
  await writer.write({ resource: 'nodes', namespace: '', name }, (row) =>
    liveRow(row) ? { next: 'delete', writer: 'client' } : undefined,
  );
  await world.plane.clock.sleep(world.chance.upTo(5_000));
  await addNode(world, name);
};

/** Of five nodes at most three are cordoned, so that there is room for the pods. */
const userStep = async (world: World, chance: Chance, step: number): Promise<void> => {
  const name = oneOf(chance, NODES);
  if (chance.hit(0.6) && name !== 'n4' && name !== 'n5')
    await changeNode(world, name, (node, now) => withDrainRequest(node, aRequest(chance, `d${step}`, now)));
  else if (chance.hit(0.4)) await changeNode(world, name, uncordoned);
  else if (chance.hit(0.15)) await remakeNode(world, name);
  else await addPod(world, { app: 'bare', nodeName: name, isLocal: chance.hit(0.5) });
};

const isUp = (pod: Pod): boolean => isPodReady(pod) && pod.metadata.deletionTimestamp === undefined;

/** What is wrong with an eviction of a pod by the request of its node. Texts for people. */
const faultsOf = (was: Pod, is: Pod, request: DrainRequest, at: number): readonly string[] => {
  // Between the decision and the commit a process may stall.
  const { deletionTimestamp = '', deletionGracePeriodSeconds = 0 } = is.metadata;
  const decidedAt = (parseTime(deletionTimestamp) ?? at) - deletionGracePeriodSeconds * 1000;
  const late = isPastDeadline(request, decidedAt - SKEW_MS) ? ['was evicted after the deadline'] : [];
  const { step } = drainStep(was, request, at + SKEW_MS);
  const mayStay = step === 'evict' || step === 'delete' ? [] : [`was evicted, and the rules say ${step}`];
  const grace = request.gracePeriodSeconds ?? was.spec.terminationGracePeriodSeconds;
  const other = deletionGracePeriodSeconds === grace ? [] : ['has another grace period'];
  return [...late, ...mayStay, ...other];
};

/** Follows the commits, and says what must never have happened. */
const createWitness = () => {
  const pods = new Map<string, Pod>();
  const nodes = new Map<string, Node>();
  const wrongs: string[] = [];
  let evicted = 0;
  /** Without this pod the application has fewer ready ones than it must keep. */
  const isShort = ({ metadata: { labels = {} } }: Pod): boolean => {
    const app = String(labels['app']);
    const ready = [...pods.values()].filter((pod) => pod.metadata.labels?.['app'] === app && isUp(pod));
    return ready.length < (APPS[app]?.minAvailable ?? 0);
  };
  const checkGoing = (was: Pod, is: Pod, at: number): void => {
    const node = nodes.get(was.spec.nodeName ?? '');
    const request = node && drainRequestOf(node);
    const asksNobody = request?.deleteAt !== undefined && at + SKEW_MS >= request.deleteAt;
    const broken = isUp(was) && !asksNobody && isShort(was) ? ['has broken its budget'] : [];
    const faults = request ? faultsOf(was, is, request, at) : ['was evicted, and nobody drains its node'];
    evicted += 1;
    wrongs.push(...[...faults, ...broken].map((text) => `${at}: ${was.metadata.name} ${text}`));
  };
  const seePod = (name: string, is: Pod | undefined, at: number): void => {
    const was = pods.get(name);
    if (is) pods.set(name, is);
    else pods.delete(name);
    const isGoing = is?.metadata.deletionTimestamp !== undefined;
    if (!was || was.metadata.deletionTimestamp !== undefined) return;
    if (!is) wrongs.push(`${at}: ${name} vanished`);
    else if (isGoing) checkGoing(was, is, at);
  };
  return {
    wrongs,
    evicted: () => evicted,
    see: ({ at, change: { after } }: Committed): void => {
      const live: LiveRow | undefined = after && liveRow(after);
      if (after?.key.resource === 'pods') seePod(after.key.name, live?.object as Pod | undefined, at);
      if (after?.key.resource !== 'nodes') return;
      if (live) nodes.set(after.key.name, live.object);
      else nodes.delete(after.key.name);
    },
  };
};

/** What is wrong with the conditions of a node at quiet. */
const unsaid = (node: Node, pods: readonly Pod[], now: number): readonly string[] => {
  const request = drainRequestOf(node);
  if (!request) return withoutDrainConditions(node) === node ? [] : ['conditions without a request'];
  const find = (type: string) => node.status?.conditions?.find((one) => one.type === type);
  const [progress, drained] = [find('DrainInProgress'), find('Drained')];
  const left = pods.filter(
    (pod) => pod.spec.nodeName === node.metadata.name && drainStep(pod, request, now).step !== 'leave',
  );
  if (drained?.status === 'True') return left.length === 0 ? [] : ['drained, with pods that have to go'];
  if (left.length === 0) return ['not drained, without a pod that has to go'];
  const texts = progress?.message ?? '';
  if (isPastDeadline(request, now))
    return progress?.reason === 'DeadlineExceeded' ? [] : ['has not given up'];
  return left
    .map(({ metadata }) => `default/${metadata.name}`)
    .filter((pod) => !texts.includes(pod) && !/and \d+ more/.test(texts))
    .map((pod) => `${pod} is not named in: ${texts}`);
};

/** Lives through a day. Resolves to the number of pods that were evicted. */
const live = async (seed: number): Promise<number> => {
  const world = await aDrainWorld(seed);
  const { plane, calm } = world;
  const chance = world.chance.fork();
  const user = async (): Promise<void> => {
    for (let step = 0; step < STEPS; step += 1) {
      await plane.clock.sleep(chance.upTo(40_000));
      await userStep(world, chance, step);
    }
  };
  await plane.clock.run(user());
  await plane.run(60_000);
  calm();
  // The sweep reads all Nodes each ten minutes. Then budgets let pods go, one after the other.
  await plane.run(1_500_000);
  const witness = createWitness();
  for (const commit of plane.commits) witness.see(commit);
  expect(witness.wrongs).toEqual([]);
  const pods = await allPods(plane);
  const now = plane.clock.now();
  const nodes = (await plane.state.objects.page({ resource: 'nodes', namespace: '' })).rows;
  for (const { key, object } of nodes)
    expect([key.name, unsaid(object as Node, pods, now)]).toEqual([key.name, []]);
  expect(unexplained(plane.failures)).toEqual([]);
  return witness.evicted();
};

describe('drains on a bad day', () => {
  it('break no budget, take nothing that may stay, and end or say what holds them (E-16 to E-21)', async () => {
    let evicted = 0;
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      evicted += await live(seed);
    });
    await fc.assert(property, { numRuns: RUNS });
    expect(evicted).toBeGreaterThan(RUNS);
  }, 180_000);
});
