import { describe, expect, it } from 'vitest';
import { surveyJson, surveyValue } from '../../../../shared/kube/json/json-members.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';
import type { ParsedJson } from '../../../../shared/kube/schema/strict.ts';
import { decodeJson, decodeStrictly, duplicateFields } from '../../../../shared/kube/schema/strict.ts';

const NODE = kindSchema('core.v1.Node');
const POD = kindSchema('core.v1.Pod');
const LEASE = kindSchema('coordination.v1.Lease');

const parsed = (text: string): ParsedJson => {
  const value = JSON.parse(text) as unknown;
  return { text, survey: surveyJson(text), value, members: surveyValue(value).members };
};

describe('a JSON text', () => {
  it.each([
    ['{}', 0, false],
    ['{"a":1,"b":{"a":[{"a":null}]}}', 4, false],
    ['{"a":1,"a":2}', 2, false],
    ['{"a\\":b":"c:\\\\","d":":"}', 2, false],
    ['{"a" : true, "b":false}', 2, false],
    ['{"t":"2026-01-02T03:04:05.5Z","n":12345}', 2, false],
    ['[1.0]', 0, true],
    ['[1e3]', 0, true],
    ['[123456789012345]', 0, false],
    ['[1234567890123456]', 0, true],
  ])('%s has %i members, odd numbers: %s', (text, members, hasOddNumbers) => {
    expect(surveyJson(text)).toMatchObject({ members, hasOddNumbers });
  });
});

it.each([
  ['1', 1, 0, 1],
  ['[]', 2, 1, 0],
  ['{"a":[1,22,{}],"b":"[[["}', 7, 3, 2],
  ['[[[', 4, 3, 0],
])('%s has %i values, %i levels, %i digits', (text, values, depth, digits) => {
  expect(surveyJson(text)).toMatchObject({ values, depth, digits });
});

it.each([
  ['null', 0, 0],
  ['{}', 0, 1],
  ['{"a":{"b":[{"c":1},{}]},"d":2}', 4, 4],
])('counts members and depth of %s', (text, members, depth) => {
  expect(surveyValue(JSON.parse(text))).toEqual({ members, depth });
});

it.each([
  ['an unknown field', '{"spec":{"foo":1}}', ['unknown field "spec.foo"']],
  ['one in a list', '{"spec":{"taints":[{},{"bar":2}]}}', ['unknown field "spec.taints[1].bar"']],
  ['another case', '{"Metadata":{"name":"x"}}', ['unknown field "Metadata"']],
  ['null', '{"foo":null}', ['unknown field "foo"']],
  ['nothing within an unknown field', '{"a":{"b":{"c":1,"c":2}}}', ['unknown field "a"']],
  [
    'names that objects inherit',
    '{"__proto__":{},"constructor":1,"toString":2}',
    ['unknown field "__proto__"', 'unknown field "constructor"', 'unknown field "toString"'],
  ],
  ['a repeated name', '{"spec":{"podCIDR":"","podCIDR":"a"}}', ['duplicate field "spec.podCIDR"']],
  ['a repeated label', '{"metadata":{"labels":{"a":"1","a":"2"}}}', ['duplicate field "metadata.labels.a"']],
  ['a name repeated twice as one fault', '{"kind":"","kind":"","kind":""}', ['duplicate field "kind"']],
  [
    'a repeated name in an element of a list',
    '{"spec":{"taints":[{"key":"a","key":"b"}]}}',
    ['duplicate field "spec.taints[0].key"'],
  ],
  [
    'both kinds of fault in the order of the text',
    '{"x":1,"kind":"","kind":"","y":2}',
    ['unknown field "x"', 'duplicate field "kind"', 'unknown field "y"'],
  ],
  ['spaces before colons', '{"kind" : "" , "kind"\n:\t""}', ['duplicate field "kind"']],
  ['nothing in a valid text', '{"kind":"Node","metadata":{"name":"a:\\":\\"b"}}', []],
])('finds %s', (_what, text, faults) => {
  expect(decodeJson(parsed(text), NODE).faults).toEqual(faults);
});

