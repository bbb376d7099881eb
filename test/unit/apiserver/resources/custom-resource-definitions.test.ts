import { describe, expect, it } from 'vitest';
import { createTestApi } from '../../../support/servers/api.ts';
import { createWatching, toldOf } from '../../../support/watches/watching.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

describe('CustomResourceDefinitions', () => {
  it('are an empty list, so that kubectl reports an unknown kind', async () => {
    const { code, json } = await createTestApi().send('GET', `${PATH}?limit=500`, { as: 'admin' });
    expect(code).toBe(200);
    expect(json).toMatchObject({
      kind: 'CustomResourceDefinitionList',
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
      items: [],
    });
  });

  it.each([
    ['GET', `${PATH}/a.example.org`, 404],
    ['POST', PATH, 405],
  ])('%s %s is %d', async (method, path, code) => {
    const body = method === 'POST' ? { body: {} } : {};
    expect((await createTestApi().send(method, path, { as: 'admin', ...body })).code).toBe(code);
  });

  it.each([
    ['POST', PATH],
    ['PUT', `${PATH}/a.example.org`],
    ['PATCH', `${PATH}/a.example.org`],
    ['DELETE', `${PATH}/a.example.org`],
    ['DELETE', PATH],
  ])('%s %s says that there are no custom resources, for who installs a chart', async (method, path) => {
    const body = method === 'DELETE' ? {} : { body: {} };
    const { code, json } = await createTestApi().send(method, path, { as: 'admin', ...body });
    const message = 'Rollcall serves no custom resources';
    expect([code, json]).toEqual([405, expect.objectContaining({ reason: 'MethodNotAllowed', message })]);
  });

  it('refuse selectors that no server understands', async () => {
    const { code } = await createTestApi().send('GET', `${PATH}?labelSelector=a%20b%20c`, { as: 'admin' });
    expect(code).toBe(400);
  });

  it.each([
    ['without bookmarks: nothing until its time is over', '', []],
    [
      'with bookmarks: the end of the state, and bookmarks',
      '&allowWatchBookmarks=true',
      ['BOOKMARK', 'BOOKMARK'],
    ],
    ['from the version of a list', '&resourceVersion=1', []],
  ])('can be watched %s', async (_, query, told) => {
    const { watch } = createWatching();
    expect(toldOf(await watch(`${PATH}?watch=1&timeoutSeconds=5${query}`))).toEqual(told);
  });
});
