import { describe, expect, it } from 'vitest';
import { createRowCache } from '../../../../../shared/adapters/sqlite/memory/row-cache.ts';
import { storedRow } from '../../../../../shared/adapters/sqlite/memory/stored-row.ts';
import { anObject, podKey } from '../../../../support/stores/builders.ts';

const aRow = (name: string, size = 800) => {
  const object = { ...anObject(podKey(name), 1, name), data: 'x'.repeat(size) };
  const text = JSON.stringify(object);
  return storedRow(podKey(name), { uid: name, revision: 1, body: text, facts: null }, text);
};

/** As many rows of 800 characters and some more as are in half of the memory. */
const HALF = 10;

describe('the cache of rows', () => {
  const setUp = () => {
    const cache = createRowCache(2 * HALF * 1_000);
    const put = (name: string) => cache.set('pods', name, aRow(name));
    return { ...cache, put, has: (name: string) => cache.get('pods', name) !== undefined };
  };
  const names = (count: number, start = 0) => Array.from({ length: count }, (_, n) => `p${start + n}`);

  it('keeps what was used within the last half of its memory, and not much more', () => {
    const { put, has } = setUp();
    put('first');
    for (const name of names(HALF)) put(name);
    expect(has('p0')).toBe(true);
    put('used');
    for (const name of names(5 * HALF)) {
      put(name);
      expect(has('used')).toBe(true);
    }
    expect(has('first')).toBe(false);
    expect(names(5 * HALF).filter(has).length).toBeLessThanOrEqual(2 * HALF);
  });

  it('never has an older row beside a newer one', () => {
    const { put, set, get, remove } = setUp();
    put('pod');
    for (const name of names(HALF)) put(name);
    const newer = aRow('pod');
    set('pods', 'pod', newer);
    for (const name of names(HALF)) put(name);
    expect(get('pods', 'pod')).toBe(newer);
    remove('pods', 'pod');
    expect(get('pods', 'pod')).toBeUndefined();
  });

  it('gives all readers one object, which none can change', () => {
    const { put, get } = setUp();
    put('pod');
    const row = get('pods', 'pod')?.row();
    expect(get('pods', 'pod')?.row()).toBe(row);
    if (row?.state !== 'live') throw new Error('no row');
    expect(() => Object.assign(row.object.metadata, { name: 'other' })).toThrow(TypeError);
    expect(() => Object.assign(row.facts, { hasEdges: true })).toThrow(TypeError);
  });
});
