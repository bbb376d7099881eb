import { describe, expect, test } from 'vitest';
import { computeZoneState, type ZoneState } from '../../../../shared/rules/zones/zone-state.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

const config = NODE_LIFECYCLE_DEFAULTS;
const Normal = 'Normal';
const Partial = 'PartialDisruption';
const Full = 'FullDisruption';

describe('computeZoneState', () => {
  const source = 'kubernetes v1.34 `ComputeZoneState`';
  test.each<{ name: string; source: string; ready: number; notReady: number; state: ZoneState }>([
    { name: '3 of 5 not ready is partial (Z-02)', source, ready: 2, notReady: 3, state: Partial },
    { name: '3 of 6 is Normal (Z-03)', source, ready: 3, notReady: 3, state: Normal },
    {
      name: '2 of 3 is Normal, as at least three must be down (Z-03)',
      source,
      ready: 1,
      notReady: 2,
      state: Normal,
    },
    { name: '1 of 1 is full (Z-01)', source, ready: 0, notReady: 1, state: Full },
    { name: '2 of 2 is full', source, ready: 0, notReady: 2, state: Full },
    {
      name: '11 of 20 is exactly the threshold and partial (Z-02)',
      source,
      ready: 9,
      notReady: 11,
      state: Partial,
    },
    { name: '28 of 51 is just below the threshold (Z-02)', source, ready: 23, notReady: 28, state: Normal },
    { name: 'no node at all is Normal', source, ready: 0, notReady: 0, state: Normal },
  ])('$name', ({ ready, notReady, state }) => {
    expect(computeZoneState({ ready, notReady }, config)).toBe(state);
  });
});
