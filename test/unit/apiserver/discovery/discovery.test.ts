import { describe, expect, it } from 'vitest';
import { RESOURCES } from '../../../../shared/apiserver/resources/resources.ts';
import { createTestApi } from '../../../support/servers/api.ts';

const api = createTestApi();
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const BETA = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  api.send('GET', path, { as: 'admin', headers });

interface Entry {
  readonly name: string;
  readonly [field: string]: unknown;
}

/** metrics-server has no watches either. */
const UNWATCHED: readonly string[] = ['metrics.k8s.io'];

it.each(RESOURCES.filter(({ verbs, group }) => verbs.list && !UNWATCHED.includes(group)))(
  '$resource of group "$group" can be watched, because clients that list it go on to watch it',
  ({ verbs }) => {
    expect(Object.keys(verbs)).toContain('watch');
  },
);

describe('the legacy documents', () => {
  it.each(RESOURCES.filter(({ verbs }) => Object.keys(verbs).length > 0))(
    'name $group/$version $resource',
    async ({ group, version, resource, singular, kind, namespaced, verbs }) => {
      const { json } = await get(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
      const entry = json.resources.find(({ name }: Entry) => name === resource);
      expect(entry).toMatchObject({ singularName: singular, kind, namespaced });
      expect(entry.verbs).toEqual(Object.keys(verbs).toSorted());
    },
  );

  it('list resources by name, each before its subresources', async () => {
    const { json } = await get('/apis/apps/v1');
    const names: readonly string[] = json.resources.map(({ name }: Entry) => name);
    expect(names).toEqual(names.toSorted());
  });

  it('name the group of a kind if it is not that of the resource', async () => {
    const { json } = await get('/apis/apps/v1');
    expect(json.resources.find(({ name }: Entry) => name === 'deployments/scale')).toEqual({
      name: 'deployments/scale',
      singularName: '',
      namespaced: true,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
    });
  });

  it('prefer the version that a group has', async () => {
    expect((await get('/apis/apps')).json).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: 'apps',
      versions: [{ groupVersion: 'apps/v1', version: 'v1' }],
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
  });
});

describe('the aggregated document', () => {
  it('is sent if it is the first type that the client accepts', async () => {
    const { json, headers } = await get('/apis', { accept: `${AGGREGATED},${BETA},application/json` });
    expect(headers).toMatchObject({ 'content-type': AGGREGATED, vary: 'Accept' });
    expect([json.kind, json.apiVersion, json.metadata]).toEqual([
      'APIGroupDiscoveryList',
      'apidiscovery.k8s.io/v2',
      {},
    ]);
    const apps = json.items.find(({ metadata }: { metadata: Entry }) => metadata.name === 'apps');
    const daemonSets = apps.versions[0].resources.find(({ resource }: Entry) => resource === 'daemonsets');
    expect(daemonSets).toEqual({
      resource: 'daemonsets',
      responseKind: { group: '', version: '', kind: 'DaemonSet' },
      scope: 'Namespaced',
      singularResource: 'daemonset',
      verbs: expect.arrayContaining(['create', 'list']),
      shortNames: ['ds'],
      categories: ['all'],
      subresources: [
        {
          subresource: 'status',
          responseKind: { group: '', version: '', kind: 'DaemonSet' },
          verbs: ['get', 'patch', 'update'],
        },
      ],
    });
  });

  it.each([
    ['before it', `application/json,${AGGREGATED}`, AGGREGATED],
    ['of a better quality', `${AGGREGATED};q=0.1,application/json`, AGGREGATED],
    ['of another type', `application/vnd.kubernetes.protobuf,${AGGREGATED}`, AGGREGATED],
    ['in YAML', AGGREGATED.replace('json', 'yaml'), AGGREGATED.replace('json', 'yaml')],
  ])('is sent whatever else the client accepts: %s', async (_name, accept, type) => {
    expect((await get('/apis', { accept })).headers['content-type']).toBe(type);
  });

  it('of /api has only the core group, without a name', async () => {
    const { json } = await get('/api', { accept: AGGREGATED });
    expect(json.items.map(({ metadata }: { metadata: object }) => metadata)).toEqual([{}]);
  });

  it.each([
    ['an older version', '/apis', `${BETA},application/json`, 'APIGroupList'],
    ['the resources of one group', '/api/v1', `${AGGREGATED},application/json`, 'APIResourceList'],
  ])('is not sent for %s', async (_name, path, accept, kind) => {
    const { json, headers } = await get(path, { accept });
    expect([json.kind, headers['vary']]).toEqual([kind, undefined]);
  });

  it('is not sent again to a client that has it', async () => {
    const { headers } = await get('/apis', { accept: AGGREGATED });
    const again = await get('/apis', { accept: AGGREGATED, 'if-none-match': headers['etag'] ?? '' });
    expect([again.code, again.json]).toEqual([304, '']);
  });
});

const ROUTER = '406: Not Acceptable\n\nAvailable representations: application/json';
const TYPES = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const HANDLER = `only the following media types are accepted: ${TYPES}`;

describe('a document in a type that the client does not accept', () => {
  it.each([
    ['/version', 'application/xml', ROUTER],
    ['/version', 'text/html', ROUTER],
    ['/api', 'text/html', `${ROUTER}, application/yaml, application/vnd.kubernetes.protobuf`],
    ['/api/v1', 'application/*', `${ROUTER}, application/yaml, application/vnd.kubernetes.protobuf`],
    ['/api/v1', AGGREGATED, HANDLER],
    ['/apis/apps/v1', 'application/json;as=Table;v=v1;g=meta.k8s.io', HANDLER],
    ['/apis', 'text/html', HANDLER],
    ['/apis', BETA, HANDLER],
    ['/apis/apps', 'application/xml', HANDLER],
  ])('%s as %s is refused', async (path, accept, message) => {
    const { code, json } = await get(path, { accept });
    expect([code, json.reason, json.message]).toEqual([406, 'NotAcceptable', message]);
  });

  it.each([
    ['/version', 'text/html,*/*;q=0.8'],
    ['/apis', 'application/*'],
    ['/api/v1', 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'],
  ])('%s as %s is not', async (path, accept) => {
    expect((await get(path, { accept })).code).toBe(200);
  });
});

describe('paths', () => {
  it('are listed at /', async () => {
    const { json } = await get('/');
    const served = ['/api/v1', '/apis/apps', '/apis/apps/v1', '/openapi/v3', '/readyz', '/version'];
    expect(json.paths).toEqual(expect.arrayContaining(served));
    expect(json.paths).toEqual(json.paths.toSorted());
  });

  it.each(['POST', 'PUT', 'DELETE'])('of groups also answer a %s', async (method) => {
    const { code, json } = await api.send(method, '/apis/apps');
    expect([code, json.kind]).toEqual([200, 'APIGroup']);
  });

  it.each([
    ['GET', '/healthz', 200, 'ok'],
    ['GET', '/livez/ping', 200, 'ok'],
    ['GET', '/livez/nope', 404, '404 page not found\n'],
    ['GET', '/livez/', 404, '404 page not found\n'],
    ['HEAD', '/apis', 200, ''],
    ['HEAD', '/api', 405, ''],
    ['GET', '/readyz?verbose', 200, '[+]ping ok\nreadyz check passed\n'],
    ['GET', '/readyz?verbose&exclude=ping', 200, '[+]ping excluded: ok\nreadyz check passed\n'],
    [
      'GET',
      '/readyz?verbose&exclude=x',
      200,
      '[+]ping ok\nwarn: some health checks cannot be excluded: no matches for "x"\nreadyz check passed\n',
    ],
    ['POST', '/healthz', 200, 'ok'],
    ['HEAD', '/api/v1/nodes', 405, ''],
    ['GET', '/apis/nope', 404, '404 page not found\n'],
    ['GET', '/apis/nope/v1/things', 404, '404 page not found\n'],
  ])('%s %s answers %s', async (method, path, code, body) => {
    const answer = await api.send(method, path);
    expect([answer.code, answer.json]).toEqual([code, body]);
  });

  it.each([
    ['POST', '/api', 405],
    ['GET', '/version/x', 404],
    ['POST', '/api/v1/pods', 405],
    ['DELETE', '/api/v1/watch/nodes', 405],
    ['POST', '/api/v1/watch/nodes', 405],
    ['PUT', '/api/v1/watch/nodes/n', 405],
    ['OPTIONS', '/api/v1/nodes', 405],
    ['OPTIONS', '/api/v1/nodes/n/status', 405],
    ['OPTIONS', '/api/v1/nopes', 404],
    ['GET', '/api/v1/watch/nodes/n/status', 404],
    ['DELETE', '/version', 405],
    ['GET', '/apis/apps/v2', 404],
    ['GET', '/apis/apps/v2/deployments', 404],
    ['GET', '/apis/apps/v1/nopes', 404],
    ['GET', '/api/v1/nodes/n/nope', 404],
  ])('%s %s answers %s with a Status', async (method, path, code) => {
    const answer = await api.send(method, path);
    expect([answer.code, answer.json.kind, answer.json.details]).toEqual([code, 'Status', {}]);
  });
});
