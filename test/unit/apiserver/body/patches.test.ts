import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, LEASES, MERGE, NODES, nodeBody, statusOf } from '../../../support/servers/api.ts';

const JSON_PATCH = 'application/json-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const N1 = `${NODES}/n1`;

let api: TestApi;
const patch = (type: string, raw: string, path = N1) => api.send('PATCH', path, { as: 'admin', type, raw });

beforeEach(async () => {
  api = createTestApi();
  await api.send('POST', NODES, {
    as: 'admin',
    body: nodeBody('n1', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }),
  });
});

describe('a PATCH that cannot be read or applied', () => {
  const REJECTED = 'the server rejected our request due to an error in our request';
  it.each<[string, string, string, readonly [number, string, string]]>([
    [
      'merge, not JSON',
      MERGE,
      '{',
      [400, 'BadRequest', 'error decoding patch: unexpected end of JSON input'],
    ],
    [
      'JSON, not JSON',
      JSON_PATCH,
      '[',
      [400, 'BadRequest', 'error decoding patch: unexpected end of JSON input'],
    ],
    ['strategic, not JSON', STRATEGIC, '{', [400, 'BadRequest', 'unexpected end of JSON input']],
    ['merge of null', MERGE, 'null', [400, 'BadRequest', 'Invalid JSON Patch']],
    [
      'merge of a list',
      MERGE,
      '[]',
      [
        400,
        'BadRequest',
        'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    ],
    [
      'JSON patch of an object',
      JSON_PATCH,
      '{}',
      [
        400,
        'BadRequest',
        'error decoding patch: json: cannot unmarshal object into Go value of type []interface {}',
      ],
    ],
    [
      'JSON patch that does not apply',
      JSON_PATCH,
      '[{"op":"remove","path":"/spec/foo"}]',
      [422, 'Invalid', REJECTED],
    ],
    ['another type', 'application/json', '{}', [415, 'UnsupportedMediaType', '415: Unsupported Media Type']],
    [
      'a strategic patch that gives a list as a text',
      STRATEGIC,
      '{"spec":{"taints":"str"}}',
      [
        422,
        'Invalid',
        ' "" is invalid: patch: Invalid value: "map[spec:map[taints:str]]": cannot restore slice from string',
      ],
    ],
    [
      'a strategic patch that gives a text as a number',
      STRATEGIC,
      '{"spec":{"providerID":1}}',
      [
        422,
        'Invalid',
        ' "" is invalid: patch: Invalid value: "map[spec:map[providerID:1]]": cannot convert int64 to string',
      ],
    ],
    [
      'a name',
      MERGE,
      '{"metadata":{"name":"n2"}}',
      [400, 'BadRequest', 'the name of the object (n2) does not match the name on the URL (n1)'],
    ],
    [
      'a version',
      MERGE,
      '{"metadata":{"resourceVersion":"1"}}',
      [
        409,
        'Conflict',
        'Operation cannot be fulfilled on nodes "n1": the object has been modified; please apply your changes to the latest version and try again',
      ],
    ],
    [
      'a uid',
      STRATEGIC,
      '{"metadata":{"uid":"x"}}',
      [422, 'Invalid', 'Node "n1" is invalid: metadata.uid: Invalid value: "x": field is immutable'],
    ],
  ])('%s', async (_name, type, raw, expected) => {
    expect(statusOf(await patch(type, raw))).toEqual(expected);
  });

  it.each([
    ['{"kind":"Pod"}', 'converting (v1.Pod) to (core.Node): unknown conversion'],
    ['{"apiVersion":"v2"}', 'no kind "Node" is registered for version "v2" in scheme "rollcall"'],
    [
      '{"spec":{"taints":"x"}}',
      'json: cannot unmarshal string into Go struct field NodeSpec.spec.taints of type []v1.Taint',
    ],
  ])('a merge patch %s is refused with the patched object', async (raw, why) => {
    const { code, json } = await patch(MERGE, raw);
    expect(code).toBe(422);
    expect(json.details.causes[0].field).toBe('patch');
    expect(json.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{\\"/);
    expect(json.message.endsWith(why)).toBe(true);
  });

  it('is a 404 before the patch is read', async () => {
    expect((await patch(MERGE, '{', `${NODES}/nope`)).code).toBe(404);
  });

  it.each([
    ['force=true', 'force: Forbidden: may not be specified for non-apply patch'],
    [`fieldManager=${'x'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    ['fieldManager=a%0Ab', 'fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)'],
  ])('with the option %s is a 422', async (option, why) => {
    const answer = await patch(MERGE, '{}', `${N1}?${option}`);
    expect(statusOf(answer)).toEqual([422, 'Invalid', `PatchOptions.meta.k8s.io "" is invalid: ${why}`]);
  });
});

it.each([MERGE, STRATEGIC])('a %s without effect makes no new version', async (type) => {
  const before = (await api.send('GET', N1)).json;
  expect((await patch(type, '{"metadata":{"creationTimestamp":null,"generation":7}}')).json).toEqual(before);
});

it('with strict field validation reports unknown members of operations', async () => {
  const { json } = await patch(
    JSON_PATCH,
    '[{"op":"test","path":"/metadata/name","value":"n1","foo":1}]',
    `${N1}?fieldValidation=Strict`,
  );
  expect(json.message.endsWith('strict decoding error: json patch unknown field "[0].foo"')).toBe(true);
});

it('lists the causes of bad labels four times, as the real server does', async () => {
  const { json } = await patch(MERGE, '{"metadata":{"labels":{"a":"-"}}}');
  expect(json.details.causes).toHaveLength(4);
});

it.each([
  [MERGE, '{"spec":{"holderIdentity":"b"}}'],
  [STRATEGIC, '{"spec":{"holderIdentity":"b"}}'],
  [JSON_PATCH, '[{"op":"replace","path":"/spec/holderIdentity","value":"b"}]'],
])('a Lease accepts a %s', async (type, raw) => {
  await api.send('POST', LEASES, {
    as: 'admin',
    body: { metadata: { name: 'n1' }, spec: { holderIdentity: 'a' } },
  });
  expect((await patch(type, raw, `${LEASES}/n1`)).json.spec).toEqual({ holderIdentity: 'b' });
});
