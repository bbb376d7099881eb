import { expect, it } from 'vitest';
import { createBoundPods } from '../../../../../shared/rules/scheduling/cluster/bound-pods.ts';
import type { Labels } from '../../../../support/scheduling/scheduling-objects.ts';
import { placedPod } from '../../../../support/scheduling/scheduling-objects.ts';

const COUNT = 1_000;

/** The labels, and how often one of them is read. */
const counted = (labels: Labels, seen: { reads: number }): Labels =>
  new Proxy(labels, {
    getOwnPropertyDescriptor: (target, key) => {
      seen.reads += 1;
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });

const membersOf = (seen = { reads: 0 }) => {
  const bound = createBoundPods();
  for (let index = 0; index < COUNT; index += 1) {
    const labels = counted({ app: 'web', own: `${index}` }, seen);
    bound.add(placedPod({ labels }), `n${index}`);
  }
  return bound;
};

it('X-11 counts replicas by node in one group', () => {
  const bound = createBoundPods();
  for (let index = 0; index < COUNT; index += 1) bound.add(placedPod(), `n${index % 2}`);
  expect(bound.labelled.selected('default', { matchLabels: { app: 'web' } })).toEqual([
    {
      metadata: { namespace: 'default', labels: { app: 'web' } },
      isTerminating: false,
      byNode: new Map([
        ['n0', COUNT / 2],
        ['n1', COUNT / 2],
      ]),
    },
  ]);
});

it('X-11 puts replicas with equal terms into one group, whatever their labels are', () => {
  const bound = createBoundPods();
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };
  for (const own of ['1', '2'])
    bound.add(placedPod({ labels: { own }, spec: { affinity: { podAntiAffinity } } }), 'n');
  expect([...bound.withTerms()].map(({ byNode }) => byNode)).toEqual([new Map([['n', 2]])]);
});

it.each([
  ['a label', { matchLabels: { own: '7' } }],
  ['the rarer one of two labels', { matchLabels: { app: 'web', own: '7' } }],
  ['one of several values', { matchExpressions: [{ key: 'own', operator: 'In', values: ['7', 'none'] }] }],
])('X-11 asks a selector by %s about no other group', (_name, selector) => {
  const seen = { reads: 0 };
  const bound = membersOf(seen);
  seen.reads = 0;
  const found = bound.labelled.selected('default', selector);
  expect(found.map(({ metadata }) => metadata.labels['own'])).toEqual(['7']);
  expect(seen.reads).toBeGreaterThan(0);
  expect(seen.reads).toBeLessThan(5);
});

it('X-11 asks a selector that names no value about every group', () => {
  const selector = { matchExpressions: [{ key: 'own', operator: 'NotIn', values: ['7'] }] };
  expect(membersOf().labelled.selected('default', selector)).toHaveLength(COUNT - 1);
});
