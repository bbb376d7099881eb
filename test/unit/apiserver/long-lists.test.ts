import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { mapInTurns } from '../../../shared/apiserver/answer/in-turns.ts';
import { createTestApi } from './api.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const YAML = 'application/yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const COUNT = 1_000;
/** 1,000 items in parts of 256: pauses between four parts. */
const PAUSES = 3;

const state = createMemoryState();
const createPausedApi = () => {
  const counted = { pauses: 0 };
  const pause = async () => {
    counted.pauses += 1;
  };
  return { counted, api: createTestApi({ state, pause }) };
};

beforeAll(async () => {
  const { api } = createPausedApi();
  for (let index = 0; index < COUNT; index += 1)
    await api.send('POST', CONFIG_MAPS, {
      as: 'admin',
      body: { metadata: { name: `c${index}` }, data: { text: 'a\n"b"' } },
    });
});

describe('a long list', () => {
  it.each([
    ['as JSON', '', {}, PAUSES],
    ['indented', '?pretty=true', {}, PAUSES],
    ['as a Table', '', { accept: TABLE }, 2 * PAUSES],
    ['as an indented Table', '?pretty=1', { accept: TABLE }, 2 * PAUSES],
    ['as a list of metadata', '', { accept: PARTIAL_LIST }, 2 * PAUSES],
    ['as YAML', '', { accept: YAML }, 23],
    ['of one part', '?limit=256', {}, 0],
  ])('%s is written with pauses, and is the same as without', async (_name, query, headers, pauses) => {
    const { api, counted } = createPausedApi();
    const sent = { as: 'admin', headers };
    const paused = await api.send('GET', `${CONFIG_MAPS}${query}`, sent);
    const whole = await createTestApi({ state }).send('GET', `${CONFIG_MAPS}${query}`, sent);
    expect(counted.pauses).toBe(pauses);
    expect(Buffer.from(paused.bytes).toString()).toBe(Buffer.from(whole.bytes).toString());
  });
});

it('does no more than 256 items between two pauses', async () => {
  const parts = [0];
  const pause = async () => {
    parts.push(0);
  };
  const items = Array.from({ length: COUNT }, (_, index) => index);
  const results = await mapInTurns(items, pause, (item) => {
    parts.push((parts.pop() ?? 0) + 1);
    return -item;
  });
  expect(parts).toEqual([256, 256, 256, 232]);
  expect(results).toEqual(items.map((item) => -item));
});
