import { describe, expect, it } from 'vitest';
import { pack } from '../../../../../shared/adapters/sqlite/file/packing.ts';
import { createRowCache } from '../../../../../shared/adapters/sqlite/memory/row-cache.ts';
import { storedRow } from '../../../../../shared/adapters/sqlite/memory/stored-row.ts';
import { jsonBytes } from '../../../../../shared/kube/json/json-bytes.ts';
import { anObject, podKey } from '../../../../support/stores/builders.ts';

const aRow = (name: string, size = 800) => {
  const object = { ...anObject(podKey(name), 1, name), data: 'x'.repeat(size) };
  const text = JSON.stringify(object);
  return storedRow(podKey(name), { uid: name, revision: 1, body: text, facts: null }, text);
};

/** As many rows as are in half of the memory. */
const HALF = 10;

describe('the cache of rows', () => {
  const setUp = () => {
    const cache = createRowCache(2 * HALF * aRow('p0').bytes);
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

  it('keeps what a list reads while there is room, and drops nothing for it', () => {
    const { put, offer, listed } = setUp();
    for (const name of names(HALF + 2)) put(name);
    for (const name of names(5 * HALF, 100)) offer('pods', name, aRow(name));
    for (const name of names(HALF + 2)) expect(listed('pods', name)).toBeDefined();
    const kept = names(5 * HALF, 100).filter((name) => listed('pods', name));
    expect(kept.length).toBeGreaterThanOrEqual(HALF / 2);
    expect(kept.length).toBeLessThanOrEqual(HALF);
    expect(kept).toEqual(names(kept.length, 100));
  });

  it('keeps a row of a list as long as lists read it, beside writes of less than half of the memory', () => {
    const { put, offer, listed } = setUp();
    offer('pods', 'read', aRow('read'));
    for (const name of names(5 * HALF)) {
      put(name);
      expect(listed('pods', 'read')).toBeDefined();
    }
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

describe('a row in memory', () => {
  const rowOf = (value: object, packed = true) => {
    const { text, packed: body } = pack({ ...anObject(podKey('a'), 1, 'a'), ...value });
    return storedRow(podKey('a'), { uid: 'a', revision: 1, body, facts: null }, packed ? undefined : text);
  };

  it('takes more bytes than its text, and a list of empty objects twenty times as many, packed or not', () => {
    for (const isPacked of [true, false]) {
      const text = rowOf({ data: 'x'.repeat(300_000) }, isPacked);
      const objects = rowOf({ data: Array.from({ length: 100_000 }, () => ({})) }, isPacked);
      expect(text.bytes).toBeGreaterThan(300_000);
      expect(text.bytes).toBeLessThan(330_000);
      expect(objects.bytes).toBeGreaterThan(20 * 300_000);
    }
  });

  it('has nothing to parse once it was asked for, and notes the bytes of its JSON', () => {
    const stored = rowOf({ data: 'ä'.repeat(1_000) });
    expect(stored.unparsed()).toBe(stored.characters);
    const row = stored.row();
    expect(stored.unparsed()).toBe(0);
    if (row.state !== 'live') throw new Error('no row');
    expect(jsonBytes(row.object)).toBe(Buffer.byteLength(JSON.stringify(row.object)));
    expect(stored.characters).toBe(jsonBytes(row.object) - 1_000);
  });
});
