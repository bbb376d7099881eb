import { expect, it } from 'vitest';
import type { Sent } from '../../support/servers/api.ts';
import {
  createTestApi,
  heartbeatPath,
  keysSigningWith,
  LEASES,
  NODES,
  nodeBody,
  statusOf,
} from '../../support/servers/api.ts';

const tokenFrom = async (kid: string, clusterId: string, ageMs = 0): Promise<string> => {
  const { issueToken } = await import('../../../shared/apiserver/access/authentication.ts');
  const { START } = await import('../../support/servers/api.ts');
  const known = new Map([
    ['k1', new Uint8Array(32).fill(1)],
    ['stolen', new Uint8Array(32).fill(9)],
  ]);
  return issueToken(
    { signingKeys: keysSigningWith(kid, known), clusterId },
    { name: 'admin', groups: ['system:masters'], issuedAt: START - ageMs, expiresAt: START - ageMs + 60_000 },
  );
};

interface Row {
  readonly name: string;
  readonly request: readonly [method: string, path: string, sent?: Sent];
  readonly code: number;
  readonly reason: string;
  readonly message: RegExp | string;
}

const JSON_LIMIT = new Uint8Array(3_145_729);
const ACCEPTED = 'the body of the request was in an unknown format - accepted media types include';

const ROWS: readonly Row[] = [
  {
    name: 'unknown node',
    request: ['GET', `${NODES}/nope`],
    code: 404,
    reason: 'NotFound',
    message: 'nodes "nope" not found',
  },
  {
    name: 'heartbeat of an unknown node',
    request: ['POST', heartbeatPath('nope')],
    code: 404,
    reason: 'NotFound',
    message: 'nodes "nope" not found',
  },
  {
    name: 'unknown lease',
    request: ['GET', `${LEASES}/nope`],
    code: 404,
    reason: 'NotFound',
    message: 'leases.coordination.k8s.io "nope" not found',
  },
  {
    name: 'unknown resource',
    request: ['GET', '/api/v1/foos'],
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
  },
  {
    name: 'malformed body',
    request: ['POST', NODES, { as: 'admin', raw: '{bad' }],
    code: 400,
    reason: 'BadRequest',
    message:
      "the object provided is unrecognized (must be of type Node): couldn't get version/kind; json parse error: invalid character 'b' looking for beginning of object key string ({bad)",
  },
  {
    name: 'malformed heartbeat',
    request: ['POST', heartbeatPath('n1'), { as: 'admin', raw: '{' }],
    code: 400,
    reason: 'BadRequest',
    message: 'the heartbeat is not JSON: unexpected end of JSON input',
  },
  {
    name: 'heartbeat that is no object',
    request: ['POST', heartbeatPath('n1'), { as: 'admin', body: [] }],
    code: 400,
    reason: 'BadRequest',
    message: /must be a JSON object/,
  },
  {
    name: 'interval of 0',
    request: ['POST', heartbeatPath('n1'), { as: 'admin', body: { intervalSeconds: 0 } }],
    code: 400,
    reason: 'BadRequest',
    message: 'intervalSeconds must be a number above 0',
  },
  {
    name: 'wrong kind',
    request: ['POST', NODES, { as: 'admin', body: { kind: 'Pod', apiVersion: 'v1' } }],
    code: 400,
    reason: 'BadRequest',
    message:
      'Pod in version "v1" cannot be handled as a Node: converting (v1.Pod) to (core.Node): unknown conversion',
  },
  {
    name: 'wrong apiVersion',
    request: ['POST', NODES, { as: 'admin', body: { kind: 'Node', apiVersion: 'v2' } }],
    code: 400,
    reason: 'BadRequest',
    message:
      'Node in version "v2" cannot be handled as a Node: no kind "Node" is registered for version "v2" in scheme "rollcall"',
  },
  {
    name: 'wrong type of a field',
    request: ['POST', NODES, { as: 'admin', body: nodeBody('n1', { spec: 'x' }) }],
    code: 400,
    reason: 'BadRequest',
    message:
      'Node in version "v1" cannot be handled as a Node: json: cannot unmarshal string into Go struct field Node.spec of type v1.NodeSpec',
  },
  {
    name: 'missing name',
    request: ['POST', NODES, { as: 'admin', body: {} }],
    code: 422,
    reason: 'Invalid',
    message: 'Node "" is invalid: metadata.name: Required value: name or generateName is required',
  },
  {
    name: 'protobuf heartbeat',
    request: [
      'POST',
      heartbeatPath('n1'),
      { as: 'admin', raw: 'k8s', type: 'application/vnd.kubernetes.protobuf' },
    ],
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `${ACCEPTED}: application/json`,
  },
  {
    name: 'JSON as a patch',
    request: ['PATCH', `${NODES}/n1`, { as: 'admin', body: {}, type: 'application/json' }],
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
  },
  {
    name: 'oversize body',
    request: ['POST', NODES, { as: 'admin', raw: JSON_LIMIT }],
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: limit is 3145728',
  },
  {
    name: 'oversize heartbeat',
    request: ['POST', heartbeatPath('n1'), { as: 'admin', raw: new Uint8Array(16_385) }],
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'Request entity too large: limit is 16384',
  },
  {
    name: 'missing token',
    request: ['GET', NODES, {}],
    code: 403,
    reason: 'Forbidden',
    message:
      'nodes is forbidden: User "system:anonymous" cannot list resource "nodes" in API group "" at the cluster scope',
  },
  {
    name: 'missing token for a path',
    request: ['GET', '/metrics', {}],
    code: 403,
    reason: 'Forbidden',
    message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
  },
  {
    name: 'other schemes count as none',
    request: ['GET', `${NODES}/n1`, { headers: { authorization: 'Basic YTpi' } }],
    code: 403,
    reason: 'Forbidden',
    message: /User "system:anonymous" cannot get resource "nodes"/,
  },
  {
    name: 'bad token',
    request: ['GET', '/livez', { token: 'garbage' }],
    code: 401,
    reason: 'Unauthorized',
    message: 'Unauthorized',
  },
  {
    name: 'expired token',
    request: ['GET', NODES, { token: await tokenFrom('k1', 'test', 3_600_000) }],
    code: 401,
    reason: 'Unauthorized',
    message:
      /^Unauthorized: the token expired at 2026-03-01T11:01:00Z; get a new one with `npx rollcall token`/,
  },
  {
    name: 'token of another cluster',
    request: ['GET', NODES, { token: await tokenFrom('k1', 'other') }],
    code: 401,
    reason: 'Unauthorized',
    message: /made for another cluster or audience \(its iss is not ours\); get a new one/,
  },
  {
    name: 'token of an unknown key',
    request: ['GET', NODES, { token: await tokenFrom('stolen', 'test') }],
    code: 401,
    reason: 'Unauthorized',
    message: /signed with a key that this cluster does not have; get a new one/,
  },
  {
    name: "another node's name",
    request: ['GET', `${NODES}/n2`, { as: 'system:node:n1' }],
    code: 403,
    reason: 'Forbidden',
    message: `nodes "n2" is forbidden: User "system:node:n1" cannot get resource "nodes" in API group "" at the cluster scope: node 'n1' cannot read 'n2', only its own Node object`,
  },
  {
    name: "another node's heartbeat",
    request: ['POST', heartbeatPath('n2'), { as: 'system:node:n1' }],
    code: 403,
    reason: 'Forbidden',
    message: /^nodes\.rollcall\.dev "n2" is forbidden: .*node 'n1' can only use its own heartbeat$/,
  },
  {
    name: "another node's lease",
    request: ['PUT', `${LEASES}/n2`, { as: 'system:node:n1', body: {} }],
    code: 403,
    reason: 'Forbidden',
    message: /can only access node lease with the same name as the requesting node$/,
  },
  {
    name: 'all nodes for a node',
    request: ['GET', NODES, { as: 'system:node:n1' }],
    code: 403,
    reason: 'Forbidden',
    message: /node 'n1' cannot read all nodes, only its own Node object$/,
  },
  {
    name: 'all pods for a node',
    request: ['GET', '/api/v1/pods', { as: 'system:node:n1' }],
    code: 403,
    reason: 'Forbidden',
    message: /can only list\/watch pods with spec.nodeName field selector$/,
  },
  {
    name: 'a viewer that writes',
    request: ['POST', NODES, { as: 'viewer', body: {} }],
    code: 403,
    reason: 'Forbidden',
    message: /User "viewer" cannot create resource "nodes"/,
  },
  {
    name: 'a bootstrapper that reads',
    request: ['GET', NODES, { as: 'bootstrapper' }],
    code: 403,
    reason: 'Forbidden',
    message: /User "bootstrapper" cannot list resource "nodes"/,
  },
  {
    name: 'a method that does nothing',
    request: ['DELETE', '/api/v1/namespaces', { as: 'admin' }],
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
  },
  {
    name: 'a namespace that is not there',
    request: ['POST', '/api/v1/namespaces/nons/pods', { as: 'admin', body: { metadata: { name: 'p' } } }],
    code: 404,
    reason: 'NotFound',
    message: 'namespaces "nons" not found',
  },
  {
    name: 'Accept without JSON',
    request: ['GET', `${NODES}/n1`, { as: 'admin', headers: { accept: 'text/html' } }],
    code: 406,
    reason: 'NotAcceptable',
    message: /Not Acceptable/,
  },
  {
    name: 'dryRun=Foo',
    request: ['POST', `${NODES}?dryRun=Foo`, { as: 'admin', body: nodeBody('n1') }],
    code: 422,
    reason: 'Invalid',
    message:
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Foo"]: supported values: "All"',
  },
  {
    name: 'bad label selector',
    request: ['GET', `${NODES}?labelSelector=a+b`],
    code: 400,
    reason: 'BadRequest',
    message: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
  },
  {
    name: 'bad field selector',
    request: ['GET', `${NODES}?fieldSelector=spec.foo%3D1`],
    code: 400,
    reason: 'BadRequest',
    message: 'field label not supported: spec.foo',
  },
  {
    name: 'bad limit',
    request: ['GET', `${NODES}?limit=x`],
    code: 400,
    reason: 'BadRequest',
    message: 'strconv.ParseInt: parsing "x": invalid syntax',
  },
  {
    name: 'continue that is no base64',
    request: ['GET', `${NODES}?continue=%21`],
    code: 400,
    reason: 'BadRequest',
    message: 'invalid continue token: continue key is not valid: illegal base64 data at input byte 0',
  },
  {
    name: 'continue that is no JSON',
    request: ['GET', `${NODES}?continue=abc`],
    code: 400,
    reason: 'BadRequest',
    message:
      "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
  },
  {
    name: 'continue of another version',
    request: ['GET', `${NODES}?continue=e30`],
    code: 400,
    reason: 'BadRequest',
    message:
      'invalid continue token: continue key is not valid: server does not recognize this encoded version ',
  },
  {
    name: 'continue without revision',
    request: ['GET', `${NODES}?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ`],
    code: 400,
    reason: 'BadRequest',
    message:
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
  },
  {
    name: 'continue without start',
    request: ['GET', `${NODES}?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NX0`],
    code: 400,
    reason: 'BadRequest',
    message:
      'invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
  },
  {
    name: 'timeout that is no duration',
    request: ['GET', `${NODES}?timeout=abc`],
    code: 400,
    reason: 'BadRequest',
    message: 'invalid timeout specified in the request URL - time: invalid duration "abc"',
  },
  {
    name: 'timeout without unit',
    request: ['GET', `${NODES}?timeout=5`],
    code: 400,
    reason: 'BadRequest',
    message: 'invalid timeout specified in the request URL - time: missing unit in duration "5"',
  },
  {
    name: 'timeout of unknown unit',
    request: ['GET', `${NODES}?timeout=5d`],
    code: 400,
    reason: 'BadRequest',
    message: 'invalid timeout specified in the request URL - time: unknown unit "d" in duration "5d"',
  },
  {
    name: 'list with initial events',
    request: ['GET', `${NODES}?sendInitialEvents=true`],
    code: 422,
    reason: 'Invalid',
    message:
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
  },
  {
    name: 'list with every wrong match',
    request: ['GET', `${NODES}?resourceVersionMatch=Foo&continue=x`],
    code: 422,
    reason: 'Invalid',
    message:
      'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided, resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""]',
  },
  {
    name: 'object at a bad resourceVersion',
    request: ['GET', `${NODES}/n1?resourceVersion=x`],
    code: 400,
    reason: 'BadRequest',
    message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
  },
  {
    name: 'a version from the future',
    request: ['GET', `${NODES}?resourceVersion=99999999999999`],
    code: 504,
    reason: 'Timeout',
    message: /^Timeout: Too large resource version: 99999999999999, current: \d+$/,
  },
];

