import { describe, expect, it } from 'vitest';
import { jsonSyntaxFault } from '../../../../shared/kube/json/json-syntax.ts';
import { applyMergePatch } from '../../../../shared/kube/patch/merge-patch.ts';
import { decode } from '../../../../shared/kube/schema/decode.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';
import { canonicalQuantity } from '../../../../shared/kube/values/quantity.ts';

const leaseSchema = kindSchema('coordination.v1.Lease');
const nodeSchema = kindSchema('core.v1.Node');

/** Source: RFC 7386, appendix A. */
it.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('merges %j with %j to %j', (target, patch, expected) => {
  expect(applyMergePatch(target, patch)).toEqual(expected);
});

it('treats __proto__ in a patch as an ordinary member', () => {
  const patched = applyMergePatch({}, JSON.parse('{"__proto__":{"polluted":true}}'));
  expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":true}}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

it.each([
  ['2048Ki', '2Mi'],
  ['1e2', '100'],
  ['3.0', '3'],
  ['0.5Gi', '512Mi'],
  ['0.25', '250m'],
  ['1.5Gi', '1536Mi'],
  ['1500m', '1500m'],
  ['1000m', '1'],
  ['-1', '-1'],
  ['0', '0'],
  ['1M', '1M'],
  ['1000k', '1M'],
  ['512Ki', '512Ki'],
  ['1.50', '1500m'],
  ['1.123', '1.123'],
  ['16Ei', '9223372036854775807'],
  ['0.0000000001Gi', '107374183n'],
  ['1e21', '1e21'],
  ['1000E', '1e21'],
  ['Gi', '0'],
  ['x', undefined],
  ['', undefined],
  ['1Q', undefined],
])('converts the quantity %j to %j', (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});

it.each([
  ['', 'unexpected end of JSON input'],
  ['{bad', "invalid character 'b' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1 2}', "invalid character '2' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['nul', 'unexpected end of JSON input'],
  ['tru!', "invalid character '!' in literal true (expecting 'e')"],
  ['-x', "invalid character 'x' in numeric literal"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['[', 'unexpected end of JSON input'],
  ['[[], {}, [[{"a":[]}]]]', undefined],
  ['['.repeat(10_001), "invalid character '[' exceeded max depth"],
  ['{"a":'.repeat(10_001), "invalid character '{' exceeded max depth"],
  ['"\u0001"', "invalid character '\\u0001' in string literal"],
  ['{"a":[1,{"b":null}],"c":"\\u00e4"}', undefined],
])('reports for %j: %s', (text, fault) => {
  expect(jsonSyntaxFault(text)).toBe(fault);
});

describe('decode', () => {
  it('drops empty, null and unknown fields, and converts times to UTC', () => {
    const node = {
      metadata: {
        name: 'n',
        labels: null,
        annotations: { a: null },
        creationTimestamp: '2026-01-01T02:00:00.5+02:00',
      },
      spec: { podCIDR: '', unschedulable: false, taints: [], own: { x: null } },
      status: { capacity: { cpu: 2 } },
    };
    expect(decode(node, nodeSchema)).toEqual({
      metadata: { name: 'n', annotations: { a: '' }, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {},
      status: { capacity: { cpu: '2' } },
    });
  });

  it('adds unset times and states of a pod', () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    const containerStatuses = [{ state: { running: {} } }];
    const status = { conditions, containerStatuses };
    expect(decode({ status }, kindSchema('core.v1.Pod'))).toEqual({
      status: {
        conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }],
        containerStatuses: [{ state: { running: { startedAt: null } }, lastState: {} }],
      },
    });
  });

  const LAYOUT = 'as "2006-01-02T15:04:05.000000Z07:00": cannot parse';
  it.each([
    [{ renewTime: '2020-01-02T03:04:05Z' }, `parsing time "2020-01-02T03:04:05Z" ${LAYOUT} "Z" as ".000000"`],
    [
      { renewTime: '2020-01-02T03:04:05.123456789Z' },
      `parsing time "2020-01-02T03:04:05.123456789Z" ${LAYOUT} "789Z" as "Z07:00"`,
    ],
    [{ renewTime: '' }, `parsing time "" ${LAYOUT} "" as "2006"`],
    [
      { renewTime: 5 },
      'json: cannot unmarshal number into Go struct field LeaseSpec.spec.renewTime of type string',
    ],
    [
      { leaseDurationSeconds: '40' },
      'json: cannot unmarshal string into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
    [
      { leaseDurationSeconds: 2_147_483_648 },
      'json: cannot unmarshal number 2147483648 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
    [
      { leaseDurationSeconds: true },
      'json: cannot unmarshal bool into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
    [
      { leaseDurationSeconds: 1.5 },
      'json: cannot unmarshal number 1.5 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
    ],
  ])('refuses the Lease %j', (spec, message) => {
    expect(() => decode({ spec }, leaseSchema)).toThrow(message);
  });

  it('keeps six digits of a MicroTime', () => {
    const spec = { renewTime: '2020-01-02T03:04:05.123456+02:00', holderIdentity: '' };
    expect(decode({ spec }, leaseSchema)).toEqual({
      spec: { renewTime: '2020-01-02T01:04:05.123456Z', holderIdentity: '' },
    });
  });
});
