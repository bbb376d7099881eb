import { expect, it } from 'vitest';
import type { DisruptionMode } from '../../../../shared/rules/zones/disruption-mode.ts';
import type { StoredZone } from '../../../../shared/rules/zones/eviction-rate.ts';
import { zoneChange } from '../../../../shared/rules/zones/zone-change.ts';
import type { ZoneDecision } from '../../../../shared/rules/zones/zone-disruption.ts';
import { NODE_LIFECYCLE_DEFAULTS as rules } from '../../../../shared/settings/node-lifecycle.ts';

const normal = { state: 'Normal', size: 20, notReady: 0, rate: 0.1 } as const;
const partial = { state: 'PartialDisruption', size: 20, notReady: 11, rate: 0 } as const;
const full = { state: 'FullDisruption', size: 20, notReady: 20, rate: 0.1 } as const;

it.each<[string, DisruptionMode, ZoneDecision, StoredZone | undefined, string | undefined]>([
  ['a zone as it was', 'unchanged', normal, normal, undefined],
  ['a new zone', 'unchanged', normal, undefined, 'the zone is new'],
  ['many nodes', 'unchanged', partial, normal, '11 of 20 nodes are not ready, at least 55 %'],
  ['a zone that is down', 'unchanged', full, partial, 'no node is ready'],
  [
    'a zone that is down and held',
    'unchanged',
    { ...full, rate: 0, isHeld: true },
    partial,
    'no node is ready; a policy holds evictions',
  ],
  ['all zones', 'enterFullDisruption', { ...full, rate: 0 }, normal, 'no node of any zone is ready'],
  [
    'all zones, of which one was down',
    'enterFullDisruption',
    { ...full, rate: 0 },
    full,
    'no node of any zone is ready',
  ],
  ['their end', 'leaveFullDisruption', full, { state: 'FullDisruption', rate: 0 }, 'no node is ready'],
  ['a recovery', 'unchanged', { ...normal, notReady: 2 }, partial, '18 of 20 nodes are ready'],
  ['a whole recovery', 'unchanged', normal, full, 'all nodes are ready'],
  ['other settings', 'unchanged', normal, { state: 'Normal', rate: 0.2 }, 'the settings changed'],
  ['a policy', 'unchanged', { ...normal, policies: 'p/2' }, normal, 'policy p/2 holds'],
  ['a policy that is gone', 'unchanged', normal, { ...normal, policies: 'p/2' }, 'no policy holds any more'],
])('%s (Z-29)', (_, mode, decision, stored, expected) => {
  expect(zoneChange(mode, decision, stored, rules)).toBe(expected);
});
