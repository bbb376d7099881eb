import { describe, expect, it } from 'vitest';
import type { HttpResponse, RequestHead } from '../../../../shared/apiserver/contract/http.ts';
import { createKnownBeats } from '../../../../shared/apiserver/contract/known-beats.ts';
import { requestInfoOf } from '../../../../shared/apiserver/contract/request-info.ts';
import type { TokenPayload } from '../../../../shared/apiserver/contract/token-user.ts';
import { createVerifiedTokens } from '../../../../shared/apiserver/contract/verified-tokens.ts';
import { isBeat } from '../../../../shared/apiserver/heartbeat-server.ts';
import type { User } from '../../../../shared/kinds/contract/user.ts';

const PATH = '/apis/rollcall.dev/v1/nodes/n1/heartbeat';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1';
const HEADERS = { host: 'h', authorization: 'Bearer t1', accept: 'application/json' };
const NODE: User = { name: 'system:node:n1', groups: ['system:nodes'], nodeUid: 'u1' };
const OK: HttpResponse = { status: 200, headers: {}, body: '{"kind":"HeartbeatReceipt"}\n' };

const request = (changes: Partial<RequestHead> = {}): RequestHead => ({
  method: 'POST',
  path: PATH,
  query: new URLSearchParams(),
  headers: HEADERS,
  ...changes,
});
const knowing = (first: RequestHead, user = NODE, response = OK) => {
  const verified = createVerifiedTokens<TokenPayload>();
  verified.remember('t1', { kid: 'k', key: new Uint8Array(), payload: {} });
  const known = createKnownBeats(verified, isBeat);
  known.learn(first, requestInfoOf(first), user, response);
  return known;
};

describe('a beat that is sent again (J-213)', () => {
  it.each([
    ['a heartbeat', request()],
    ['a renewal', request({ method: 'PUT', path: LEASE })],
    [
      'one of a kubelet',
      request({ headers: { ...HEADERS, accept: 'application/vnd.kubernetes.protobuf,application/json' } }),
    ],
  ])('is known: %s', (_, first) => {
    expect(knowing(first).find({ ...first, headers: { ...first.headers } })).toMatchObject({
      user: NODE,
      token: 't1',
      info: { name: 'n1' },
    });
  });

  it.each<[string, Partial<RequestHead>]>([
    ['another token', { headers: { ...HEADERS, authorization: 'Bearer t2' } }],
    ['another form of answer', { headers: { ...HEADERS, accept: 'application/yaml' } }],
    ['another reader', { headers: { ...HEADERS, 'user-agent': 'curl' } }],
    ['an impersonated user', { headers: { ...HEADERS, 'impersonate-user': 'admin' } }],
    ['a large body', { headers: { ...HEADERS, 'content-length': '5000' } }],
    ['a body of unknown length', { headers: { ...HEADERS, 'transfer-encoding': 'chunked' } }],
    ['a parameter', { query: new URLSearchParams('dryRun=All') }],
    ['another method', { method: 'GET' }],
    ['another path', { path: PATH.replace('n1', 'n2') }],
  ])('is not one with %s', (_, changes) => {
    expect(knowing(request()).find(request(changes))).toBeUndefined();
  });

  const otherNode = { ...NODE, name: 'system:node:n2' };
  const admin: User = { name: 'admin', groups: ['system:masters'] };
  it.each<[string, RequestHead, User?, HttpResponse?]>([
    ['of another node', request(), otherNode],
    ['of an administrator', request(), admin],
    ['of a token without a Node', request(), { name: NODE.name, groups: NODE.groups }],
    ['with a token that was not verified', request({ headers: { ...HEADERS, authorization: 'Bearer t2' } })],
    ['that was refused', request(), NODE, { ...OK, status: 404 }],
    ['with an indented answer', request(), NODE, { ...OK, body: '{\n  "kind": "x"\n}' }],
    ['with a parameter', request({ query: new URLSearchParams('pretty=1') })],
    ['for somebody else', request({ headers: { ...HEADERS, 'impersonate-user': 'admin' } })],
    ['that is none', request({ method: 'PUT', path: '/api/v1/nodes/n1/status' })],
  ])('is not learned from a request %s', (_, first, user, response) => {
    expect(knowing(first, user, response).find(first)).toBeUndefined();
  });
});
