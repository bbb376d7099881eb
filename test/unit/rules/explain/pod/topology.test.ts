import { describe, expect, it } from 'vitest';
import { rejectedStatus } from '../../../../../agent/rules/admission/rejected-pod.ts';
import { factText, verdictText } from '../../../../../shared/apiserver/explain/words.ts';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import { explainTopology } from '../../../../../shared/rules/explain/pod/pod-topology.ts';
import { readTopologyNote, type TopologyNote } from '../../../../../shared/rules/pods/topology-note.ts';

const NOTE: TopologyNote = {
  container: 'db',
  policy: 'single-numa-node',
  resources: [
    { resource: 'cpu', hints: [{ nodes: '0-1', isPreferred: true }], more: 2 },
    { resource: 'memory', hints: [] },
    { resource: 'example.com/gpu' },
  ],
  merged: { isPreferred: false },
  bestEffort: { nodes: '0-1', isPreferred: false },
};

const POD = { spec: { containers: [] } } as unknown as Pod;
const REJECTION = {
  admit: false,
  reason: 'TopologyAffinityError',
  message: 'Resources cannot be allocated with Topology locality',
} as const;

const podWith = (note: TopologyNote): Pod => ({
  ...POD,
  status: rejectedStatus(POD, { ...REJECTION, note }),
});

const sentences = (note: TopologyNote): readonly string[] =>
  explainTopology(podWith(note))?.because.map(factText) ?? [];

describe('J-195: a pod that is refused because of the topology of its node', () => {
  it('has the message of a kubelet, and a condition that says why', () => {
    const { message, conditions } = rejectedStatus(POD, { ...REJECTION, note: NOTE });
    expect(message).toBe('Pod was rejected: Resources cannot be allocated with Topology locality');
    expect(conditions?.[0]).toMatchObject({ type: 'rollcall.dev/Topology', status: 'False' });
    expect(readTopologyNote(conditions?.[0]?.message ?? '')).toEqual(NOTE);
    expect(rejectedStatus(POD, REJECTION)).not.toHaveProperty('conditions');
  });

  it.each([
    ['no JSON', 'hello'],
    ['a text', '"hello"'],
    ['without a policy', JSON.stringify({ ...NOTE, policy: 7 })],
    ['with a hint that is none', JSON.stringify({ ...NOTE, merged: { nodes: 3, isPreferred: true } })],
    ['with resources that are no list', JSON.stringify({ ...NOTE, resources: {} })],
    ['with a resource that is none', JSON.stringify({ ...NOTE, resources: [{ hints: [] }] })],
    ['too long', JSON.stringify({ ...NOTE, policy: 'x'.repeat(20_000) })],
  ])('is not explained by a message that is %s', (_, message) => {
    expect(readTopologyNote(message)).toBeUndefined();
  });
});

describe('J-196: why it is refused', () => {
  it('is what each resource fits, what they come to, and what would be admitted', () => {
    expect(sentences(NOTE)).toEqual([
      'container db, by topology policy single-numa-node',
      'cpu fits NUMA 0-1 (preferred), and 2 more',
      'memory fits nowhere',
      'example.com/gpu fits anywhere',
      'together they prefer no NUMA nodes',
      'it would be admitted if all of them preferred one and the same NUMA node',
      'policy best-effort would run it on NUMA 0-1',
    ]);
    expect(verdictText('RefusedByTopology')).toContain('refused by its node');
  });

  it('is about the pod as a whole with that scope', () => {
    const { container: _, ...whole } = NOTE;
    const restricted = { ...whole, policy: 'restricted', merged: { nodes: '0', isPreferred: false } };
    expect(sentences(restricted)).toEqual(
      expect.arrayContaining([
        'the pod as a whole, by topology policy restricted',
        'together they fit NUMA 0',
        'it would be admitted if all of them preferred the same NUMA nodes',
      ]),
    );
  });

  it.each([
    ['a pod without the condition', {}],
    ['one that was admitted since', { conditions: [{ type: 'rollcall.dev/Topology', status: 'True' }] }],
    ['one whose node says nothing', { conditions: [{ type: 'rollcall.dev/Topology', status: 'False' }] }],
  ])('is no question of %s', (_, status) => {
    expect(explainTopology({ ...POD, status } as Pod)).toBeUndefined();
  });
});
