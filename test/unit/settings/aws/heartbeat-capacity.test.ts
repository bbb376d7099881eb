import { expect, it } from 'vitest';
import { parseConfiguration } from '../../../../shared/settings/aws/configuration.ts';
import {
  capacityIn,
  capacityText,
  capacityUnits,
} from '../../../../shared/settings/aws/heartbeat-capacity.ts';

it.each([
  [
    { nodes: 1_000, intervalSeconds: 10 },
    { writes: 150, reads: 13 },
  ],
  [
    { nodes: 1_000, intervalSeconds: 15 },
    { writes: 100, reads: 13 },
  ],
  [
    { nodes: 1, intervalSeconds: 15 },
    { writes: 1, reads: 6 },
  ],
])('%j has %j', (fleet, units) => {
  expect(capacityUnits(fleet)).toEqual(units);
  expect(capacityIn(capacityText(fleet))).toEqual(fleet);
});

it('is none without the setting', () => {
  expect(parseConfiguration().heartbeatCapacity).toBeUndefined();
  expect(capacityIn(undefined)).toBeUndefined();
  const given = { heartbeatCapacity: '300', heartbeatInterval: '15s' };
  expect(parseConfiguration(given).heartbeatCapacity).toEqual({ nodes: 300, intervalSeconds: 15 });
});
