/** What the dashboard says before an action comes about after it, under the controllers themselves. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { PodDisruptionBudget } from '../../../../shared/kube/types/policy.ts';
import { type NodeAction, withAction } from '../../../../shared/rules/node-actions/node-action.ts';
import type { Fate, PodFate } from '../../../../shared/rules/node-actions/pod-fate.ts';
import { whatFollows } from '../../../../shared/rules/node-actions/what-follows.ts';
import { aDrainPlane, type DrainPlane } from '../../../support/planes/drain-plane.ts';

const RUNS = 30;
const SECOND = 1_000;

const app = fc.record({
  replicas: fc.integer({ min: 3, max: 8 }),
  /** Absent: no budget. */
  maxUnavailable: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  hasEmptyDir: fc.oneof(
    { weight: 2, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  /** Of the taint; `null`: for ever, absent: it does not tolerate it. */
  tolerationSeconds: fc.option(fc.constantFrom(null, 0, 5, 60), { nil: undefined }),
});

const world = fc.record({ apps: fc.array(app, { minLength: 2, maxLength: 3 }), isForced: fc.boolean() });
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

const specOf = ({ hasEmptyDir, tolerationSeconds }: World['apps'][number]): object => ({
  ...(hasEmptyDir ? { volumes: [{ name: 'tmp', emptyDir: {} }] } : {}),
  ...(tolerationSeconds === undefined
    ? {}
    : {
        tolerations: [
          {
            key: 'repair',
            operator: 'Exists',
            effect: 'NoExecute',
            ...(tolerationSeconds === null ? {} : { tolerationSeconds }),
          },
        ],
      }),
  terminationGracePeriodSeconds: 600,
});

/** All pods run and are ready on one of two nodes. */
const settled = async ({ apps }: World): Promise<DrainPlane> => {
  const plane = await aDrainPlane(['n1', 'n2']);
  for (const [index, one] of apps.entries()) {
    const name = `app${index}`;
    await plane.addReplicas(name, one.replicas, specOf(one));
    const { maxUnavailable } = one;
    if (maxUnavailable !== undefined) await plane.addBudget(name, { maxUnavailable });
  }
  await plane.pass(30);
  return plane;
};

const foretold = async (plane: DrainPlane, action: NodeAction) => {
  const node = await plane.node('n1');
  if (!node) throw new Error('n1 is not there');
  const pods = (await plane.pods()).filter(({ spec }) => spec.nodeName === 'n1');
  const { rows } = await plane.state.objects.page({ resource: 'poddisruptionbudgets', namespace: 'default' });
  const budgets = rows.map(({ object }) => object as PodDisruptionBudget);
  return whatFollows({ node, pods, budgets, graceMs: 40 * SECOND }, action, plane.clock.now());
};

/** Lets time pass in which no kubelet stops or starts a pod, so that what happens follows from the action alone. */
const quietly = async (plane: DrainPlane, seconds: number): Promise<void> => {
  for (let second = 0; second < seconds; second += 1) await plane.run(SECOND);
};

const goingNow = async (plane: DrainPlane): Promise<ReadonlySet<string>> => {
  const going = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;
  return new Set((await plane.pods()).filter(going).map(({ metadata }) => metadata.name));
};

const named = (fates: readonly PodFate[], fate: Fate): readonly string[] =>
  fates.filter((one) => one.fate === fate).map(({ name }) => name);

it('what a drain is said to do is what the drain controller does (J-334)', async () => {
  const seen = new Set<Fate | 'refused'>();
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const plane = await settled(given);
      const request = {
        id: 'one',
        requestedAt: plane.clock.now(),
        by: 'ann',
        reason: '',
        ignoreDaemonSets: true,
        ...(given.isForced ? { deleteEmptyDirData: true } : {}),
      };
      const { pods, refusals } = await foretold(plane, { kind: 'drain', request });
      for (const { fate } of pods) seen.add(fate);
      if (refusals.length > 0) seen.add('refused');
      await plane.changeNode('n1', (node) => withAction(node, { kind: 'drain', request }));
      await quietly(plane, 5);
      const going = await goingNow(plane);
      const gone = (name: string): boolean => going.has(name);
      expect(named(pods, 'goes').filter((name) => !gone(name))).toEqual([]);
      expect([...named(pods, 'held'), ...named(pods, 'stays')].filter(gone)).toEqual([]);
      for (const [budget, inTurn] of Map.groupBy(
        pods.filter(({ fate }) => fate === 'inTurn'),
        ({ why }) => why,
      )) {
        const allowed = Number(/lets (\d+) of/.exec(budget)?.[1]);
        expect(inTurn.filter(({ name }) => gone(name))).toHaveLength(allowed);
      }
    }),
    { numRuns: RUNS },
  );
  expect([...seen].sort()).toEqual(expect.arrayContaining(['goes', 'held', 'inTurn', 'refused']));
}, 120_000);

it('what a NoExecute taint is said to do is what happens (J-335)', async () => {
  const seen = new Set<Fate>();
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const plane = await settled(given);
      const action: NodeAction = { kind: 'taint', taint: { key: 'repair', effect: 'NoExecute' } };
      const { pods } = await foretold(plane, action);
      for (const { fate } of pods) seen.add(fate);
      const before = plane.clock.now();
      await plane.changeNode('n1', (node) => withAction(node, action));
      await quietly(plane, 2);
      const going = await goingNow(plane);
      expect(named(pods, 'goes').filter((name) => !going.has(name))).toEqual([]);
      expect([...named(pods, 'later'), ...named(pods, 'stays')].filter((name) => going.has(name))).toEqual(
        [],
      );
      const soon = pods.filter(({ at }) => at !== undefined && at - before < 10 * SECOND);
      await quietly(plane, 12);
      const then = await goingNow(plane);
      expect(soon.filter(({ name }) => !then.has(name))).toEqual([]);
      expect(named(pods, 'stays').filter((name) => then.has(name))).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  expect([...seen].sort()).toEqual(['goes', 'later', 'stays']);
}, 120_000);
