import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../../shared/kube/values/time.ts';
import { claimChild, controllerReference } from '../../../../../shared/rules/workloads/children/children.ts';
import { availableAt } from '../../../../../shared/rules/workloads/children/pod-state.ts';
import {
  FAILURES,
  pinnedTo,
  targetNode,
} from '../../../../../shared/rules/workloads/daemon-set/daemon-place.ts';
import { hashOfPod } from '../../../../../shared/rules/workloads/daemon-set/daemon-pod.ts';
import { failuresAfter, replaceableAt } from '../../../../../shared/rules/workloads/daemon-set/daemon-set.ts';
import {
  daemonSummary,
  podOfSummary,
} from '../../../../../shared/rules/workloads/daemon-set/daemon-summary.ts';
import { oldestFirst, podsByNode } from '../../../../../shared/rules/workloads/daemon-set/pods-of-node.ts';
import { aDaemonSet } from '../../../../support/planes/daemon-plane.ts';

const NOW = 1_000_000;
const owner = aDaemonSet();

const pinned = (node: string) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: pinnedTo(node) } },
});

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const instants = fc.integer({ min: 0, max: 900 }).map((seconds) => toTime(seconds * 1000));

const pods: fc.Arbitrary<Pod> = fc
  .record({
    name: fc.constantFrom('web-a', 'web-b'),
    labels: maybe(fc.constantFrom({}, { app: 'web' }, { app: 'web', 'controller-revision-hash': 'h1' })),
    createdAt: maybe(instants),
    deletedAt: maybe(instants),
    failures: maybe(fc.constantFrom('0', '3', 'many')),
    spec: fc.constantFrom({}, { nodeName: 'n1' }, pinned('n2'), { nodeName: 'n1', ...pinned('n1') }),
    phase: maybe(
      fc.constantFrom('Pending' as const, 'Running' as const, 'Failed' as const, 'Succeeded' as const),
    ),
    ready: maybe(fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const)),
    since: maybe(instants),
  })
  .map(({ name, labels, createdAt, deletedAt, failures, spec, phase, ready, since }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-${name}`,
      ownerReferences: [controllerReference(owner)],
      ...(labels ? { labels } : {}),
      ...(createdAt ? { creationTimestamp: createdAt } : {}),
      ...(deletedAt ? { deletionTimestamp: deletedAt } : {}),
      ...(failures ? { annotations: { [FAILURES]: failures } } : {}),
    },
    spec,
    status: {
      ...(phase ? { phase } : {}),
      ...(ready
        ? { conditions: [{ type: 'Ready', status: ready, ...(since ? { lastTransitionTime: since } : {}) }] }
        : {}),
    },
  }));

const restored = (pod: Pod): Pod => {
  const { name, uid = '' } = pod.metadata;
  const identity = { name, namespace: 'default', uid, ownerReferences: [controllerReference(owner)] };
  const found = podOfSummary(identity, daemonSummary(pod) ?? '');
  if (!found) throw new Error('the summary is not understood');
  return found;
};

/** Everything that the rules of DaemonSets ask of a pod. */
const answersOf = (pod: Pod) => ({
  node: targetNode(pod),
  isBound: Boolean(pod.spec.nodeName),
  counted: [...podsByNode([pod]).keys()],
  hash: hashOfPod(pod),
  claim: claimChild(owner, owner.spec?.selector, pod),
  availableAt: [0, 30].map((seconds) => availableAt(pod, seconds)),
  replaceableAt: replaceableAt(pod),
  failuresAfter: failuresAfter(pod, NOW),
  phase: pod.status?.phase,
  isLeaving: pod.metadata.deletionTimestamp !== undefined,
});

describe('the summary of a daemon pod', () => {
  it('answers all that the rules of DaemonSets ask of the pod (K-29)', () => {
    fc.assert(
      fc.property(pods, pods, (one, other) => {
        expect(answersOf(restored(one))).toEqual(answersOf(one));
        const uids = (list: readonly Pod[]) => list.map(({ metadata }) => metadata.uid);
        expect(uids(oldestFirst([one, other].map(restored)))).toEqual(uids(oldestFirst([one, other])));
        expect(daemonSummary(restored(one))).toBe(daemonSummary(one));
      }),
    );
  });

  it('leaves out what they do not ask for', () => {
    const [pod] = fc.sample(pods, 1);
    if (!pod) throw new Error('no pod');
    const more = { ...pod, status: { ...pod.status, podIP: '10.0.0.1', message: 'x' } };
    expect(daemonSummary(more)).toBe(daemonSummary(pod));
  });

  it('is not made where many labels would make it long', () => {
    const labels = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`label-${n}`, 'a long value']));
    const metadata = { name: 'web-a', namespace: 'default', uid: 'u', labels };
    expect(daemonSummary({ apiVersion: 'v1', kind: 'Pod', metadata, spec: {} })).toBeUndefined();
  });

  it('is not read if it is of another version', () => {
    expect(
      podOfSummary({ name: 'web-a', namespace: 'default', uid: 'u' }, '[2,{"app":"web"}]'),
    ).toBeUndefined();
  });
});