it.each(ROWS)('$name: $code $reason', async ({ request: [method, path, sent], code, reason, message }) => {
  const received = await createTestApi().send(method, path, sent);
  const text = typeof message === 'string' ? message : expect.stringMatching(message);
  expect(statusOf(received)).toEqual([code, reason, text]);
  expect(received.json).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
});

it('writes the cause of an internal error only to the log', async () => {
  const cause = new Error('table is on fire');
  const signingKeys = { ...keysSigningWith('k1'), find: async () => Promise.reject(cause) };
  const api = createTestApi({ signingKeys });
  const received = await api.send('GET', NODES);
  expect(statusOf(received)).toEqual([
    500,
    'InternalError',
    'Internal error occurred: the request could not be served',
  ]);
  expect(api.failures).toEqual([expect.objectContaining({ method: 'GET', path: NODES, error: cause })]);
});

it('accepts tokens of every valid key', async () => {
  const api = createTestApi({ signingKeys: keysSigningWith('k2') });
  expect((await api.send('GET', NODES)).code).toBe(200);
});

it.each(['/healthz', '/livez', '/readyz', '/version', '/livez/ping'])(
  'answers %s without a token',
  async (path) => {
    expect((await createTestApi().send('GET', path, {})).code).toBe(200);
  },
);

it("states the remedy in the challenge, even if the body is Kubernetes' bare text", async () => {
  const { headers } = await createTestApi().send('GET', NODES, { token: 'garbage' });
  expect(headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token".*npx rollcall token/);
});
