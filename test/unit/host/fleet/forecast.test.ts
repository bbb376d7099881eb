import { describe, expect, it } from 'vitest';
import { evictionForecast } from '../../../../host/fleet/forecast.ts';
import { planFleet } from '../../../../host/fleet/plan.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';

const forecast = (nodes: number, zones: number, isSilent: (one: { name: string; zone: string }) => boolean) =>
  evictionForecast(planFleet({ nodes, zones, pods: 0 }), isSilent, CONFIG).join('\n');

describe('the forecast of an outage', () => {
  it('of an outage of every machine is that no pod is evicted', () =>
    expect(forecast(12, 3, () => true)).toMatch(/^No pod is evicted: with every zone down/));

  it('of the only zone is the same', () =>
    expect(forecast(4, 1, ({ zone }) => zone === 'a')).toMatch(/^No pod is evicted/));

  it('of one zone of three is an eviction each ten seconds', () =>
    expect(forecast(12, 3, ({ zone }) => zone === 'a')).toBe(
      'In zone a one node gets a NoExecute taint each 10 s, and its pods leave as their tolerations end.',
    ));

  it('of most machines of a small zone is that evictions stop in it', () =>
    expect(forecast(12, 3, ({ name }) => ['n1', 'n2', 'n3'].includes(name))).toBe(
      'Evictions stop in zone a: 3 of 4 machines are down, a partial disruption.',
    ));

  it('names a few zones of many', () =>
    expect(forecast(52, 26, ({ name, zone }) => zone !== 'z' || name === 'none').split('\n')).toHaveLength(
      7,
    ));
});
