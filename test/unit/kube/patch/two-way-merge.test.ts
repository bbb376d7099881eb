import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../shared/kube/json/json-object.ts';
import { applyStrategicMerge } from '../../../../shared/kube/patch/strategic-merge.ts';
import { twoWayMergePatch } from '../../../../shared/kube/patch/two-way-merge.ts';
import { schemaOf } from '../../../../shared/kube/schema/schema-of.ts';

const KEYS = { 'status.addresses': 'type', 'status.conditions': 'type', 'status.podIPs': 'ip' };

const ready = { type: 'Ready', status: 'True' };
const scheduled = { type: 'PodScheduled', status: 'True' };
const unready = { type: 'Ready', status: 'False', reason: 'PodFailed' };

const of = (status: JsonObject): JsonObject => ({ status });

interface Case {
  readonly name: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly patch: JsonObject;
}

const CASES: readonly Case[] = [
  {
    name: 'nothing for equal objects',
    before: of({ phase: 'Running' }),
    after: of({ phase: 'Running' }),
    patch: {},
  },
  {
    name: 'null for a member that is gone',
    before: of({ phase: 'Running', reason: 'x' }),
    after: of({ phase: 'Running' }),
    patch: of({ reason: null }),
  },
  {
    name: 'the whole list, without its order, where there was none',
    before: of({}),
    after: of({ conditions: [ready] }),
    patch: of({ conditions: [ready] }),
  },
  {
    name: 'of elements what differs, with the key and the order',
    before: of({ conditions: [ready, scheduled] }),
    after: of({ conditions: [unready, scheduled] }),
    patch: of({
      conditions: [{ status: 'False', reason: 'PodFailed', type: 'Ready' }],
      '$setElementOrder/conditions': [{ type: 'Ready' }, { type: 'PodScheduled' }],
    }),
  },
  {
    name: 'elements that are gone after those that change',
    before: of({ conditions: [ready, scheduled] }),
    after: of({ conditions: [unready] }),
    patch: of({
      conditions: [
        { status: 'False', reason: 'PodFailed', type: 'Ready' },
        { $patch: 'delete', type: 'PodScheduled' },
      ],
      '$setElementOrder/conditions': [{ type: 'Ready' }],
    }),
  },
  {
    name: 'only the order if nothing else differs',
    before: of({ conditions: [ready, scheduled] }),
    after: of({ conditions: [scheduled, ready] }),
    patch: of({ '$setElementOrder/conditions': [{ type: 'PodScheduled' }, { type: 'Ready' }] }),
  },
  {
    name: 'nothing of an equal list whose elements share a key',
    before: of({
      phase: 'a',
      addresses: [
        { type: 'InternalIP', address: 'x' },
        { type: 'InternalIP', address: 'y' },
      ],
    }),
    after: of({
      phase: 'b',
      addresses: [
        { type: 'InternalIP', address: 'x' },
        { type: 'InternalIP', address: 'y' },
      ],
    }),
    patch: of({ phase: 'b' }),
  },
  {
    name: 'lists without a key as a whole',
    before: of({ containerStatuses: [{ name: 'a', ready: false }] }),
    after: of({ containerStatuses: [{ name: 'a', ready: true }] }),
    patch: of({ containerStatuses: [{ name: 'a', ready: true }] }),
  },
];

describe('twoWayMergePatch', () => {
  it.each(CASES)('tells $name', ({ before, after, patch }) => {
    expect(twoWayMergePatch(before, after, KEYS)).toEqual(patch);
  });

  it.each(CASES)('is undone by the server: $name', ({ before, after, patch }) => {
    expect(applyStrategicMerge(before, patch, schemaOf('core.v1.Pod'))).toEqual(after);
  });
});
