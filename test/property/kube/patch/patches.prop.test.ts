import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { JsonObject } from '../../../../shared/kube/json/json-object.ts';
import { inElementOrder } from '../../../../shared/kube/patch/element-order.ts';
import { applyJsonPatch, readJsonPatch } from '../../../../shared/kube/patch/json-patch.ts';
import { applyMergePatch } from '../../../../shared/kube/patch/merge-patch.ts';
import { applyStrategicMerge } from '../../../../shared/kube/patch/strategic-merge.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';

const NODE = kindSchema('core.v1.Node');

const texts = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'));
const conditions = fc.uniqueArray(
  fc.record({
    type: fc.constantFrom('A', 'B', 'C', 'D', 'E'),
    status: fc.constantFrom('True', 'False'),
    reason: fc.constantFrom('x', 'y'),
  }),
  { selector: ({ type }) => type },
);
const finalizers = fc.uniqueArray(fc.constantFrom('x/a', 'x/b', 'x/c', 'x/d'));
const nodes = fc.record({ labels: texts, finalizers, conditions });
type Parts = typeof nodes extends fc.Arbitrary<infer T> ? T : never;

const nodeOf = ({ labels, finalizers: holds, conditions: states }: Parts): JsonObject => ({
  metadata: { labels, finalizers: holds },
  status: { conditions: states },
});

const removed = (from: object, to: object): JsonObject =>
  Object.fromEntries(Object.keys(from).flatMap((name) => (Object.hasOwn(to, name) ? [] : [[name, null]])));

/** The patch that a client makes of two objects: what is new or changed, deletions, and the wanted order. */
const twoWayDiff = (from: Parts, to: Parts): JsonObject => {
  const types = new Set(to.conditions.map(({ type }) => type));
  const gone = from.conditions.filter(({ type }) => !types.has(type));
  return {
    metadata: {
      labels: { ...removed(from.labels, to.labels), ...to.labels },
      '$setElementOrder/finalizers': to.finalizers,
      '$deleteFromPrimitiveList/finalizers': from.finalizers.filter((one) => !to.finalizers.includes(one)),
      finalizers: to.finalizers.filter((one) => !from.finalizers.includes(one)),
    },
    status: {
      '$setElementOrder/conditions': to.conditions.map(({ type }) => ({ type })),
      conditions: [...to.conditions, ...gone.map(({ type }) => ({ $patch: 'delete', type }))],
    },
  };
};

it('a strategic merge of the difference of two objects gives the second', () => {
  fc.assert(
    fc.property(nodes, nodes, (from, to) => {
      expect(applyStrategicMerge(nodeOf(from), twoWayDiff(from, to), NODE)).toEqual(nodeOf(to));
    }),
  );
});

const NAMES = ['__proto__', 'constructor', 'prototype', 'a', 'polluted'];
const names = fc.constantFrom(...NAMES);
const pointers = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const operations = fc.record({
  op: fc.constantFrom('add', 'replace', 'remove', 'move', 'copy', 'test'),
  path: pointers,
  from: pointers,
  value: fc.constantFrom({ polluted: true }, 'x', {}),
});
const documents = fc.constantFrom(
  '{"a":{"a":{}}}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
);

const orRefused = (apply: () => unknown): void => {
  try {
    apply();
  } catch (error) {
    expect(error).toBeInstanceOf(StatusError);
  }
};

it('no patch reaches the prototype of other objects', () => {
  fc.assert(
    fc.property(documents, fc.array(operations, { maxLength: 5 }), (text, patch) => {
      const target = JSON.parse(text) as JsonObject;
      const own = JSON.parse(
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      ) as JsonObject;
      orRefused(() => applyJsonPatch(target, readJsonPatch(patch)));
      applyMergePatch(target, own);
      applyStrategicMerge(target, own, NODE);
      expect(({} as JsonObject)['polluted']).toBeUndefined();
      expect(JSON.stringify(target)).toBe(text);
    }),
  );
});

/** The sort of the original, step by step: elements that `live` does not know move to the front. */
const insertionSorted = (elements: readonly string[], live: readonly string[]): readonly string[] => {
  const list = [...elements];
  const goesBefore = (a: string, b: string): boolean =>
    !live.includes(a) || !live.includes(b) || live.indexOf(a) < live.indexOf(b);
  for (let end = 1; end < list.length; end += 1)
    for (let at = end; at > 0 && goesBefore(list[at] ?? '', list[at - 1] ?? ''); at -= 1)
      [list[at - 1], list[at]] = [list[at] ?? '', list[at - 1] ?? ''];
  return list;
};

it('a merged list has the order of an insertion sort', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'), {
    maxLength: 16,
  });
  fc.assert(
    fc.property(letters, letters, (merged, live) => {
      const order = inElementOrder(merged, { wanted: [], live, identify: (element) => element });
      expect(order).toEqual(insertionSorted(merged, live));
    }),
  );
});

it('a JSON patch changes a long list as splices on an array do', () => {
  const change = fc.record({ op: fc.constantFrom('add', 'remove'), at: fc.nat(1_500), value: fc.nat() });
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 600 }),
      fc.integer({ min: 600, max: 1_500 }),
      (changes, length) => {
        const list = Array.from({ length }, (_, index) => index);
        const expected = [...list];
        const operations = changes.map(({ op, at, value }) => {
          const index = at % expected.length;
          if (op === 'add') expected.splice(index, 0, value);
          else expected.splice(index, 1);
          return { op, path: `/list/${index}`, value };
        });
        expect(applyJsonPatch({ list }, operations)).toEqual({ list: expected });
      },
    ),
  );
});
