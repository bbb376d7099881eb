import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../../../shared/kube/values/ip.ts';
import {
  candidates,
  familiesOf,
  hasClusterIp,
  rangeFault,
  serviceRanges,
} from '../../../../shared/rules/addresses/service-addresses.ts';

const FOUR = serviceRanges(['10.96.0.0/12']);
const BOTH = serviceRanges(['10.96.0.0/12', 'fd00::/108']);

describe('C-30: the families of a Service', () => {
  it.each([
    ['of the first range', {}, BOTH, ['IPv4']],
    ['of the first range, IPv6', {}, BOTH.toReversed(), ['IPv6']],
    ['that it names', { ipFamilies: ['IPv6'] }, BOTH, ['IPv6']],
    ['of its address', { clusterIPs: ['fd00::5'] }, BOTH, ['IPv6']],
    ['both, if it prefers', { ipFamilyPolicy: 'PreferDualStack' }, BOTH, ['IPv4', 'IPv6']],
    ['as many as there are', { ipFamilyPolicy: 'PreferDualStack' }, FOUR, ['IPv4']],
  ])('are %s', (_, spec, ranges, expected) => {
    expect(familiesOf(spec, ranges)).toEqual(expected);
  });

  it.each([
    [{}, true],
    [{ type: 'NodePort' }, true],
    [{ type: 'ExternalName' }, false],
    [{ clusterIP: 'None' }, false],
    [{ clusterIPs: ['None'] }, false],
  ])('%j has addresses: %s', (spec, expected) => {
    expect(hasClusterIp(spec)).toBe(expected);
  });
});

it.each([
  ['10.96.0.0', false],
  ['10.96.0.1', true],
  ['10.111.255.254', true],
  ['10.111.255.255', false],
  ['10.112.0.1', false],
  ['fd00::', false],
  ['fd00::f:ffff', true],
  ['fd00::10:0', false],
])('C-31: %s can be given: %s', (text, expected) => {
  const address = parseAddress(text);
  if (!address) throw new Error(text);
  expect(rangeFault(text, address, BOTH) === undefined).toBe(expected);
});

describe('C-32: the addresses that are tried', () => {
  it.each([
    ['10.0.0.0/24', 254],
    ['10.0.0.0/30', 2],
    ['fd00::/124', 15],
    ['10.0.0.0/32', 0],
  ])('are all of the small range %s, each once', (range, size) => {
    const [only] = serviceRanges([range]);
    const all = only ? [...candidates(only, () => 0.999)] : [];
    expect([all.length, new Set(all).size]).toEqual([size, size]);
  });

  it('are in the range wherever the search begins', () => {
    const [four, six] = BOTH;
    for (const range of [four, six])
      for (const random of [0, 0.5, 0.999_999_999]) {
        const search = range && candidates(range, () => random);
        for (let tries = 0; tries < 100; tries += 1) {
          const text = search?.next().value ?? '';
          const address = parseAddress(text);
          expect(address && rangeFault(text, address, BOTH), text).toBeUndefined();
        }
      }
  });
});
