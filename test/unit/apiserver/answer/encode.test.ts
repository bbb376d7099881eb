import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { encodeAnswer, encodeStatus } from '../../../../shared/apiserver/answer/encode.ts';
import { toYaml } from '../../../../shared/apiserver/answer/yaml-answer.ts';
import type { HttpRequest } from '../../../../shared/apiserver/contract/http.ts';
import type { Status } from '../../../../shared/kube/errors/status-error.ts';

const requestOf = (headers: HttpRequest['headers'] = {}, query = '', method = 'GET'): HttpRequest => ({
  method,
  path: '/',
  query: new URLSearchParams(query),
  headers,
  body: new Uint8Array(),
});

const BODY = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n1' } };
const PLAIN = `${JSON.stringify(BODY)}\n`;
const INDENTED = JSON.stringify(BODY, null, 2);
const YAML = 'apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n';
const accepting = (accept: string) => requestOf({ accept });

describe('an answer', () => {
  it.each([
    ['is one line of JSON', requestOf(), 'application/json', PLAIN],
    ['is indented for a client that asks for it', requestOf({}, 'pretty=true'), 'application/json', INDENTED],
    [
      'is indented for a clause that asks',
      accepting('application/json;pretty=1'),
      'application/json',
      INDENTED,
    ],
    ['is indented for curl', requestOf({ 'user-agent': 'curl/8.5.0' }), 'application/json', INDENTED],
    [
      'is not indented for a curl that does not want it',
      requestOf({ 'user-agent': 'curl/8' }, 'pretty=0'),
      'application/json',
      PLAIN,
    ],
    [
      'is not indented for kubectl',
      requestOf({ 'user-agent': 'kubectl/v1.33.1' }),
      'application/json',
      PLAIN,
    ],
    ['is YAML', accepting('application/yaml'), 'application/yaml', YAML],
  ])('%s', async (_what, request, type, text) => {
    const { headers, body } = await encodeAnswer(request, { status: 200, body: BODY }, toYaml);
    expect(headers['content-type']).toBe(type);
    expect(body).toBe(text);
  });

  it('has the form that was negotiated before', async () => {
    const accepted = { contentType: 'application/yaml', isPretty: false } as const;
    expect((await encodeAnswer(requestOf(), { status: 200, body: BODY, accepted }, toYaml)).body).toBe(YAML);
  });

  it('is JSON from a server without YAML', async () => {
    const { headers, body } = await encodeAnswer(accepting('application/yaml'), { status: 200, body: BODY });
    expect(headers['content-type']).toBe('application/json');
    expect(body).toBe(PLAIN);
  });

  it('has no body for HEAD, but its content type', async () => {
    const { headers, body } = await encodeAnswer(requestOf({}, '', 'HEAD'), { status: 200, body: BODY });
    expect(headers['content-type']).toBe('application/json');
    expect(body).toBe('');
  });

  const large = { ...BODY, text: 'x'.repeat(131_072) };
  it.each([
    ['gzip', 'gzip'],
    ['deflate, gzip;q=1.0', 'gzip'],
    ['gzip;q=0', undefined],
    ['', undefined],
  ])('that is large is compressed for Accept-Encoding "%s"', async (coding, expected) => {
    const { headers, body } = await encodeAnswer(requestOf({ 'accept-encoding': coding }), {
      status: 200,
      body: large,
    });
    expect(headers['content-encoding']).toBe(expected);
    expect(headers['vary']).toBe(expected && 'Accept-Encoding');
    const text = typeof body === 'string' ? body : gunzipSync(body).toString();
    expect(JSON.parse(text)).toEqual(large);
  });

  it('that is small is not compressed', async () => {
    const { headers } = await encodeAnswer(requestOf({ 'accept-encoding': 'gzip' }), {
      status: 200,
      body: BODY,
    });
    expect(headers['content-encoding']).toBeUndefined();
  });
});

describe('an error', () => {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404 };
  it.each([
    ['application/yaml', 'application/yaml'],
    ['application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json'],
    ['text/html', 'application/json'],
  ])('for a client that accepts %s is %s', async (accept, type) => {
    const { headers, body } = await encodeStatus(accepting(accept), status, toYaml);
    expect(headers['content-type']).toBe(type);
    expect(parse(body.toString())).toEqual(status);
  });
});

describe('YAML', () => {
  it.each([
    ['sorts what it has', { b: 1, a: { d: 1, c: 2 } }, 'a:\n  c: 2\n  d: 1\nb: 1\n'],
    ['does not indent lists', { a: [{ b: 1, c: 2 }, 'd'] }, 'a:\n- b: 1\n  c: 2\n- d\n'],
    [
      'quotes what could be a number',
      { resourceVersion: '12', ratio: '1e3' },
      'ratio: "1e3"\nresourceVersion: "12"\n',
    ],
    ['quotes what could be a truth', { a: 'true', b: 'yes', c: 'off' }, 'a: "true"\nb: "yes"\nc: "off"\n'],
    ['quotes what could be a time', { at: '2026-03-01T12:00:00Z' }, 'at: "2026-03-01T12:00:00Z"\n'],
    ['keeps what is empty', { a: {}, b: [], c: '', d: null }, 'a: {}\nb: []\nc: ""\nd: null\n'],
    ['leaves out what is not there', { a: undefined, b: 1 }, 'b: 1\n'],
    ['writes lines as lines', { a: 'one\ntwo\n' }, 'a: |\n  one\n  two\n'],
    ['folds no line', { a: 'word '.repeat(60).trim() }, `a: ${'word '.repeat(60).trim()}\n`],
  ])('%s', async (_what, body, text) => {
    expect(await toYaml(body)).toBe(text);
  });
});
