import { describe, expect, it } from 'vitest';
import { createTestApi } from '../../../support/servers/api.ts';

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
});
