import { beforeAll, describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { mapInTurns } from '../../../../shared/apiserver/contract/in-turns.ts';
import { createTestApi } from '../../../support/servers/api.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const YAML = 'application/yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const COUNT = 1_000;
/** 1,000 items are read in two parts, with one pause. */
const READ = 1;
/** They are written in 32 parts of 32 items. */
const WRITTEN = 31;

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
    ['as JSON', '', {}, READ + WRITTEN],
    ['indented', '?pretty=true', {}, READ + WRITTEN],
    ['as a Table', '', { accept: TABLE }, READ + 2 * WRITTEN],
    ['as an indented Table', '?pretty=1', { accept: TABLE }, READ + 2 * WRITTEN],
    ['as a list of metadata', '', { accept: PARTIAL_LIST }, READ + 2 * WRITTEN],
    ['as YAML', '', { accept: YAML }, READ + 23],
    ['of one part', '?limit=32', {}, 0],
  ])('%s is written with pauses, and is the same as without', async (_name, query, headers, pauses) => {
    const { api, counted } = createPausedApi();
    const sent = { as: 'admin', headers };
    const paused = await api.send('GET', `${CONFIG_MAPS}${query}`, sent);
    const whole = await createTestApi({ state }).send('GET', `${CONFIG_MAPS}${query}`, sent);
    expect(counted.pauses).toBe(pauses);
    expect(Buffer.from(paused.bytes).toString()).toBe(Buffer.from(whole.bytes).toString());
  });
});

it('does no more than 32 items between two pauses', async () => {
  const parts = [0];
  const pause = async () => {
    parts.push(0);
  };
  const items = Array.from({ length: COUNT }, (_, index) => index);
  const results = await mapInTurns(items, pause, (item) => {
    parts.push((parts.pop() ?? 0) + 1);
    return -item;
  });
  expect(parts).toEqual([...Array<number>(31).fill(32), 8]);
  expect(results).toEqual(items.map((item) => -item));
});
