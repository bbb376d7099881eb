import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import type { NodeVerdict } from '../../../../../shared/rules/workloads/daemon-set/daemon-node.ts';
import { updateDaemons } from '../../../../../shared/rules/workloads/daemon-set/daemon-rollout.ts';
import {
  failuresAfter,
  manageDaemons,
  replaceableAt,
} from '../../../../../shared/rules/workloads/daemon-set/daemon-set.ts';
import { withDaemonSetStatus } from '../../../../../shared/rules/workloads/daemon-set/daemon-set-status.ts';
import { surgeOf, unavailableOf } from '../../../../../shared/rules/workloads/daemon-set/daemon-strategy.ts';
import {
  BURST_DAEMONS,
  decideDaemons,
} from '../../../../../shared/rules/workloads/daemon-set/decide-daemons.ts';
import { podsByNode } from '../../../../../shared/rules/workloads/daemon-set/pods-of-node.ts';
import { anOwnedPod, aWorkload } from '../../../../support/objects/workload-objects.ts';

const NOW = 1_000_000_000;
const RUN: NodeVerdict = { shouldRun: true, shouldContinue: true };
const STAY: NodeVerdict = { shouldRun: false, shouldContinue: true };
const GO: NodeVerdict = { shouldRun: false, shouldContinue: false };

/** A pod `<node><letter>`: `o` old, `n` new; in capitals it is ready. */
const aPod = (text: string): Pod => {
  const [node, letter] = [text.slice(0, -1), text.slice(-1)] as const;
  const isReady = letter === letter.toUpperCase();
  return anOwnedPod({
    name: text,
    nodeName: node,
    labels: { app: 'web', 'controller-revision-hash': letter.toLowerCase() === 'n' ? 'new' : 'old' },
    createdAt: letter.toLowerCase() === 'n' ? 2_000 : 1_000,
    ...(isReady ? { readySince: NOW - 60_000 } : {}),
  });
};

const viewOf = (
  pods: readonly Pod[],
  verdicts: Readonly<Record<string, NodeVerdict>>,
  rollingUpdate: { maxUnavailable?: number | string; maxSurge?: number | string } = { maxUnavailable: 1 },
  type = 'RollingUpdate',
) => ({
  owner: aWorkload({
    kind: 'DaemonSet',
    spec: { updateStrategy: type === 'RollingUpdate' ? { type, rollingUpdate } : { type } },
  }),
  verdicts: new Map(Object.entries(verdicts)),
  pods: podsByNode(pods),
  hash: 'new',
});
const wanted = (...nodes: readonly string[]) => Object.fromEntries(nodes.map((node) => [node, RUN]));
const named = ({ create, delete: gone }: ReturnType<typeof manageDaemons>) => [
  create.map(({ node }) => node),
  gone.map(({ metadata }) => metadata.name),
];

