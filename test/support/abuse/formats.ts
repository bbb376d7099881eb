import type { Abuse } from './abuse.ts';
import {
  ACCESS_REVIEWS,
  CONFIG_MAPS,
  JSON_TYPE,
  NODES,
  nested,
  PROTOBUF_TYPE,
  raw,
  times,
  YAML_TYPE,
} from './abuse.ts';

const json = (title: string, largest: number, bodyOf: (size: number) => string): Abuse => ({
  name: `JSON: ${title}`,
  largest,
  request: (size) => raw('POST', CONFIG_MAPS, JSON_TYPE, bodyOf(size)),
});

const JSON_BODIES: readonly Abuse[] = [
  json('deep lists', 1_500_000, (size) => nested(size, '[', '', ']')),
  json('deep objects', 500_000, (size) => nested(size, '{"a":', '1', '}')),
  json('open lists', 3_000_000, (size) => '['.repeat(size)),
  json('open strings', 3_000_000, (size) => `"${'\\"'.repeat(size / 2)}`),
  json('backslashes', 3_000_000, (size) => `{"a":"${'\\'.repeat(size - (size % 2))}"}`),
  json(
    'backslashes before many quotes',
    1_500_000,
    (size) => `{"a":1.0,"b":"${'\\\\\\"'.repeat(size / 2)}"}`,
  ),
  json('blanks', 3_000_000, (size) => `${' '.repeat(size)}x`),
  json('one member many times', 400_000, (size) => `{${times(size, () => '"a":1').join(',')}}`),
  json(
    'one known member many times',
    80_000,
    (size) => `{"metadata":{"name":"x"},${times(size, () => '"data":{"a":"b"}').join(',')}}`,
  ),
  json(
    'members twice in a deep place',
    200_000,
    (size) => `{"metadata":{"labels":{${times(size, () => '"a":"1"').join(',')}}}}`,
  ),
  json('a number of many digits', 3_000_000, (size) => `{"a":${'1'.repeat(size)}}`),
  json(
    'a known number of many digits',
    3_000_000,
    (size) => `{"metadata":{"name":"x","generation":${'1'.repeat(size)}}}`,
  ),
  json('a number that is none', 3_000_000, (size) => `{"a":${'1'.repeat(size)}e}`),
  json('many numbers with fractions', 300_000, (size) => `{"a":[${times(size, () => '1.0').join(',')}]}`),
  json('a long apiVersion', 1_500_000, (size) => `{"apiVersion":"${'a/'.repeat(size)}","kind":"ConfigMap"}`),
  json('a long kind', 3_000_000, (size) => `{"apiVersion":"v1","kind":"${'a'.repeat(size)}"}`),
  json('null bytes', 3_000_000, (size) => '\0'.repeat(size)),
];

const yaml = (title: string, largest: number, bodyOf: (size: number) => string): Abuse => ({
  name: `YAML: ${title}`,
  largest,
  request: (size) => raw('POST', ACCESS_REVIEWS, YAML_TYPE, bodyOf(size)),
});

const HEAD = 'apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\n';

const bomb = (levels: number): string =>
  times(
    levels,
    (index) =>
      `a${index}: &a${index} [${times(9, () => (index === 0 ? 'x' : `*a${index - 1}`)).join(', ')}]\n`,
  ).join('');

