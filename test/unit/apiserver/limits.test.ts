import { describe, expect, it } from 'vitest';
import { createTestApi, MERGE, NODES, nodeBody, PODS, podBody, statusOf } from '../../support/servers/api.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const YAML = 'application/yaml';

const entries = (count: number, value: string): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
const configMap = (data: object): object => ({ metadata: { name: 'c' }, data });
const yamlOf = (lines: number): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n${Array.from({ length: lines }, (_, index) => `  k${index}: x\n`).join('')}`;
const operations = (count: number): readonly object[] => [
  { op: 'add', path: '/metadata/annotations', value: {} },
  ...Array.from({ length: count - 1 }, (_, index) => ({
    op: 'add',
    path: `/metadata/annotations/a${index}`,
    value: 'x',
  })),
];

describe('a body', () => {
  it('of many values is refused, regardless of its bytes', async () => {
    const api = createTestApi();
    expect(
      (await api.send('POST', CONFIG_MAPS, { as: 'admin', body: configMap(entries(11_900, 'x')) })).code,
    ).toBe(201);
    const refused = await api.send('POST', CONFIG_MAPS, {
      as: 'admin',
      body: configMap(entries(30_000, 'x')),
    });
    expect(statusOf(refused)).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: the body has more than 12000 values; send them in several requests',
    ]);
  });

  it('of many values is refused in an apply as well', async () => {
    const api = createTestApi();
    const apply = (count: number) =>
      api.send('PATCH', `${CONFIG_MAPS}/c?fieldManager=m`, {
        as: 'admin',
        body: { apiVersion: 'v1', kind: 'ConfigMap', ...configMap(entries(count, 'x')) },
        type: APPLY,
      });
    expect((await apply(11_900)).code).toBe(201);
    expect(statusOf(await apply(12_100))).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: the body has more than 12000 values; send them in several requests',
    ]);
  });

  it('may be Endpoints of a thousand addresses', async () => {
    const addresses = Array.from({ length: 1_000 }, (_, index) => ({
      ip: `10.0.${index >> 8}.${index & 255}`,
      nodeName: `node-${index}`,
      targetRef: { kind: 'Pod', namespace: 'default', name: `pod-${index}`, uid: `uid-${index}` },
    }));
    const body = { metadata: { name: 's' }, subsets: [{ addresses, ports: [{ port: 80 }] }] };
    const path = '/api/v1/namespaces/default/endpoints';
    expect((await createTestApi().send('POST', path, { as: 'admin', body })).code).toBe(201);
  });

  it('may be a ConfigMap of a megabyte', async () => {
    const body = configMap({ a: 'x'.repeat(500_000), b: 'y'.repeat(540_000) });
    expect((await createTestApi().send('POST', CONFIG_MAPS, { as: 'admin', body })).code).toBe(201);
  });

  it('of many lines of YAML is refused in a POST and in an apply', async () => {
    const api = createTestApi();
    const url = `${CONFIG_MAPS}/c?fieldManager=m`;
    const message =
      'Request entity too large: YAML may have 4000 line ends, commas, colons and openings; send JSON instead';
    const posted = await api.send('POST', CONFIG_MAPS, { as: 'admin', raw: yamlOf(3_000), type: YAML });
    expect(statusOf(posted)).toEqual([413, 'RequestEntityTooLarge', message]);
    const applied = await api.send('PATCH', url, { as: 'admin', raw: yamlOf(3_000), type: APPLY });
    expect(statusOf(applied)).toEqual([413, 'RequestEntityTooLarge', message]);
    expect((await api.send('PATCH', url, { as: 'admin', raw: yamlOf(1_000), type: APPLY })).code).toBe(201);
  });

  it('may be a JSON patch of ten thousand operations', async () => {
    const api = createTestApi();
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n') });
    const patch = (count: number) =>
      api.send('PATCH', `${NODES}/n`, { as: 'admin', body: operations(count), type: JSON_PATCH });
    expect((await patch(10_000)).code).toBe(200);
    expect((await patch(10_001)).code).toBe(413);
  });

  it('adds as many values by a JSON patch as it may have itself', async () => {
    const api = createTestApi();
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n') });
    const patch = (count: number) => {
      const body = [{ op: 'add', path: '/metadata/annotations', value: entries(count, 'x') }];
      return api.send('PATCH', `${NODES}/n`, { as: 'admin', body, type: JSON_PATCH });
    };
    expect((await patch(11_000)).code).toBe(200);
    expect(statusOf(await patch(12_001))).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: the body has more than 12000 values; send them in several requests',
    ]);
  });

  it('has no number of more than a thousand digits', async () => {
    const raw = `{"metadata":{"name":"c","generation":${'1'.repeat(1_001)}}}`;
    const { code, json } = await createTestApi().send('POST', CONFIG_MAPS, { as: 'admin', raw });
    expect([code, json.message]).toEqual([400, expect.stringContaining('a number may have 1000 digits')]);
  });

  it('in protobuf may have as many fields as JSON may have values', async () => {
    const raw = Buffer.concat([Buffer.from('k8s\0'), Buffer.alloc(60_000, Buffer.from([0x0a, 0]))]);
    const type = 'application/vnd.kubernetes.protobuf';
    expect((await createTestApi().send('POST', NODES, { as: 'admin', raw, type })).code).toBe(413);
  });
});

describe('an object', () => {
  it('grows to a limit in any number of steps', async () => {
    const api = createTestApi();
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n') });
    const patch = (status: object) =>
      api.send('PATCH', `${NODES}/n/status`, { as: 'admin', body: { status }, type: MERGE });
    const text = 'x'.repeat(900_000);
    expect((await patch({ images: [{ names: [text] }] })).code).toBe(200);
    const refused = await patch({ conditions: [{ type: 'A', status: 'True', message: text }] });
    expect([refused.code, refused.json.message]).toEqual([
      413,
      expect.stringContaining('the limits are 1572864 and 36000'),
    ]);
    expect((await patch({ images: null })).code).toBe(200);
  });

  it('of more bytes than a store takes is refused', async () => {
    const api = createTestApi();
    const status = { images: [{ names: ['x'.repeat(1_600_000)] }] };
    const { code, json } = await api.send('POST', NODES, { as: 'admin', body: nodeBody('n', { status }) });
    expect([code, json.message]).toEqual([413, expect.stringContaining('the limits are 1572864 and 36000')]);
  });

  it('has at most some hundred taints and tolerations', async () => {
    const api = createTestApi();
    const taints = Array.from({ length: 251 }, (_, index) => ({ key: `k${index}`, effect: 'NoExecute' }));
    const tolerations = Array.from({ length: 251 }, (_, index) => ({ key: `k${index}`, operator: 'Exists' }));
    const node = await api.send('POST', NODES, { as: 'admin', body: nodeBody('n', { spec: { taints } }) });
    expect(node.json.details.causes).toEqual([
      {
        reason: 'FieldValueTooMany',
        message: 'Too many: 252: must have at most 250 items',
        field: 'metadata.taints',
      },
    ]);
    const pod = await api.send('POST', PODS, { as: 'admin', body: podBody('p', { tolerations }) });
    expect(pod.json.message).toContain('spec.tolerations: Too many: 25');
  });
});

describe('an answer', () => {
  it('lists a hundred faults and the number of the others', async () => {
    const labels = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`-${index}`, 'x']));
    const body = { metadata: { name: 'n', labels } };
    const { code, json } = await createTestApi().send('POST', NODES, { as: 'admin', body });
    expect([code, json.details.causes.length]).toEqual([422, 100]);
    expect(json.message).toMatch(/, and 50 more\]$/);
  });

  it('repeats only the beginning of a long value', async () => {
    const body = { metadata: { name: 'n', labels: { a: `${'a'.repeat(1_000_000)}!` } } };
    const { code, bytes } = await createTestApi().send('POST', NODES, { as: 'admin', body });
    expect(code).toBe(422);
    expect(bytes.length).toBeLessThan(100_000);
  });

  it.each([
    ['a bad name', NODES, { metadata: { name: `${'a'.repeat(3_000_000)}!` } }, 'is invalid: [metadata.name'],
    ['a field', CONFIG_MAPS, configMap({ [`${'a'.repeat(3_000_000)}!`]: 'x' }), 'must be no more than 253'],
    [
      'an owner',
      NODES,
      { metadata: { name: 'n', ownerReferences: [{ uid: 'u'.repeat(3_000_000) }] } },
      'must not be empty',
    ],
  ])('repeats only the beginning of %s', async (_name, path, body, expected) => {
    const { code, json, bytes } = await createTestApi().send('POST', path, { as: 'admin', body });
    expect([code, json.message]).toEqual([422, expect.stringContaining(expected)]);
    expect(bytes.length).toBeLessThan(100_000);
  });

  it('repeats only the beginning of the name of an existing object', async () => {
    const name = 'a'.repeat(50_000);
    const { json } = await createTestApi().send('GET', `${CONFIG_MAPS}/${name}`, { as: 'admin' });
    const shown = `${'a'.repeat(10_000)}…`;
    expect([json.details.name, json.message]).toEqual([shown, `configmaps "${shown}" not found`]);
  });
});

it.each(['labelSelector', 'fieldSelector'])(
  '%s may have a limited number of requirements',
  async (parameter) => {
    const selector = Array.from({ length: 501 }, () => 'metadata.name!=a').join(',');
    const url = `${NODES}?${parameter}=${encodeURIComponent(selector)}`;
    const { code, json } = await createTestApi().send('GET', url);
    expect([code, json.message]).toEqual([
      400,
      expect.stringContaining('a selector may have 500 requirements'),
    ]);
  },
);
