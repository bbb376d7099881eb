import { describe, expect, it } from 'vitest';
import { applyJsonPatch, readJsonPatch } from '../../../../shared/kube/patch/json-patch.ts';

const apply = (target: unknown, ...operations: object[]) => applyJsonPatch(target, readJsonPatch(operations));

describe('a JSON patch', () => {
  it.each<[string, unknown, object[], unknown]>([
    ['adds a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['adds before an element', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['adds at the end', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['adds null without a value', { a: 1 }, [{ op: 'add', path: '/b' }], { a: 1, b: null }],
    ['removes a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['removes the last element by -1', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    ['replaces', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: 2 }], { a: { b: 2 } }],
    ['adds a missing member when replacing it', {}, [{ op: 'replace', path: '/a', value: 2 }], { a: 2 }],
    ['moves', { a: 1 }, [{ op: 'move', from: '/a', path: '/b' }], { b: 1 }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['tests', { a: [1, { b: 2 }] }, [{ op: 'test', path: '/a', value: [1, { b: 2 }] }], { a: [1, { b: 2 }] }],
    ['treats a missing member as null in a test', {}, [{ op: 'test', path: '/a', value: null }], {}],
    ['reads ~1 and ~0', { 'a/b~c': 1 }, [{ op: 'replace', path: '/a~1b~0c', value: 2 }], { 'a/b~c': 2 }],
    [
      'applies in order',
      {},
      [
        { op: 'add', path: '/a', value: {} },
        { op: 'add', path: '/a/b', value: 1 },
      ],
      { a: { b: 1 } },
    ],
  ])('%s', (_name, target, operations, expected) => {
    expect(apply(target, ...operations)).toStrictEqual(expected);
  });

  it.each<[string, unknown, object]>([
    ['removes a missing member', {}, { op: 'remove', path: '/a' }],
    ['has a path through a missing member', {}, { op: 'add', path: '/a/b', value: 1 }],
    ['has an index beyond the end', { a: [1] }, { op: 'add', path: '/a/3', value: 1 }],
    ['has an index that is not a number', { a: [1] }, { op: 'replace', path: '/a/x', value: 1 }],
    ['has an unknown operation', {}, { op: 'frob', path: '/a' }],
    ['has no path', {}, { op: 'add', value: 1 }],
    ['has no operation', {}, { path: '/a' }],
    ['tests another value', { a: 1 }, { op: 'test', path: '/a', value: 2 }],
    ['moves a missing member', {}, { op: 'move', from: '/a', path: '/b' }],
  ])('is refused when it %s', (_name, target, operation) => {
    expect(() => apply(target, operation)).toThrow(
      'the server rejected our request due to an error in our request',
    );
  });

  it('may have at most 10,000 operations', () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a' }));
    expect(() => readJsonPatch(many)).toThrow(
      'The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
  });

  it('may not grow the object without limit by copies', () => {
    const copies = [
      { op: 'add', path: '/a', value: 'x'.repeat(2_000_000) },
      ...['/b', '/c'].map((path) => ({ op: 'copy', from: '/a', path })),
    ];
    expect(() => apply({}, ...copies)).toThrow('rejected');
  });
});
