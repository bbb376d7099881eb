// A queue of AWS has no way to say that one run at a time is enough: what two at once leave is what one leaves.
import { describe, expect, it } from 'vitest';
import { reconcile as disrupt } from '../../../lambdas/disruption/reconcile.ts';
import { reconcile as schedule } from '../../../lambdas/scheduler/reconcile.ts';
import { reconcile as bind } from '../../../lambdas/volume-binder/reconcile.ts';
import type { Invocation } from '../../../simulation/plane/control-plane-types.ts';
import { aClaim, aVolume } from '../../support/objects/storage-objects.ts';
import { createMemoryControlPlane } from '../../support/planes/control-plane.ts';
import { put } from '../../support/planes/stored-objects.ts';
import { addNode, addPod, endSweep } from './scheduler/cluster.ts';

type Plane = ReturnType<typeof createMemoryControlPlane>;
type Run = (ports: ReturnType<Plane['invoke']>) => Promise<unknown>;

/** What a call of a remote store takes (ms): meanwhile another run has its turn. */
const CALL_MS = 15;
const NODES = 3;
const PODS = 12;
const CLAIMS = 6;

const slow = ({ objects, ...ports }: Invocation): Invocation => {
  const late =
    <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      await ports.clock.sleep(CALL_MS);
      return call(...args);
    };
  const { read, page, commit, slots, takeRevisions } = objects;
  const slowed = { read: late(read), page: late(page), commit: late(commit), slots: late(slots) };
  return { ...ports, objects: { ...objects, ...slowed, takeRevisions: late(takeRevisions) } };
};

/** Pods that just fit, volumes that are just enough, and a budget. */
const seed = async (plane: Plane): Promise<void> => {
  for (let n = 0; n < NODES; n += 1) await addNode(plane, `n${n}`, { cpu: String(PODS / NODES) });
  for (let n = 0; n < PODS; n += 1) await addPod(plane, `p${n}`, { labels: { app: 'web' } });
  for (let n = 0; n < CLAIMS; n += 1) await put(plane, aVolume(`v${n}`), aClaim(`c${n}`));
  await put(plane, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: 'default', name: 'b', uid: 'uid-b', generation: 1 },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 1 },
  } as Parameters<typeof put>[1]);
  await endSweep(plane);
};

const RUNS = {
  scheduler: (ports) => schedule(ports, { v: 1, kind: 'flush' }),
  'volume-binder': (ports) => bind(ports, { v: 1, kind: 'sweep' }),
  disruption: (ports) => disrupt(ports, { v: 1, namespace: 'default' }),
} satisfies Readonly<Record<string, Run>>;

const objectsOf = async <T>(plane: Plane, resource: string): Promise<readonly T[]> => {
  const { rows } = await plane.state.objects.page({ resource, namespace: '' });
  return rows.map(({ object }) => object as T);
};

/** What matters of the outcome: which pod stands where is another question. */
const outcomeOf = async (plane: Plane) => {
  const pods = await objectsOf<{ spec: { nodeName?: string } }>(plane, 'pods');
  const claims = await objectsOf<{ spec: { volumeName?: string } }>(plane, 'persistentvolumeclaims');
  const budgets = await objectsOf<{ status?: Readonly<Record<string, unknown>> }>(
    plane,
    'poddisruptionbudgets',
  );
  const perNode = Object.groupBy(pods, ({ spec }) => spec.nodeName ?? 'none');
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = budgets[0]?.status ?? {};
  return {
    pods: Object.entries(perNode)
      .map(([node, found]) => `${node}: ${found?.length}`)
      .toSorted(),
    volumes: new Set(claims.map(({ spec }) => spec.volumeName)).size,
    budget: [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed],
  };
};

const outcomeWith = async (name: keyof typeof RUNS, atOnce: number) => {
  const plane = createMemoryControlPlane({ invocation: slow });
  // Only the runs of the test.
  plane.set(name, false);
  await seed(plane);
  const runs = Array.from({ length: atOnce }, () => RUNS[name](plane.invoke()));
  await Promise.all([...runs, plane.run(60_000)]);
  expect(plane.failures).toEqual([]);
  return outcomeOf(plane);
};

describe('runs at once leave what one leaves', () => {
  it.each(Object.keys(RUNS) as (keyof typeof RUNS)[])('%s', async (name) => {
    const one = await outcomeWith(name, 1);
    expect(one.pods).toEqual(['n0: 4', 'n1: 4', 'n2: 4']);
    expect(one.volumes).toBe(CLAIMS);
    for (const atOnce of [2, 5]) expect(await outcomeWith(name, atOnce)).toEqual(one);
  });
});
