import { describe, expect, it } from 'vitest';
import { encodeBody } from '../../../support/objects/protobuf-encoder.ts';
import { createTestApi, LEASES, NODES, PODS, podBody, statusOf } from '../../../support/servers/api.ts';

const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const NODE = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n1', labels: { a: 'b' } } };

const FORMATS = [
  ['nothing', undefined, JSON.stringify(NODE)],
  ['application/json', 'application/json', JSON.stringify(NODE)],
  ['a charset', 'application/json;charset=utf-8', JSON.stringify(NODE)],
  [YAML, YAML, 'kind: Node\napiVersion: v1\nmetadata:\n  name: n1\n  labels: {a: b}\n'],
  [PROTOBUF, PROTOBUF, encodeBody(NODE, 'core.v1.Node')],
] as const;

it.each(FORMATS)('accepts an object with %s as its media type', async (_name, type, raw) => {
  const sent = { as: 'admin', raw, ...(type === undefined ? {} : { type }) };
  const { code, json, headers } = await createTestApi().send('POST', NODES, sent);
  expect([code, json.metadata.name, json.metadata.labels]).toEqual([201, 'n1', { a: 'b' }]);
  expect(headers['warning']).toBeUndefined();
});

it('reads the same Lease and the same DeleteOptions from protobuf', async () => {
  const api = createTestApi();
  const lease = {
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: 'n1' },
    spec: { renewTime: '2026-01-02T03:04:05.000001Z' },
  };
  const made = await api.sendHeartbeat('POST', LEASES, {
    as: 'admin',
    type: PROTOBUF,
    raw: encodeBody(lease, 'coordination.v1.Lease'),
  });
  expect([made.code, made.json.spec]).toEqual([201, lease.spec]);
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: 'other' } };
  const refused = await api.send('DELETE', `${LEASES}/n1`, {
    as: 'admin',
    type: PROTOBUF,
    raw: encodeBody(options, 'apis.meta.v1.DeleteOptions'),
  });
  expect(statusOf(refused)).toEqual([
    409,
    'Conflict',
    expect.stringContaining('the UID in the precondition (other)'),
  ]);
});

it.each<[string, number]>([
  ['v1', 200],
  ['meta.k8s.io/v1', 200],
  ['apps/v1', 200],
  ['v2', 400],
  ['odd/v1', 400],
])('answers DeleteOptions of version %s with %i', async (apiVersion, expected) => {
  const api = createTestApi();
  await api.send('POST', NODES, { as: 'admin', body: { metadata: { name: 'n1' } } });
  const body = { kind: 'DeleteOptions', apiVersion, dryRun: ['All'] };
  const { code, json } = await api.send('DELETE', `${NODES}/n1`, { as: 'admin', body });
  const fault = `no kind "DeleteOptions" is registered for version "${apiVersion}" in scheme "rollcall"`;
  expect([code, json.message]).toEqual([expected, expected === 200 ? undefined : fault]);
});

it('reads YAML only in the API server, not in the heartbeat server', async () => {
  const sent = { as: 'admin', type: YAML, raw: 'metadata: {name: n1}' };
  const { code, json } = await createTestApi().sendHeartbeat('POST', LEASES, sent);
  expect([code, json.message]).toEqual([
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json, application/vnd.kubernetes.protobuf',
  ]);
});

const UNRECOGNIZED = 'the object provided is unrecognized (must be of type Node): ';
const HANDLED = 'Node in version "v1" cannot be handled as a Node: ';

it.each([
  [
    'application/xml',
    '<a/>',
    415,
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
  ],
  [
    'application/json',
    `{"a":${'['.repeat(10_001)}`,
    400,
    `${UNRECOGNIZED}couldn't get version/kind; json parse error: invalid character '[' exceeded max depth ({"a":${'['.repeat(25)} ...)`,
  ],
  [
    'application/json',
    ' {',
    400,
    `${UNRECOGNIZED}couldn't get version/kind; json parse error: unexpected end of JSON input (207b)`,
  ],
  [
    'application/json',
    '{"apiVersion":"a/b/c"}',
    400,
    `${UNRECOGNIZED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`,
  ],
  [
    'application/json',
    '{"kind":"Deployment","apiVersion":"apps/v1"}',
    400,
    'Deployment in version "v1" cannot be handled as a Node: converting (v1.Deployment) to (core.Node): unknown conversion',
  ],
  [
    'application/json',
    '{"kind":"PodList","apiVersion":"v1"}',
    400,
    'PodList in version "v1" cannot be handled as a Node: converting (v1.PodList) to (core.Node): unknown conversion',
  ],
  [
    'application/json',
    '{"kind":"Deployment"}',
    400,
    'Deployment in version "v1" cannot be handled as a Node: no kind "Deployment" is registered for version "v1" in scheme "rollcall"',
  ],
  [
    'application/json',
    '{"apiVersion":"constructor/v1"}',
    400,
    'Node in version "v1" cannot be handled as a Node: no kind "Node" is registered for version "constructor/v1" in scheme "rollcall"',
  ],
  [
    YAML,
    'a: [',
    400,
    /^the object provided is unrecognized \(must be of type Node\): yaml: line 1: .* \(613a205b\)$/s,
  ],
  [YAML, '- a', 400, /json: cannot unmarshal array into Go value of type struct/],
  [YAML, `a: ${'x'.repeat(262_144)}`, 413, 'Request entity too large: limit is 262144'],
  [PROTOBUF, '', 400, `${UNRECOGNIZED}empty data (<empty>)`],
  [
    PROTOBUF,
    'k8s',
    400,
    `${UNRECOGNIZED}provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] (6b3873)`,
  ],
  [PROTOBUF, Buffer.from('6b38730012020a05', 'hex'), 400, `${HANDLED}unexpected EOF`],
  [
    PROTOBUF,
    encodeBody({ kind: 'Pod', apiVersion: 'v1' }, 'core.v1.Pod'),
    400,
    'Pod in version "v1" cannot be handled as a Node: converting (v1.Pod) to (core.Node): unknown conversion',
  ],
])('answers %s %.40j with %i', async (type, raw, code, message) => {
  const received = await createTestApi().send('POST', NODES, { as: 'admin', type, raw });
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  expect([received.code, received.json.message]).toEqual([code, text]);
});