describe('manageDaemons', () => {
  const surging = { maxSurge: 1, maxUnavailable: 0 };
  it.each<[string, string[], Record<string, NodeVerdict>, object, unknown]>([
    ['a node without a pod gets one', [], { a: RUN }, {}, [['a'], []]],
    ['a node where none should run gets none', [], { a: STAY, b: GO }, {}, [[], []]],
    ['a pod may stay', ['aO'], { a: STAY }, {}, [[], []]],
    ['a pod has to go', ['aO', 'bN'], { a: GO, b: GO }, {}, [[], ['aO', 'bN']]],
    ['of two the older one stays', ['aN', 'aO'], { a: RUN }, {}, [[], ['aN']]],
    ['two of a surge stay while the new one is not ready', ['aO', 'an'], { a: RUN }, surging, [[], []]],
    [
      'the old one of a surge goes when the new one is available',
      ['aO', 'aN'],
      { a: RUN },
      surging,
      [[], ['aO']],
    ],
    ['the old one of a surge goes if it is not ready', ['ao', 'an'], { a: RUN }, surging, [[], ['ao']]],
    [
      'a bound pod of a node that is gone stays: the garbage collector of pods deletes it',
      ['xO'],
      {},
      {},
      [[], []],
    ],
  ])('%s (W-111, W-114, W-117)', (_what, pods, verdicts, rolling, expected) => {
    expect(named(manageDaemons(viewOf(pods.map(aPod), verdicts, rolling), NOW))).toEqual(expected);
  });

  it('a pod that is being deleted keeps its place, until it has ended (W-112)', () => {
    const leaving = anOwnedPod({ name: 'p', nodeName: 'a', deletedAt: NOW });
    expect(named(manageDaemons(viewOf([leaving], { a: RUN }), NOW))).toEqual([[], []]);
    expect(named(manageDaemons(viewOf([leaving], { a: RUN }, { maxSurge: 1 }), NOW))).toEqual([['a'], []]);
    const ended = anOwnedPod({ name: 'p', nodeName: 'a', deletedAt: NOW, phase: 'Failed' });
    expect(named(manageDaemons(viewOf([ended], { a: RUN }), NOW))).toEqual([['a'], []]);
  });

  it.each([
    ['Failed', NOW - 60_000, 0, [['a'], ['p']], 0],
    ['Failed', NOW, 0, [[], []], 0],
    ['Failed', NOW - 1_000, 0, [['a'], ['p']], 1],
    ['Failed', NOW - 7_000, 3, [[], []], 0],
    ['Failed', NOW - 8_000, 3, [['a'], ['p']], 4],
    ['Failed', NOW - 3_600_000, 30, [['a'], ['p']], 0],
    ['Succeeded', NOW - 500, 0, [['a'], ['p']], 0],
  ] as const)('%s, made at %i, after %i failures (W-113)', (phase, createdAt, before, expected, after) => {
    const annotations = { 'rollcall.dev/failed-daemon-pods': String(before) };
    const pod = anOwnedPod({ name: 'p', nodeName: 'a', phase, createdAt, annotations });
    const actions = manageDaemons(viewOf([pod], { a: RUN }), NOW);
    expect(named(actions)).toEqual(expected);
    expect(actions.create.map(({ failures }) => failures)).toEqual(actions.create.length > 0 ? [after] : []);
    expect(actions.waits).toEqual(actions.delete.length > 0 ? [] : [createdAt + 1_000 * 2 ** before]);
  });

  it('waits at most 15 minutes, and forgets failures that were long ago (W-113)', () => {
    const annotations = { 'rollcall.dev/failed-daemon-pods': '40' };
    const pod = anOwnedPod({ name: 'p', nodeName: 'a', phase: 'Failed', createdAt: NOW, annotations });
    expect(replaceableAt(pod)).toBe(NOW + 900_000);
    expect([failuresAfter(pod, NOW + 900_000), failuresAfter(pod, NOW + 1_810_000)]).toEqual([41, 0]);
    const odd = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { 'rollcall.dev/failed-daemon-pods': 'x' } },
    };
    expect(replaceableAt(odd)).toBe(NOW + 1_000);
  });

  it('deletes pods that wait for a node that is gone (W-115)', () => {
    const nodeSelectorTerms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] }];
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    const pod = { ...anOwnedPod({ name: 'p' }), spec: { affinity: { nodeAffinity: required } } };
    expect(named(manageDaemons(viewOf([pod], { a: STAY }), NOW))).toEqual([[], ['p']]);
  });
});

