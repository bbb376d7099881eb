import { beforeEach, describe, expect, it } from 'vitest';
import { createTestApi, statusOf, type TestApi } from '../../../support/servers/api.ts';

const POLICIES = '/apis/rollcall.dev/v1/nodelifecyclepolicies';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const create = (name: string, spec: object = {}) =>
  api.send('POST', POLICIES, { as: 'admin', body: { metadata: { name }, spec } });

const INVALID = (name: string, fault: string) => [
  422,
  'Invalid',
  `NodeLifecyclePolicy.rollcall.dev "${name}" is invalid: ${fault}`,
];

describe('a NodeLifecyclePolicy', () => {
  it('gets the defaults of what it mentions, and no others', async () => {
    const { code, json } = await create('p', {
      zones: ['a'],
      flapDamping: { losses: 4 },
      drainBeforeLost: {},
    });
    expect(code).toBe(201);
    expect(json.metadata.generation).toBe(1);
    expect(json.spec).toEqual({
      zones: ['a'],
      priority: 0,
      flapDamping: { losses: 4, withinSeconds: 600, stableSeconds: 120 },
      drainBeforeLost: { whenFlapping: false, whenShuttingDown: true },
    });
  });

  it('shows the range of a grace period that adapts in the place of a fixed one', async () => {
    await create('p', { adaptiveGrace: { floorSeconds: 40, ceilingSeconds: 120 } });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { json } = await api.send('GET', POLICIES, { as: 'viewer', headers: { accept } });
    expect(json.rows[0].cells).toContain('40s-120s');
    const { json: stored } = await api.send('GET', `${POLICIES}/p`, { as: 'viewer' });
    expect(stored.spec).toEqual({ priority: 0, adaptiveGrace: { floorSeconds: 40, ceilingSeconds: 120 } });
  });

  it('keeps rates, thresholds and zeros as they are written', async () => {
    const spec = { nodeEvictionRate: 0.25, secondaryNodeEvictionRate: 0, unhealthyZoneThreshold: 0.4 };
    expect((await create('p', spec)).json.spec).toEqual({ priority: 0, ...spec });
    const { json } = await api.send('GET', `${POLICIES}/p`, { as: 'viewer' });
    expect(json.spec).toEqual({ priority: 0, ...spec });
  });

  it.each<[object, string]>([
    [
      { nodeMonitorGracePeriodSeconds: 5 },
      'spec.nodeMonitorGracePeriodSeconds: Invalid value: 5: must be from 10 to 86400',
    ],
    [
      { nodeStartupGracePeriodSeconds: 90_000 },
      'spec.nodeStartupGracePeriodSeconds: Invalid value: 90000: must be from 10 to 86400',
    ],
    [{ nodeEvictionRate: -0.5 }, 'spec.nodeEvictionRate: Invalid value: -0.5: must be from 0 to 100'],
    [
      { unhealthyZoneThreshold: 1.5 },
      'spec.unhealthyZoneThreshold: Invalid value: 1.5: must be from 0.01 to 1',
    ],
    [
      { adaptiveGrace: { floorSeconds: 9, ceilingSeconds: 120 } },
      'spec.adaptiveGrace.floorSeconds: Invalid value: 9: must be from 10 to 86400',
    ],
    [
      { adaptiveGrace: { floorSeconds: 40, ceilingSeconds: 86_401 } },
      'spec.adaptiveGrace.ceilingSeconds: Invalid value: 86401: must be from 10 to 86400',
    ],
    [
      { adaptiveGrace: { floorSeconds: 60, ceilingSeconds: 40 } },
      'spec.adaptiveGrace.ceilingSeconds: Invalid value: 40: must not be less than `floorSeconds`',
    ],
    [
      { adaptiveGrace: { floorSeconds: 60 } },
      'spec.adaptiveGrace.ceilingSeconds: Required value: says between which lengths the grace period adapts',
    ],
    [{ flapDamping: { losses: 9 } }, 'spec.flapDamping.losses: Invalid value: 9: must be from 2 to 8'],
    [
      { fullDisruption: 'Panic' },
      'spec.fullDisruption: Unsupported value: "Panic": supported values: "Evict", "Reduce", "Hold"',
    ],
    [
      { onPartition: 'Panic' },
      'spec.onPartition: Unsupported value: "Panic": supported values: "Hold", "Evict"',
    ],
    [{ zones: [] }, 'spec.zones: Required value: must name a zone; leave the field out for all zones'],
    [{ zones: ['a', 'a'] }, 'spec.zones[1]: Duplicate value: "a"'],
    [
      { nodeSelector: { matchLabels: { a: 'b' } }, nodeEvictionRate: 1 },
      'spec.nodeEvictionRate: Forbidden: holds for a whole zone; may not be set together with `nodeSelector`',
    ],
    [
      { drainBeforeLost: { whenFlapping: true } },
      'spec.flapDamping: Required value: says which nodes flap, for `drainBeforeLost.whenFlapping`',
    ],
    [
      { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      "spec.nodeSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ])('is refused with the field that is wrong: %j', async (spec, fault) => {
    expect(statusOf(await create('p', spec))).toEqual(INVALID('p', fault));
  });

  it('is refused if another one is as specific and can select the same nodes (Z-23)', async () => {
    await create('one', { zones: ['a', 'b'] });
    expect(statusOf(await create('two', { zones: ['b', 'c'] }))).toEqual(
      INVALID(
        'two',
        'spec.zones: Forbidden: can select the same nodes as policy one, which is as specific: select others, or give one of the two a higher spec.priority',
      ),
    );
    expect((await create('two', { zones: ['c'] })).code).toBe(201);
    const body = { spec: { zones: ['a'] } };
    const patch = { as: 'admin', body, type: 'application/merge-patch+json' };
    expect((await api.send('PATCH', `${POLICIES}/two`, patch)).code, 'a change that ties').toBe(422);
    const raised = { ...patch, body: { spec: { zones: ['a'], priority: 1 } } };
    expect((await api.send('PATCH', `${POLICIES}/two`, raised)).json.metadata.generation).toBe(2);
  });

  it('is printed with what it selects', async () => {
    await create('p', { zones: ['a'], nodeSelector: { matchLabels: { pool: 'gpu' } } });
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { json } = await api.send('GET', POLICIES, { as: 'admin', headers });
    expect(json.rows[0].cells.slice(0, 6)).toEqual(['p', 'a', 'pool=gpu', 0, 0, '<unknown>']);
  });
});