it('refuses an Event of the other group because of its version', async () => {
  const sent = { as: 'admin', body: { kind: 'Event', apiVersion: 'events.k8s.io/v1' } };
  const { json } = await createTestApi().send('POST', '/api/v1/namespaces/default/events', sent);
  expect(json.message).toBe(
    'the API version in the data (events.k8s.io/v1) does not match the expected API version (v1)',
  );
});

describe('fieldValidation', () => {
  const text = '{"metadata":{"name":"n1","name":"n2"},"spec":{"foo":{"bar":1}}}';
  const faults = ['duplicate field "metadata.name"', 'unknown field "spec.foo"'];
  const warning = faults.map((fault) => `299 - ${JSON.stringify(fault)}`).join(', ');

  it.each([
    ['', warning],
    ['?fieldValidation=', warning],
    ['?fieldValidation=Warn', warning],
    ['?fieldValidation=Ignore', undefined],
  ])('%j stores the object without unknown fields', async (query, expected) => {
    const { code, json, headers } = await createTestApi().send('POST', `${NODES}${query}`, {
      as: 'admin',
      raw: text,
    });
    expect([code, json.metadata.name, json.spec.foo, headers['warning']]).toEqual([
      201,
      'n2',
      undefined,
      expected,
    ]);
  });

  it('Strict refuses unknown fields', async () => {
    const received = await createTestApi().send('POST', `${NODES}?fieldValidation=Strict`, {
      as: 'admin',
      raw: text,
    });
    expect(statusOf(received)).toEqual([
      400,
      'BadRequest',
      `${HANDLED}strict decoding error: ${faults.join(', ')}`,
    ]);
    expect(received.headers['warning']).toBeUndefined();
  });

  it('also warns with an error', async () => {
    const { code, headers } = await createTestApi().send('POST', NODES, { as: 'admin', body: { foo: 1 } });
    expect([code, headers['warning']]).toEqual([422, '299 - "unknown field \\"foo\\""']);
  });

  it('does not report unknown fields of protobuf', async () => {
    const raw = Uint8Array.from([...encodeBody(NODE, 'core.v1.Node')]);
    const { code, headers } = await createTestApi().send('POST', `${NODES}?fieldValidation=Strict`, {
      as: 'admin',
      type: PROTOBUF,
      raw,
    });
    expect([code, headers['warning']]).toEqual([201, undefined]);
  });

  it('also applies to YAML, in the order of the names', async () => {
    const raw = 'zeta: 1\nmetadata: {name: n1}\nalpha: 1\nalpha: 2\n';
    const { json } = await createTestApi().send('POST', `${NODES}?fieldValidation=Strict`, {
      as: 'admin',
      type: YAML,
      raw,
    });
    expect(json.message).toBe(
      `${HANDLED}strict decoding error: yaml: unmarshal errors:\n  line 4: key "alpha" already set in map, unknown field "alpha", unknown field "zeta"`,
    );
  });

  it('also applies to pods and PUT', async () => {
    const api = createTestApi();
    await api.send('POST', PODS, { as: 'admin', body: podBody('p') });
    const body = podBody('p', { containers: [{ name: 'c', image: 'i', Image: 'j' }] });
    const { json } = await api.send('PUT', `${PODS}/p?fieldValidation=Strict`, { as: 'admin', body });
    expect(json.message).toBe(
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].Image"',
    );
  });
});

describe('deprecations', () => {
  const spec = { externalID: 'x' };
  const warning = '299 - "spec.externalID: this field is deprecated, and is unused by Kubernetes"';

  it('cause warnings for a new and a replaced object, but not for its status', async () => {
    const api = createTestApi();
    const body = { metadata: { name: 'n1' }, spec };
    const answers = [
      await api.send('POST', NODES, { as: 'admin', body }),
      await api.send('PUT', `${NODES}/n1`, { as: 'admin', body }),
      await api.send('PUT', `${NODES}/n1/status`, { as: 'admin', body }),
    ];
    expect(answers.map(({ headers }) => headers['warning'])).toEqual([warning, warning, undefined]);
  });

  it('cause no warnings for a refused object', async () => {
    const body = { metadata: { name: 'Bad_Name' }, spec };
    const { code, headers } = await createTestApi().send('POST', NODES, { as: 'admin', body });
    expect([code, headers['warning']]).toEqual([422, undefined]);
  });

  it('cause warnings for a new pod', async () => {
    const body = podBody('p', { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } });
    const { headers } = await createTestApi().send('POST', PODS, { as: 'admin', body });
    expect(headers['warning']).toBe(
      '299 - "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \\"kubernetes.io/os\\" instead"',
    );
  });
});