const YAML_BODIES: readonly Abuse[] = [
  yaml(
    'many labels',
    100_000,
    (size) => `${HEAD}metadata:\n  labels:\n${times(size, (index) => `    l${index}: x\n`).join('')}`,
  ),
  yaml(
    'one label many times',
    100_000,
    (size) => `${HEAD}metadata:\n  labels:\n${times(size, () => '    l: x\n').join('')}`,
  ),
  yaml('a long text', 3_000_000, (size) => `${HEAD}a: ${'x'.repeat(size)}\n`),
  yaml('a long quoted text', 3_000_000, (size) => `${HEAD}a: "${'\\n'.repeat(size / 2)}"\n`),
  yaml('a long folded text', 1_500_000, (size) => `${HEAD}a: >\n${' x\n'.repeat(size / 2)}`),
  yaml('a long key', 3_000_000, (size) => `${HEAD}${'k'.repeat(size)}: x\n`),
  yaml('deep flow', 1_500_000, (size) => `a: ${nested(size, '[', '', ']')}\n`),
  yaml('open flow', 3_000_000, (size) => `a: ${'['.repeat(size)}\n`),
  yaml('open maps', 3_000_000, (size) => `${'{'.repeat(size)}\n`),
  yaml('deep blocks', 1_000, (size) => times(size, (index) => `${' '.repeat(index)}a:\n`).join('')),
  yaml('deep lists in one line', 1_500_000, (size) => `${'- '.repeat(size)}x\n`),
  yaml('question marks', 1_500_000, (size) => `${'? '.repeat(size)}x\n`),
  yaml('many documents', 700_000, (size) => '---\n'.repeat(size)),
  yaml('many anchors', 200_000, (size) => times(size, (index) => `- &a${index} x\n`).join('')),
  yaml('many aliases', 500_000, (size) => `a: &a [x]\nb: [${times(size, () => '*a').join(', ')}]\n`),
  yaml('billions of laughs', 100_000, (size) => bomb(Math.ceil(Math.log2(size)))),
  yaml('merged maps', 100_000, (size) => `a: &a {x: 1}\nb:\n  <<: [${times(size, () => '*a').join(', ')}]\n`),
  yaml('tabs', 3_000_000, (size) => `a:${'\t'.repeat(size)}b\n`),
  yaml('blanks', 3_000_000, (size) => `a:${' '.repeat(size)}b\n`),
  yaml('empty lines', 3_000_000, (size) => `a: b${'\n'.repeat(size)}`),
  yaml('comments', 1_500_000, (size) => '#\n'.repeat(size)),
  yaml('tags', 300_000, (size) => times(size, () => '- !!str x\n').join('')),
  yaml('directives', 200_000, (size) => `${'%TAG ! x\n'.repeat(size)}--- a\n`),
  yaml('a number of many digits', 3_000_000, (size) => `a: ${'1'.repeat(size)}\n`),
  yaml('a fraction of many digits', 3_000_000, (size) => `a: 0.${'1'.repeat(size)}\n`),
  yaml('underscores', 3_000_000, (size) => `a: 1${'_'.repeat(size)}x\n`),
  yaml('colons', 1_500_000, (size) => `a: ${'1:'.repeat(size)}\n`),
];

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
const field = (number: number, content: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.from([...varint((number << 3) | 2), ...varint(content.length)]), content]);
const text = (number: number, value: string): Uint8Array => field(number, Buffer.from(value));
const joined = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);
const repeated = (count: number, part: Uint8Array): Uint8Array => Buffer.alloc(part.length * count, part);

const envelope = (kind: string, content: Uint8Array): Uint8Array =>
  joined(
    Uint8Array.from([0x6b, 0x38, 0x73, 0]),
    field(1, joined(text(1, 'v1'), text(2, kind))),
    field(2, content),
  );

const protobuf = (title: string, largest: number, contentOf: (size: number) => Uint8Array): Abuse => ({
  name: `protobuf: ${title}`,
  largest,
  request: (size) => raw('POST', NODES, PROTOBUF_TYPE, envelope('Node', contentOf(size))),
});

const NO_BYTES = new Uint8Array();
const METADATA = 1;
const SPEC = 2;
const TAINTS = 5;
const CIDRS = 7;
const LABELS = 11;

const deepGroups = (size: number): Uint8Array =>
  joined(repeated(size, Uint8Array.from([0xf3, 0x01])), repeated(size, Uint8Array.from([0xf4, 0x01])));

const PROTOBUF_BODIES: readonly Abuse[] = [
  protobuf('empty elements', 1_500_000, (size) => field(SPEC, repeated(size, field(TAINTS, NO_BYTES)))),
  protobuf('empty texts', 1_500_000, (size) => field(SPEC, repeated(size, field(CIDRS, NO_BYTES)))),
  protobuf('one label many times', 1_500_000, (size) =>
    field(METADATA, repeated(size, field(LABELS, NO_BYTES))),
  ),
  protobuf('many labels', 200_000, (size) =>
    field(
      METADATA,
      Buffer.concat(times(size, (index) => field(LABELS, joined(text(1, `l${index}`), text(2, 'x'))))),
    ),
  ),
  protobuf('one member many times', 1_500_000, (size) => repeated(size, field(METADATA, NO_BYTES))),
  protobuf('unknown members', 1_000_000, (size) => repeated(size, field(30, NO_BYTES))),
  protobuf('deep groups', 750_000, deepGroups),
  protobuf('a length beyond the end', 1_000_000, (size) =>
    joined(
      Uint8Array.from([(METADATA << 3) | 2, 0xff, 0xff, 0xff, 0xff, 0x07]),
      repeated(size, Uint8Array.from([0])),
    ),
  ),
  protobuf('a long name', 3_000_000, (size) => field(METADATA, text(1, `${'a'.repeat(size)}!`))),
  protobuf('a long name beyond ASCII', 1_500_000, (size) => field(METADATA, text(1, 'é'.repeat(size)))),
  {
    name: 'protobuf: many envelopes',
    largest: 1_000_000,
    request: (size) =>
      raw(
        'POST',
        NODES,
        PROTOBUF_TYPE,
        joined(Uint8Array.from([0x6b, 0x38, 0x73, 0]), repeated(size, field(1, NO_BYTES))),
      ),
  },
];

export const FORMAT_ABUSES: readonly Abuse[] = [...JSON_BODIES, ...YAML_BODIES, ...PROTOBUF_BODIES];
