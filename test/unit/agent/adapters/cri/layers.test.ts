import { expect, it } from 'vitest';
import { layerOf, readLayers } from '../../../../../agent/adapters/cri/layers.ts';
import type { Parts } from '../../../../../agent/adapters/cri/parts.ts';
import { known, NOT_KNOWN } from '../../../../../agent/rules/known.ts';

type Stats = readonly object[];

/** A runtime that answers these one after the other. */
const partsWith = (...answers: readonly (Stats | Error)[]) => {
  const left = [...answers];
  const asked: unknown[] = [];
  const listContainerStats = async (request: unknown): Promise<{ readonly stats: Stats }> => {
    asked.push(request);
    const stats = left.shift() ?? [];
    if (stats instanceof Error) throw stats;
    return { stats };
  };
  const options = { podsCgroup: '/rollcall/pods' };
  const parts = { options, client: { runtime: { listContainerStats } }, layers: new Map() };
  return { parts: parts as unknown as Parts, asked };
};

const of = (id: string, writableLayer?: object) => ({
  attributes: { id, labels: {} },
  ...(writableLayer && { writableLayer }),
});

it('the layers are those that the runtime tells of', async () => {
  const layer = { usedBytes: { value: 4096 }, inodesUsed: { value: 3 } };
  const { parts, asked } = partsWith([of('a', layer), of('b'), of('c', { usedBytes: { value: 1 } })]);
  expect(layerOf(parts, 'a')).toEqual(NOT_KNOWN);
  await readLayers(parts);
  expect(layerOf(parts, 'a')).toEqual(known({ bytes: 4096, inodes: 3 }));
  expect(layerOf(parts, 'b')).toBeUndefined();
  expect(layerOf(parts, 'c')).toEqual(known({ bytes: 1, inodes: 0 }));
  expect(layerOf(parts, 'new')).toEqual(NOT_KNOWN);
  expect(asked).toMatchObject([{ filter: { labelSelector: expect.anything() } }]);
});

it('an answer that fails leaves what is known; containers that are gone are forgotten', async () => {
  const layer = { usedBytes: { value: 7 } };
  const { parts } = partsWith([of('a', layer)], new Error('busy'), []);
  await readLayers(parts);
  await expect(readLayers(parts)).rejects.toThrow('busy');
  expect(layerOf(parts, 'a')).toEqual(known({ bytes: 7, inodes: 0 }));
  await readLayers(parts);
  expect(layerOf(parts, 'a')).toEqual(NOT_KNOWN);
});
