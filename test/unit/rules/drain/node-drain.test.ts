import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { DRAIN_ANNOTATION, withoutCancelledDrain } from '../../../../shared/rules/drain/drain-annotations.ts';
import type { DrainRequest } from '../../../../shared/rules/drain/drain-request.ts';
import {
  drainRequestOf,
  withDrainRequest,
  withoutDrainRequest,
} from '../../../../shared/rules/drain/node-drain.ts';
import { aCondition, aNode, at } from '../../../support/objects/domain-objects.ts';

const T = at('2026-02-03T04:05:06Z');
const ONE: DrainRequest = { id: 'one', requestedAt: T, by: 'alice', reason: 'kernel', deadlineAt: T + 9000 };
const TWO: DrainRequest = {
  id: 'two',
  requestedAt: T + 5000,
  by: 'cloud',
  reason: 'spot',
  deleteAt: T + 7000,
};

const uncordoned = (node: Node): Node => ({ ...node, spec: { ...node.spec, unschedulable: false } });
const cordoned = (node: Node): Node => ({ ...node, spec: { ...node.spec, unschedulable: true } });
const drained = withDrainRequest(aNode(), ONE);

describe('a node with a request', () => {
  it('is unschedulable, and shows the request (E-10)', () => {
    expect(drained.spec?.unschedulable).toBe(true);
    expect(drainRequestOf(drained)).toEqual(ONE);
  });

  it('keeps its other annotations (E-10)', () => {
    const plain = aNode();
    const node = { ...plain, metadata: { ...plain.metadata, annotations: { a: 'b' } } };
    expect(withDrainRequest(node, ONE).metadata.annotations?.['a']).toBe('b');
  });

  it('is the same when the same request comes again, also one that was joined to another (E-11)', () => {
    expect(withDrainRequest(drained, ONE)).toBe(drained);
    const both = withDrainRequest(drained, TWO);
    expect(withDrainRequest(both, TWO)).toBe(both);
  });

  it('does what either of two requests asks for (E-11)', () => {
    const { deadlineAt: _, ...first } = ONE;
    expect(drainRequestOf(withDrainRequest(drained, TWO))).toEqual({ ...first, ...TWO, requestedAt: T });
  });

  it('remembers that it was cordoned before the first request, and only then (E-12)', () => {
    const node = withDrainRequest(aNode({ unschedulable: true }), ONE);
    expect(drainRequestOf(node)?.foundCordoned).toBe(true);
    expect(drainRequestOf(withDrainRequest(node, TWO))?.foundCordoned).toBe(true);
    expect(drainRequestOf(withDrainRequest(drained, TWO))?.foundCordoned).toBeUndefined();
  });

  it('begins anew with another request: the conditions of the first one go (E-11)', () => {
    const conditions = [
      aCondition('Ready', 'True'),
      aCondition('DrainInProgress', 'False'),
      aCondition('Drained', 'True'),
    ];
    const node = { ...drained, status: { conditions } };
    expect(withDrainRequest(node, ONE)).toBe(node);
    expect(withDrainRequest(node, TWO).status?.conditions).toEqual(conditions.slice(0, 1));
  });

  it('takes a request in place of one that cannot be read (E-10)', () => {
    const plain = aNode({ unschedulable: true });
    const node = { ...plain, metadata: { ...plain.metadata, annotations: { [DRAIN_ANNOTATION]: 'yes' } } };
    expect(drainRequestOf(node)).toBeUndefined();
    expect(drainRequestOf(withDrainRequest(node, ONE))?.id).toBe('one');
  });
});

describe('a drain that is cancelled', () => {
  it('is one whose node is schedulable (E-13)', () => {
    expect(drainRequestOf(uncordoned(drained))).toBeUndefined();
  });

  it('loses its request with the write that uncordons, so that a cordon does not bring it back (E-13)', () => {
    const after = withoutCancelledDrain(uncordoned(drained), drained);
    expect(after.metadata.annotations).toBeUndefined();
    expect(drainRequestOf(cordoned(after))).toBeUndefined();
  });

  it('is one whose annotation is gone (E-13)', () => {
    const { annotations: _, ...metadata } = drained.metadata;
    expect(drainRequestOf({ ...drained, metadata })).toBeUndefined();
  });

  it.each([
    ['that cordons', cordoned(aNode()), aNode()],
    ['on a node that stays cordoned', drained, drained],
    ['on a node without a request', uncordoned(aNode()), cordoned(aNode())],
  ])('is not one after a write %s (E-13)', (_, after, before) => {
    expect(withoutCancelledDrain(after, before)).toBe(after);
  });
});

describe('a drain that is taken back', () => {
  it('leaves the node schedulable (E-12)', () => {
    expect(withoutDrainRequest(drained)).toEqual(aNode());
  });

  it('leaves the node cordoned if it was so before (E-12)', () => {
    const node = aNode({ unschedulable: true });
    expect(withoutDrainRequest(withDrainRequest(node, ONE))).toEqual(node);
  });

  it('changes nothing on a node without a request (E-12)', () => {
    const node = aNode({ unschedulable: true });
    expect(withoutDrainRequest(node)).toBe(node);
  });
});
