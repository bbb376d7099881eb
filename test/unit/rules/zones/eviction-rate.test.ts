import { describe, expect, test } from 'vitest';
import { evictionRate } from '../../../../shared/rules/zones/eviction-rate.ts';
import type { ZoneState } from '../../../../shared/rules/zones/zone-state.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

const config = NODE_LIFECYCLE_DEFAULTS;
const Normal = 'Normal';
const Partial = 'PartialDisruption';
const Full = 'FullDisruption';

describe('evictionRate', () => {
  const source = 'kubernetes v1.34 `setLimiterInZone`';
  test.each<{ name: string; source: string; state: ZoneState; size: number; rate: number }>([
    { name: 'is the primary rate in a Normal zone (Z-09)', source, state: Normal, size: 1, rate: 0.1 },
    {
      name: 'is the primary rate in a full zone while another zone has ready nodes (Z-09)',
      source,
      state: Full,
      size: 1,
      rate: 0.1,
    },
    {
      name: 'is the secondary rate in a large partial zone (Z-10)',
      source,
      state: Partial,
      size: 51,
      rate: 0.01,
    },
    {
      name: 'is 0 in a partial zone of exactly the threshold (Z-11)',
      source,
      state: Partial,
      size: 50,
      rate: 0,
    },
  ])('$name', ({ state, size, rate }) => {
    expect(evictionRate(state, size, config)).toBe(rate);
  });

  test.each([
    ['Evict', 0.1],
    ['Reduce', 0.01],
    ['Hold', 0],
  ] as const)('in a full zone, %s gives %d (Z-26)', (fullDisruption, rate) => {
    expect(evictionRate(Full, 5, { ...config, fullDisruption })).toBe(rate);
    expect(evictionRate(Partial, 51, { ...config, fullDisruption })).toBe(0.01);
    expect(evictionRate(Normal, 5, { ...config, fullDisruption })).toBe(0.1);
  });
});
