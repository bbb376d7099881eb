import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zoneIdOf, zoneKeyOf } from '../../../../shared/rules/zones/zone-names.ts';

const part = fc.oneof(
  fc.constantFrom('', 'a', 'a-b', 'a--b', 'b', 'no-zone', 'A', 'us-east-1', 'us_east_1'),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
);

const keys = fc
  .tuple(part, part)
  .map(([region, zone]) =>
    zoneKeyOf({ 'topology.kubernetes.io/region': region, 'topology.kubernetes.io/zone': zone }),
  );

test('a zone id is a DNS label (I-14)', () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(zoneIdOf(key)).toMatch(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    }),
  );
});

test('different zone keys have different ids (I-14)', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      expect(zoneIdOf(a) === zoneIdOf(b)).toBe(a === b);
    }),
    { numRuns: 1_000 },
  );
});