it('stops after a hundred faults', () => {
  const value = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, 1]));
  expect(decodeStrictly(value, NODE).faults).toHaveLength(100);
});

it.each([
  ['the last of two scalars', '{"spec":{"podCIDR":"a","podCIDR":"b"}}', { spec: { podCIDR: 'b' } }],
  [
    'both of two structs',
    '{"spec":{"podCIDR":"a"},"spec":{"providerID":"b"}}',
    { spec: { podCIDR: 'a', providerID: 'b' } },
  ],
  ['the last of two lists', '{"spec":{"podCIDRs":["a"],"podCIDRs":["b"]}}', { spec: { podCIDRs: ['b'] } }],
  ['nothing unknown', '{"a":[{"b":"]"}],"kind":"","kind":"Node"}', { kind: 'Node' }],
  [
    'a fraction as a quantity',
    '{"status":{"capacity":{"cpu":0.5,"memory":1e3}}}',
    { status: { capacity: { cpu: '500m', memory: '1e3' } } },
  ],
  [
    'a big number',
    '{"metadata":{"generation":9007199254740993}}',
    { metadata: { generation: 9_007_199_254_740_992 } },
  ],
])('reads %s', (_what, text, object) => {
  expect(decodeJson(parsed(text), NODE).object).toEqual(object);
});

const generation = (number: string, type: string): string =>
  `json: cannot unmarshal ${number} into Go struct field ${type}`;

it.each([
  [
    NODE,
    '{"metadata":{"generation":9223372036854775808}}',
    generation('number 9223372036854775808', 'ObjectMeta.metadata.generation of type int64'),
  ],
  [
    NODE,
    '{"metadata":{"generation":1.0}}',
    generation('number 1.0', 'ObjectMeta.metadata.generation of type int64'),
  ],
  [NODE, '{"metadata":{"name":1.0}}', generation('number', 'ObjectMeta.metadata.name of type string')],
  [NODE, '{"spec":{"taints":{}}}', generation('object', 'NodeSpec.spec.taints of type []v1.Taint')],
  [NODE, '{"spec":{"taints":[{"key":["x"]}]}}', generation('array', 'Taint.spec.taints.key of type string')],
  [NODE, '{"status":{"capacity":{"cpu":true}}}', 'quantities must match the regular expression'],
  [NODE, '{"status":{"capacity":{"cpu":"1kk"}}}', "unable to parse quantity's suffix"],
  [
    LEASE,
    '{"spec":{"leaseDurationSeconds":1e1}}',
    generation('number 1e1', 'LeaseSpec.spec.leaseDurationSeconds of type int32'),
  ],
  [
    POD,
    '{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":4294967296}}}]}}',
    generation('number 4294967296', 'HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32'),
  ],
  [kindSchema('core.v1.Secret'), '{"data":{"a":"!"}}', 'illegal base64 data at input byte 0'],
])('refuses, for a %o, the text %s: %s', (schema, text, message) => {
  expect(() => decodeJson(parsed(text), schema)).toThrow(message);
});

it('finds repeated names in a patch, but not unknown ones', () => {
  const text = '{"spec":{"foo":1,"unschedulable":true,"unschedulable":false}}';
  expect(duplicateFields(parsed(text), NODE)).toEqual(['duplicate field "spec.unschedulable"']);
  expect(duplicateFields(parsed('{"spec":{"foo":1}}'), NODE)).toEqual([]);
});

it('does not let a body change the prototype', () => {
  const { object } = decodeJson(
    parsed('{"metadata":{"labels":{"__proto__":"x"}},"__proto__":{"polluted":1}}'),
    NODE,
  );
  expect(JSON.stringify(object)).toBe('{"metadata":{"labels":{"__proto__":"x"}}}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
