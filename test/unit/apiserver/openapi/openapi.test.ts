import { beforeEach, describe, expect, it } from 'vitest';
import { DESCRIPTIONS } from '../../../../shared/apiserver/openapi/descriptions.ts';
import { REQUIRED_FIELDS } from '../../../../shared/apiserver/openapi/required-fields.ts';
import { ENUMS } from '../../../../shared/apiserver/openapi/schemas.ts';
import { messageOf } from '../../../../shared/kube/schema/messages.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';
import { createTestApi, type Json, type TestApi } from '../../../support/servers/api.ts';

let api: TestApi;
beforeEach(() => {
  api = createTestApi();
});

const get = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  api.send('GET', url, { as: 'somebody', headers });
const index = async (): Promise<Readonly<Record<string, { serverRelativeURL: string }>>> =>
  (await get('/openapi/v3')).json.paths;

describe('the index of OpenAPI 3', () => {
  it('names each group version with the hash of its document', async () => {
    const paths = await index();
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['api/v1', 'apis/coordination.k8s.io/v1', 'apis/rollcall.dev/v1']),
    );
    const url = paths['api/v1']?.serverRelativeURL ?? '';
    expect(url).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{64}$/);
    const { code, headers } = await get(url);
    expect([code, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/json',
      'public, immutable, max-age=31536000',
    ]);
  });

  it('is forbidden for anonymous requests', async () => {
    expect((await api.send('GET', '/openapi/v3', {})).code).toBe(403);
  });
});

describe('a document', () => {
  it('is not sent again to who has it', async () => {
    const { headers } = await get('/openapi/v3/api/v1');
    expect(headers['cache-control']).toBe('no-cache, private');
    const again = await get('/openapi/v3/api/v1', { 'if-none-match': headers['etag'] ?? '' });
    expect([again.code, again.bytes.byteLength]).toEqual([304, 0]);
  });

  it('of another hash redirects to the current one', async () => {
    const { code, headers } = await get('/openapi/v3/api/v1?hash=OLD');
    expect([code, headers['location']]).toEqual([301, (await index())['api/v1']?.serverRelativeURL]);
  });

  it('of a group that is not served is a 404', async () => {
    expect((await get('/openapi/v3/apis/nope/v1')).code).toBe(404);
  });

  it('refers only to schemas that it contains', async () => {
    for (const key of Object.keys(await index())) {
      const { text, json } = await get(`/openapi/v3/${key}`).then((answer) => ({
        text: new TextDecoder().decode(answer.bytes),
        json: answer.json,
      }));
      const wanted = new Set([...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name));
      expect([...wanted].filter((name) => !(String(name) in json.components.schemas))).toEqual([]);
    }
  });

  it('has what clients read about nodes', async () => {
    const { paths, components }: Json = (await get('/openapi/v3/api/v1')).json;
    const schemas = components.schemas;
    const spec = schemas['io.k8s.api.core.v1.NodeSpec'].properties;
    const gvk = { group: '', version: 'v1', kind: 'Node' };
    expect(schemas['io.k8s.api.core.v1.Node']['x-kubernetes-group-version-kind']).toEqual([gvk]);
    expect(spec.taints).toMatchObject({ type: 'array', 'x-kubernetes-list-type': 'atomic' });
    expect(spec.podCIDRs).toMatchObject({
      'x-kubernetes-list-type': 'set',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(schemas['io.k8s.api.core.v1.NodeStatus'].properties.conditions).toMatchObject({
      'x-kubernetes-list-map-keys': ['type'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'type',
      'x-kubernetes-patch-strategy': 'merge',
    });
    expect(schemas['io.k8s.api.core.v1.Taint']).toMatchObject({
      required: ['key', 'effect'],
      properties: { effect: { enum: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'] } },
    });
    const { patch } = paths['/api/v1/nodes/{name}'];
    expect(patch).toMatchObject({
      operationId: 'patchCoreV1Node',
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': gvk,
    });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toContain('fieldValidation');
    expect(paths['/api/v1/pods'].get['x-kubernetes-action']).toBe('list');
    expect(paths['/api/v1/namespaces/{namespace}/pods/{name}/status']).toHaveProperty('patch');
  });
});

describe('OpenAPI 2', () => {
  it('is protobuf for clients that accept it', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const { code, headers, bytes } = await get('/openapi/v2', { accept });
    expect([code, headers['content-type']]).toEqual([200, 'application/octet-stream']);
    const text = Buffer.from(bytes).toString('latin1');
    expect([...bytes.subarray(0, 5)]).toEqual([0x0a, 3, 0x32, 0x2e, 0x30]);
    expect(text).toContain('group: ""\nkind: Node\nversion: v1\n');
    expect(text).toContain('dryRun');
  });

  it('is JSON for all other clients', async () => {
    const { json } = await get('/openapi/v2');
    expect(json.paths['/api/v1/nodes/{name}'].patch.parameters[0].name).toBe('dryRun');
  });
});

describe('the data besides the schema', () => {
  const tables: readonly (readonly [string, readonly string[]])[] = [
    ...Object.entries(DESCRIPTIONS).map(([message, fields]) => [message, Object.keys(fields)] as const),
    ...Object.entries(REQUIRED_FIELDS).map(([message, fields]) => [message, fields.split(' ')] as const),
    ...Object.keys(ENUMS).map((path) => {
      const dot = path.lastIndexOf('.');
      return [path.slice(0, dot), [path.slice(dot + 1)]] as const;
    }),
  ];

  it.each(tables.filter(([message]) => messageOf(message)))(
    'of %s names only fields that exist',
    (message, fields) => {
      const known = kindSchema(message).fields;
      expect(fields.filter((field) => field !== '' && !Object.hasOwn(known, field))).toEqual([]);
    },
  );

  it.each([
    'core.v1.Node',
    'core.v1.NodeSpec',
    'core.v1.NodeStatus',
    'core.v1.NodeCondition',
    'core.v1.NodeAddress',
    'core.v1.Taint',
    'coordination.v1.Lease',
    'coordination.v1.LeaseSpec',
  ])('is complete for %s', (message) => {
    const told = { ...DESCRIPTIONS['*'], ...DESCRIPTIONS[message] };
    expect(Object.keys(kindSchema(message).fields).filter((field) => !(field in told))).toEqual([]);
  });
});