describe('updateDaemons', () => {
  const ABC = wanted('a', 'b', 'c');
  it.each<[string, string[], Record<string, NodeVerdict>, object, unknown]>([
    ['one after the other', ['aO', 'bO', 'cO'], ABC, { maxUnavailable: 1 }, [[], ['aO']]],
    ['as many as may be missing', ['aO', 'bO', 'cO'], ABC, { maxUnavailable: '34%' }, [[], ['aO', 'bO']]],
    ['none while a new one is not ready', ['an', 'bO', 'cO'], ABC, { maxUnavailable: 1 }, [[], []]],
    ['none while a node has no pod', ['bO', 'cO'], ABC, { maxUnavailable: 1 }, [[], []]],
    [
      'old ones that are not ready at once',
      ['ao', 'bo', 'cO'],
      ABC,
      { maxUnavailable: 1 },
      [[], ['ao', 'bo']],
    ],
    ['they count as missing', ['ao', 'bO', 'cO'], ABC, { maxUnavailable: 2 }, [[], ['ao', 'bO']]],
    ['at least one if neither is allowed', ['aO', 'bO', 'cO'], ABC, { maxUnavailable: 0 }, [[], ['aO']]],
    ['nothing is left to do', ['aN', 'bN', 'cN'], ABC, { maxUnavailable: 3 }, [[], []]],
    [
      'surge: a second pod on so many nodes',
      ['aO', 'bO', 'cO'],
      ABC,
      { maxSurge: 2, maxUnavailable: 0 },
      [['a', 'b'], []],
    ],
    ['surge: a percentage', ['aO', 'bO', 'cO'], ABC, { maxSurge: '10%', maxUnavailable: 0 }, [['a'], []]],
    [
      'surge: it waits for the new one',
      ['aO', 'an', 'bO', 'cO'],
      ABC,
      { maxSurge: 1, maxUnavailable: 0 },
      [[], []],
    ],
    [
      'surge: then the old one goes',
      ['aO', 'aN', 'bO', 'cO'],
      ABC,
      { maxSurge: 1, maxUnavailable: 0 },
      [['b'], ['aO']],
    ],
    [
      'surge: old ones that are not ready get a successor at once',
      ['ao', 'bo', 'cO'],
      ABC,
      { maxSurge: 1, maxUnavailable: 0 },
      [['a', 'b', 'c'], []],
    ],
    [
      'surge: a pod where none should run stays while it is needed',
      ['aO', 'bO'],
      { a: STAY, b: RUN, c: RUN },
      { maxSurge: 1, maxUnavailable: 0 },
      [['b'], []],
    ],
    [
      'surge: and goes when others are available',
      ['aO', 'bO', 'cN'],
      { a: STAY, b: RUN, c: RUN },
      { maxSurge: 1, maxUnavailable: 0 },
      [['b'], ['aO']],
    ],
  ])('%s (W-116, W-117)', (_what, pods, verdicts, rolling, expected) => {
    expect(named(updateDaemons(viewOf(pods.map(aPod), verdicts, rolling), NOW))).toEqual(expected);
  });
});

describe('decideDaemons', () => {
  it('updates only when all nodes have what is wanted there, and not with OnDelete (W-118)', () => {
    const pods = [aPod('aO')];
    expect(named(decideDaemons(viewOf(pods, wanted('a', 'b')), NOW))).toEqual([['b'], []]);
    expect(named(decideDaemons(viewOf(pods, wanted('a')), NOW))).toEqual([[], ['aO']]);
    expect(named(decideDaemons(viewOf(pods, wanted('a'), {}, 'OnDelete'), NOW))).toEqual([[], []]);
  });

  it('creates and deletes at most 250 pods (W-118)', () => {
    const many = wanted(...Array.from({ length: 300 }, (_, n) => `node${n}`));
    const decision = decideDaemons(viewOf([], many), NOW);
    expect([decision.create.length, decision.hasMore]).toEqual([BURST_DAEMONS, true]);
  });

  it.each([
    [{ maxSurge: 2, maxUnavailable: 0 }, 10, 2, 0],
    [{ maxSurge: '25%', maxUnavailable: '10%' }, 10, 3, 1],
    [{ maxSurge: 0, maxUnavailable: 0 }, 10, 0, 1],
    [{ maxSurge: '0%', maxUnavailable: '0%' }, 0, 0, 0],
  ])(
    'of %j a DaemonSet on %i nodes may have %i more and %i less (W-116)',
    (rolling, total, surge, missing) => {
      const { owner } = viewOf([], {}, rolling);
      expect([surgeOf(owner, total), unavailableOf(owner, total)]).toEqual([surge, missing]);
    },
  );
});

describe('withDaemonSetStatus', () => {
  it('counts nodes by the pod that counts there (W-119)', () => {
    const pods = ['aN', 'bO', 'bn', 'cn', 'dO', 'xO'].map(aPod);
    const view = viewOf(pods, { ...wanted('a', 'b', 'c', 'e'), d: STAY });
    expect(withDaemonSetStatus(view, NOW).status).toEqual({
      desiredNumberScheduled: 4,
      currentNumberScheduled: 3,
      numberMisscheduled: 1,
      numberReady: 2,
      numberAvailable: 2,
      numberUnavailable: 2,
      updatedNumberScheduled: 2,
      observedGeneration: 1,
    });
  });

  it('leaves out zeros that Kubernetes leaves out, and keeps what others wrote (W-119)', () => {
    const view = viewOf([], {});
    const conditions = [{ type: 'Own', status: 'True' }];
    const owner = { ...view.owner, status: { conditions } };
    const next = withDaemonSetStatus({ ...view, owner }, NOW, 2);
    expect(next.status).toEqual({
      desiredNumberScheduled: 0,
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
      observedGeneration: 1,
      collisionCount: 2,
      conditions,
    });
    expect(withDaemonSetStatus({ ...view, owner: next }, NOW)).toBe(next);
  });
});
