import { describe, expect, it } from 'vitest';
import { lifecycleSettings } from '../../../../shared/rules/nodes/policy-settings.ts';
import { heldPolicies } from '../../../../shared/rules/policies/policy-order.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';
import { aPolicy } from '../../../support/objects/policies.ts';

const config = NODE_LIFECYCLE_DEFAULTS;
const zone = (name: string): string => `:\0:${name}`;
const settingsOf = (...policies: Parameters<typeof heldPolicies>[0]) =>
  lifecycleSettings(heldPolicies(policies).accepted, config);

describe('the settings', () => {
  it('are those of the configuration without a policy (Z-25)', () => {
    const settings = settingsOf();
    const { nodeMonitorPeriodMs: _, nodeMonitorGracePeriodMs, nodeStartupGracePeriodMs, ...rules } = config;
    expect(settings.zone(zone('a'))).toEqual(rules);
    expect(settings.node(zone('a'), undefined)).toEqual({
      nodeMonitorGracePeriodMs,
      nodeStartupGracePeriodMs,
    });
    expect([settings.needsLabels, settings.drains]).toEqual([false, false]);
  });

  it('come field by field from the most specific policy that sets them (Z-21)', () => {
    const settings = settingsOf(
      aPolicy('all', {
        nodeMonitorGracePeriodSeconds: 60,
        nodeStartupGracePeriodSeconds: 90,
        nodeEvictionRate: 1,
      }),
      aPolicy('zone', { zones: ['a'], nodeMonitorGracePeriodSeconds: 30, unhealthyZoneThreshold: 0.3 }),
      aPolicy('pool', {
        nodeSelector: { matchLabels: { pool: 'edge' } },
        nodeMonitorGracePeriodSeconds: 300,
      }),
    );
    const graces = (name: string, labels: Readonly<Record<string, string>>) => {
      const found = settings.node(zone(name), labels);
      return [found.nodeMonitorGracePeriodMs / 1000, found.nodeStartupGracePeriodMs / 1000];
    };
    expect(graces('a', { pool: 'edge' })).toEqual([300, 90]);
    expect(graces('a', {})).toEqual([30, 90]);
    expect(graces('b', {})).toEqual([60, 90]);
    expect(settings.needsLabels).toBe(true);
    expect(settings.zone(zone('a'))).toMatchObject({
      nodeEvictionRate: 1,
      unhealthyZoneThreshold: 0.3,
      policies: 'zone/1 all/1',
    });
    expect(settings.zone(zone('b'))).toMatchObject({ unhealthyZoneThreshold: 0.55, policies: 'all/1' });
  });

  it('are asked of the selectors once for the labels of a node, however many passes and policies there are (Z-21)', () => {
    const pools = Array.from({ length: 50 }, (_, index) => `pool${index}`);
    const settings = settingsOf(
      ...pools.map((pool) =>
        aPolicy(pool, { nodeSelector: { matchLabels: { pool } }, nodeMonitorGracePeriodSeconds: 20 }),
      ),
    );
    let looks = 0;
    const counted = (pool: string): Record<string, string> =>
      new Proxy<Record<string, string>>(
        { pool },
        {
          has: (target, name) => Reflect.has(target, name),
          getOwnPropertyDescriptor: (target, name) => {
            looks += 1;
            return Reflect.getOwnPropertyDescriptor(target, name);
          },
        },
      );
    const nodes = Array.from({ length: 1_000 }, (_, index) => counted(pools[index % 50] ?? ''));
    const pass = () => nodes.map((labels) => settings.selection(':\0:a', labels));
    const first = pass();
    expect(looks).toBe(50 * 1_000);
    expect(new Set(first).size).toBe(50);
    expect(pass()).toEqual(first);
    expect(looks).toBe(50 * 1_000);
  });

  it('of a policy with an empty list of zones hold for no node (Z-21)', () => {
    const settings = settingsOf(
      aPolicy('p', { zones: [], nodeEvictionRate: 2, nodeMonitorGracePeriodSeconds: 20 }),
    );
    expect(settings.zone('')).toEqual(settingsOf().zone(''));
    expect(settings.node('', {})).toEqual(settingsOf().node('', {}));
  });

  it('name zones as `kubectl get zones` does (Z-21)', () => {
    const settings = settingsOf(aPolicy('p', { zones: ['eu--a', 'no-zone'], nodeEvictionRate: 2 }));
    expect(settings.zone('eu:\0:a').nodeEvictionRate).toBe(2);
    expect(settings.zone('').nodeEvictionRate).toBe(2);
    expect(settings.zone(zone('a')).nodeEvictionRate).toBe(0.1);
  });

  it('of a grace period that adapts are those of one policy (Z-21, V-80)', () => {
    const settings = settingsOf(
      aPolicy('all', { adaptiveGrace: { floorSeconds: 40, ceilingSeconds: 120 } }),
      aPolicy('zone', { zones: ['a'], adaptiveGrace: { floorSeconds: 60, ceilingSeconds: 60 } }),
    );
    expect(settings.node(zone('a'), undefined).adaptiveGrace).toEqual({ floorMs: 60_000, ceilingMs: 60_000 });
    expect(settings.node(zone('b'), undefined).adaptiveGrace).toEqual({
      floorMs: 40_000,
      ceilingMs: 120_000,
    });
    expect([settings.adaptsGrace, settingsOf().adaptsGrace]).toEqual([true, false]);
  });

  it('of damping and drain are those of one policy each, with its name (Z-21)', () => {
    const settings = settingsOf(
      aPolicy('all', { flapDamping: { losses: 2, withinSeconds: 60, stableSeconds: 30 } }),
      aPolicy('zone', { zones: ['a'], drainBeforeLost: { notReadySeconds: 30 } }),
    );
    expect(settings.node(zone('a'), undefined)).toMatchObject({
      damping: { losses: 2, withinMs: 60_000, stableMs: 30_000 },
      drain: { notReadySeconds: 30, policy: 'zone' },
    });
    expect(settings.node(zone('b'), undefined).drain).toBeUndefined();
    expect(settings.drains).toBe(true);
  });
});
