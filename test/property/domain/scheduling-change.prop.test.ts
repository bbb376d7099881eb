/** A refusal under an imagined change is the refusal of the cluster after that change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/api/core.ts';
import type { Refusal } from '../../../shared/domain/scheduling/framework.ts';
import {
  interPodAffinityRefusal,
  interPodAffinityState,
} from '../../../shared/domain/scheduling/inter-pod-affinity.ts';
import type { PodChange, PopulatedNode } from '../../../shared/domain/scheduling/placement.ts';
import { spreadRefusal, spreadState } from '../../../shared/domain/scheduling/topology-spread.ts';
import { placedPod, zoned } from '../../support/scheduling-objects.ts';

const topologyKey = fc.constantFrom('topology.kubernetes.io/zone', 'kubernetes.io/hostname', 'absent');
const labelSelector = fc.constantFrom({ matchLabels: { app: 'web' } }, { matchLabels: { app: 'db' } }, {});
const terms = fc.array(fc.record({ topologyKey, labelSelector }), { maxLength: 2 });
const required = terms.map((requiredDuringSchedulingIgnoredDuringExecution) => ({
  requiredDuringSchedulingIgnoredDuringExecution,
}));
const spread = fc.record({
  topologyKey,
  labelSelector,
  maxSkew: fc.integer({ min: 1, max: 2 }),
  minDomains: fc.integer({ min: 1, max: 4 }),
  whenUnsatisfiable: fc.constant('DoNotSchedule'),
});

const pods: fc.Arbitrary<Pod> = fc
  .record({
    app: fc.constantFrom('web', 'db'),
    isTerminating: fc.boolean(),
    podAffinity: required,
    podAntiAffinity: required,
    topologySpreadConstraints: fc.array(spread, { maxLength: 2 }),
  })
  .map(({ app, isTerminating, topologySpreadConstraints, ...affinity }) =>
    placedPod({ labels: { app }, isTerminating, spec: { affinity, topologySpreadConstraints } }),
  );

const clusters = fc
  .array(fc.array(pods, { maxLength: 3 }), { minLength: 1, maxLength: 5 })
  .map((lists) =>
    lists.map(
      (own, index): PopulatedNode => ({ node: zoned(`${'abc'.charAt(index % 3)}${index}`), pods: own }),
    ),
  );

type Refuse = (pod: Pod, nodes: readonly PopulatedNode[], change?: PodChange) => Refusal | undefined;

/** Judges the first node. */
const refusals: readonly (readonly [string, Refuse])[] = [
  [
    'X-10 of topology spread',
    (pod, nodes, change) =>
      nodes[0] &&
      spreadRefusal(
        spreadState(pod, nodes, () => true),
        nodes[0].node,
        change,
      ),
  ],
  [
    'Y-10 of affinity between pods',
    (pod, nodes, change) =>
      nodes[0] &&
      interPodAffinityRefusal(interPodAffinityState(pod, nodes, new Map()), nodes[0].node, change),
  ],
];

describe.each(refusals)('the refusal %s', (_rule, refuse) => {
  it('is the same for imagined changes and for real ones', () => {
    fc.assert(
      fc.property(pods, clusters, fc.array(pods, { maxLength: 2 }), fc.nat(3), (pod, nodes, added, count) => {
        const [first, ...others] = nodes;
        if (!first) return;
        const removed = first.pods.slice(0, count);
        const staying = [...first.pods.slice(count), ...added];
        const changed = [{ ...first, pods: staying }, ...others];
        expect(refuse(pod, nodes, { removed, added })).toEqual(refuse(pod, changed));
      }),
      { numRuns: 500 },
    );
  });
});
