import { describe, expect, test } from 'vitest';
import { isExcludedFromDisruption } from '../../../../shared/rules/zones/excluded-nodes.ts';
import type { Labels } from '../../../../shared/rules/zones/zone-names.ts';
import { zoneIdOf, zoneKeyOf, zoneNameOf } from '../../../../shared/rules/zones/zone-names.ts';

const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';
const ZONE_BETA = 'failure-domain.beta.kubernetes.io/zone';
const REGION_BETA = 'failure-domain.beta.kubernetes.io/region';

describe('zoneKeyOf', () => {
  const source = 'kubernetes v1.34 `GetZoneKey`';
  test.each<{ name: string; source: string; labels: Labels | undefined; key: string }>([
    { name: 'is empty without labels', source, labels: undefined, key: '' },
    { name: 'is empty without zone labels', source, labels: { role: 'web' }, key: '' },
    {
      name: 'joins region and zone (A-03)',
      source,
      labels: { [REGION]: 'r1', [ZONE]: 'z1' },
      key: 'r1:\0:z1',
    },
    { name: 'keeps a zone without region', source, labels: { [ZONE]: 'z1' }, key: ':\0:z1' },
    { name: 'keeps a region without zone', source, labels: { [REGION]: 'r1' }, key: 'r1:\0:' },
    {
      name: 'prefers the beta labels (A-03)',
      source,
      labels: { [REGION]: 'r1', [ZONE]: 'z1', [REGION_BETA]: 'old-r', [ZONE_BETA]: 'old-z' },
      key: 'old-r:\0:old-z',
    },
    {
      name: 'prefers each beta label separately',
      source,
      labels: { [REGION]: 'r1', [ZONE]: 'z1', [ZONE_BETA]: 'old-z' },
      key: 'r1:\0:old-z',
    },
    {
      name: 'prefers a beta label even if it is empty',
      source,
      labels: { [ZONE]: 'z1', [ZONE_BETA]: '' },
      key: '',
    },
  ])('$name', ({ labels, key }) => {
    expect(zoneKeyOf(labels)).toBe(key);
  });
});

describe('zoneNameOf', () => {
  test.each([
    { name: 'keeps the case of a label (A-05)', key: ':\0:rackA', shown: 'rackA' },
    { name: 'shows the region before the zone (A-05)', key: 'eu:\0:eu.1_a', shown: 'eu/eu.1_a' },
    { name: 'shows a region without a zone', key: 'eu:\0:', shown: 'eu/' },
    { name: 'calls the empty key no-zone', key: '', shown: 'no-zone' },
  ])('$name', ({ key, shown }) => expect(zoneNameOf(key)).toBe(shown));
});

describe('zoneIdOf', () => {
  test.each([
    { name: 'calls the empty key no-zone', key: '', id: /^no-zone$/ },
    {
      name: 'is readable for common zones (A-04)',
      key: 'us-east-1:\0:us-east-1a',
      id: /^us-east-1--us-east-1a$/,
    },
    { name: 'is only the zone without a region', key: ':\0:rack7', id: /^rack7$/ },
    { name: 'marks a region without zone', key: 'r1:\0:', id: /^r1---[0-9a-f]{8}$/ },
    { name: 'marks escaped characters', key: 'R_1:\0:z.1', id: /^r-1-z-1---[0-9a-f]{8}$/ },
    { name: 'marks a zone that is called no-zone', key: ':\0:no-zone', id: /^no-zone---[0-9a-f]{8}$/ },
    {
      name: 'shortens long names (A-04)',
      key: `${'r'.repeat(63)}:\0:${'z'.repeat(63)}`,
      id: /^r{52}---[0-9a-f]{8}$/,
    },
    { name: 'is valid even for a key without letters', key: '_:\0:_', id: /^zone---[0-9a-f]{8}$/ },
  ])('$name', ({ key, id }) => {
    expect(zoneIdOf(key)).toMatch(id);
  });

  test('gives different ids to keys that read the same', () => {
    const keys = [
      'a-b:\0:c',
      'a:\0:b-c',
      'a--b:\0:c',
      'a:\0:b--c',
      'A-b:\0:c',
      ':\0:a',
      'a:\0:',
      ':\0:a--b',
      'a:\0:b',
    ];
    expect(new Set(keys.map(zoneIdOf)).size).toBe(keys.length);
  });
});

describe('isExcludedFromDisruption', () => {
  const source = 'kubernetes v1.34 `TestIsNodeExcludedFromDisruptionChecks`';
  const key = 'node.kubernetes.io/exclude-disruption';
  test.each<{ name: string; source: string; labels: Labels | undefined; excluded: boolean }>([
    { name: 'keeps a node without labels in the statistics', source, labels: undefined, excluded: false },
    { name: 'does not look at names such as master-abc', source, labels: {}, excluded: false },
    {
      name: 'leaves out a node with the label, even an empty one (A-06)',
      source,
      labels: { [key]: '' },
      excluded: true,
    },
    {
      name: "leaves out a node regardless of the label's value (A-06)",
      source,
      labels: { [key]: 'false' },
      excluded: true,
    },
  ])('$name', ({ labels, excluded }) => {
    expect(isExcludedFromDisruption(labels)).toBe(excluded);
  });
});
