import { describe, expect, it } from 'vitest';
import { telemetry as routing } from '../../../lambdas/change-router/metrics.ts';
import { createWork } from '../../../lambdas/contract/controller.ts';
import { telemetry as nodeEviction } from '../../../lambdas/node-eviction/metrics.ts';
import { telemetry as nodeIpam } from '../../../lambdas/node-ipam/metrics.ts';
import { telemetry as nodeMonitor } from '../../../lambdas/node-monitor/metrics.ts';
import type { PassReport, ZoneReport } from '../../../lambdas/node-monitor/report.ts';
import { telemetry as podReadiness } from '../../../lambdas/pod-readiness/metrics.ts';
import { telemetry as replicaSet } from '../../../lambdas/replica-set/metrics.ts';
import { telemetry as taintEviction } from '../../../lambdas/taint-eviction/metrics.ts';
import type { Measurement, Telemetry } from '../../../shared/ports/process/metrics.ts';
import { createMemoryControlPlane } from '../../support/planes/control-plane.ts';

type Told = Readonly<Record<string, unknown>>;

const singleValue = ({ samples }: Measurement): unknown => {
  const [only] = samples;
  return samples.length === 1 && only && !only.labels ? only.value : samples;
};

/** The measurements of a report by metric name; a single value without labels is the number itself. */
const measuredBy = <Report>({ metricsOf }: Telemetry<Report>, report: Report): Told =>
  Object.fromEntries(metricsOf(report).map((one) => [one.metric.name, singleValue(one)]));

const zone = (name: string, state: ZoneReport['state'], more: Partial<ZoneReport> = {}): ZoneReport => ({
  zone: name,
  state,
  size: 4,
  notReady: 0,
  health: 100,
  rate: 0.1,
  waiting: 0,
  woken: false,
  ...more,
});

const pass = (more: Partial<Extract<PassReport, { outcome: 'done' }>> = {}): PassReport => ({
  outcome: 'done',
  tick: 0,
  pass: 7,
  durationMs: 250,
  mode: 'unchanged',
  unrecorded: 0,
  nodes: 8,
  silent: 0,
  flips: 0,
  heldBack: 0,
  readied: 0,
  retainted: 0,
  stripped: 0,
  conflicts: 0,
  postponed: 0,
  zones: [],
  errors: [],
  aheadNodes: 0,
  takenBack: 0,
  furthestAheadMs: 0,
  silentRelays: 0,
  cutOffNodes: 0,
  almostSilent: 0,
  gracesMs: [],
  awaitsSilences: false,
  figures: { statuses: [], silencesMs: [] },
  ...more,
});

const NO_ZONES = { zone_size: [], zone_health: [], unhealthy_nodes_in_zone: [] };
const QUIET = {
  update_all_nodes_health_duration_seconds: 0.25,
  silent_nodes: 0,
  nodes_cut_off: 0,
  silent_relays: 0,
  nodes_held_back: 0,
  disrupted_zones: 0,
  nodes_waiting_for_eviction: 0,
  future_beats_total: 0,
  clock_ahead_seconds: 0,
  node_flips_total: 0,
  node_write_conflicts_total: 0,
  node_write_failures_total: 0,
};

describe('a pass', () => {
  it.each<[string, PassReport, Told]>([
    ['that was skipped', { outcome: 'skipped', tick: 0 }, {}],
    ['that found nothing', pass(), { ...QUIET, ...NO_ZONES }],
    [
      'with conflicts and failures',
      pass({ silent: 3, flips: 2, conflicts: 1, errors: [{ node: 'n1', error: 'no table' }] }),
      {
        ...QUIET,
        ...NO_ZONES,
        silent_nodes: 3,
        node_flips_total: 2,
        node_write_conflicts_total: 1,
        node_write_failures_total: 1,
      },
    ],
    [
      'over zones of every kind',
      pass({
        zones: [
          zone('a', 'Normal', { waiting: 2 }),
          zone('b', 'PartialDisruption', { notReady: 3, health: 25, waiting: 3 }),
          zone('c', 'FullDisruption', { size: 1, notReady: 1, health: 0 }),
        ],
      }),
      {
        ...QUIET,
        disrupted_zones: 2,
        nodes_waiting_for_eviction: 5,
        zone_size: [
          { labels: { zone: 'a' }, value: 4 },
          { labels: { zone: 'b' }, value: 4 },
          { labels: { zone: 'c' }, value: 1 },
        ],
        zone_health: [
          { labels: { zone: 'a' }, value: 100 },
          { labels: { zone: 'b' }, value: 25 },
          { labels: { zone: 'c' }, value: 0 },
        ],
        unhealthy_nodes_in_zone: [
          { labels: { zone: 'a' }, value: 0 },
          { labels: { zone: 'b' }, value: 3 },
          { labels: { zone: 'c' }, value: 1 },
        ],
      },
    ],
  ])('%s is measured', (_name, report, measurements) => {
    expect(measuredBy(nodeMonitor, report)).toEqual(measurements);
  });

  it('has a log line if it changed something, and one with the name of each node that failed', () => {
    const errors = ['n1', 'n2'].map((node) => ({ node, error: new Error('no table') }));
    expect(nodeMonitor.linesOf(pass())).toEqual([]);
    expect(nodeMonitor.linesOf(pass({ flips: 1 }))).toMatchObject([
      { level: 'info', message: 'health pass finished' },
    ]);
    expect(nodeMonitor.linesOf(pass({ errors }))).toMatchObject([
      { level: 'error', message: 'failed to read or write node', fields: errors[0] },
      { level: 'error', message: 'failed to read or write node', fields: errors[1] },
      { level: 'info', fields: { errors: 2 } },
    ]);
  });

  it('has one line for beats that are ahead of the clock, with their number and size (G-13)', () => {
    const report = pass({ aheadNodes: 9_000, takenBack: 2_500, furthestAheadMs: 3_600_000 });
    expect(nodeMonitor.linesOf(report)).toMatchObject([
      { level: 'error', fields: { nodes: 9_000, takenBack: 2_500, furthestAheadSeconds: 3_600 } },
    ]);
    expect(measuredBy(nodeMonitor, report)).toMatchObject({
      future_beats_total: 2_500,
      clock_ahead_seconds: 3_600,
    });
  });

  it('names at most twenty of the nodes that failed and counts the others', () => {
    const errors = Array.from({ length: 1_000 }, (_, index) => ({ node: `n${index}`, error: 'no table' }));
    const lines = nodeMonitor.linesOf(pass({ errors })).filter(({ level }) => level === 'error');
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)?.fields).toEqual({ moreNodes: 980 });
  });
});

describe('a wake-up', () => {
  const ONE = [{ labels: { zone: 'a' }, value: 1 }];
  it.each([
    [{ outcome: 'tainted', zone: 'a', node: 'n1' } as const, { evictions_total: ONE }],
    [{ outcome: 'wasted', zone: 'a', node: 'n1' } as const, { eviction_tokens_wasted_total: ONE }],
    [{ outcome: 'closed', zone: 'a' } as const, {}],
  ])('%o is measured by zone', (report, measurements) => {
    expect(measuredBy(nodeEviction, report)).toEqual(measurements);
    expect(nodeEviction.linesOf(report)).toHaveLength('node' in report ? 1 : 0);
  });
});

describe('an eviction of pods', () => {
  it('is measured by deletions, their delay, and deadlines', () => {
    const waiting = { outcome: 'waiting', fireAt: 9 } as const;
    const report = [
      ...[100, 300].map((lateMs) => ({ outcome: 'evicted', lateMs }) as const),
      { ...waiting, isNew: true },
      { ...waiting, isNew: false },
      ...(['cleared', 'conflict', 'none'] as const).map((outcome) => ({ outcome })),
    ];
    expect(measuredBy(taintEviction, report)).toEqual({
      pod_deletions_total: 2,
      pod_deletion_duration_seconds: [{ value: 0.1 }, { value: 0.3 }],
      deadlines_stored_total: 1,
      deadlines_cleared_total: 1,
    });
  });

  it('has a sweep that is measured by overdue deadlines', () => {
    expect(measuredBy(taintEviction, { nodes: 3, overdue: 2, oldestOverdueMs: 1_500 })).toEqual({
      deadlines_overdue: 2,
      oldest_overdue_deadline_seconds: 1.5,
    });
  });
});

it('pods that were marked not ready are counted', () => {
  expect(measuredBy(podReadiness, { marked: 4, ending: 2 })).toEqual({
    pods_marked_not_ready_total: 4,
    pods_marked_ending_total: 2,
  });
});

it('pods of ReplicaSets are counted by what happened to them', () => {
  const look = { hasMore: false, isStatusWritten: true };
  const report = [
    { ...look, created: 3, deleted: 0, adopted: 1, released: 2 },
    { ...look, created: 1, deleted: 4, adopted: 0, released: 0, failure: 'refused' },
  ];
  expect(measuredBy(replicaSet, report)).toEqual({
    pods_created_total: 4,
    pods_deleted_total: 4,
    pods_adopted_total: 1,
    pods_released_total: 2,
    pod_creation_failures_total: 1,
  });
});

describe('node-ipam', () => {
  const message = { clusterCidrs: ['10.0.0.0/8', 'fd00::/56'], allocations: [], released: 0, outside: [] };
  const perRange = (...values: readonly number[]) =>
    message.clusterCidrs.flatMap((clusterCIDR) =>
      values.map((value) => ({ value, labels: { clusterCIDR } })),
    );

  it('counts allocations and releases in each range', () => {
    const allocations = [
      { outcome: 'allocated', tries: 2 },
      { outcome: 'exhausted', tries: 0 },
      { outcome: 'allocated', tries: 1 },
    ] as const;
    expect(measuredBy(nodeIpam, { ...message, allocations, released: 1 })).toEqual({
      cidrset_cidrs_allocations_total: perRange(2),
      cidrset_cidrs_releases_total: perRange(1),
      cidrset_allocation_tries_per_request: perRange(2, 1),
    });
  });

  it('tells after a sweep how full the ranges are, who waits, and what was repaired', () => {
    const ranges = [{ clusterCidr: '10.0.0.0/8', size: 8, taken: 6 }];
    const labels = { clusterCIDR: '10.0.0.0/8' };
    expect(measuredBy(nodeIpam, { ranges, waiting: 2, queued: 1, freed: 3, outside: [] })).toEqual({
      cidrset_usage_cidrs: [{ value: 0.75, labels }],
      cirdset_max_cidrs: [{ value: 8, labels }],
      nodes_waiting: 2,
      repairs_total: 4,
    });
  });

  it('logs one line about podCIDRs outside of the ranges', () => {
    expect(nodeIpam.linesOf(message)).toEqual([]);
    expect(nodeIpam.linesOf({ ...message, outside: ['a', 'b'] })).toEqual([
      {
        level: 'error',
        message: 'podCIDRs outside of the cluster CIDRs are left alone',
        fields: { why: 'a', others: 1 },
      },
    ]);
  });
});

it('changes are counted, and those that could not be read are logged with their keys', () => {
  const key = { resource: 'pods', namespace: 'default', name: 'p' };
  const error = new Error('no uid');
  const report = {
    changes: 3,
    badRecords: [{ change: { after: { state: 'marker', key } as never }, error }],
  };
  expect(measuredBy(routing, report)).toEqual({ changes_routed_total: 3, bad_records_total: 1 });
  expect(routing.linesOf(report)).toEqual([
    { level: 'error', message: 'the change is skipped', fields: { key, error } },
  ]);
});

describe('the work of a controller', () => {
  const ports = createMemoryControlPlane().invoke();
  const told = {
    metricsOf: () => [],
    linesOf: () => [{ level: 'info', message: 'done', fields: {} } as const],
  };
  const parts = { runs: { sweep: async () => undefined }, metrics: {}, telemetry: told };

  it('parses a message, handles it and returns the metrics and lines of its report', async () => {
    const message = { parse: (body: unknown) => `parsed ${String(body)}` };
    const seen: string[] = [];
    const work = createWork({ ...parts, message, reconcile: async (_, text) => void seen.push(text) });
    await work.handle(ports, 'body');
    expect(seen).toEqual(['parsed body']);
  });

  it('returns no metrics for a run without a report, and refuses messages if it has no queue', async () => {
    const work = createWork<never, undefined, 'sweep'>(parts);
    expect(await work.runs.sweep(ports)).toEqual({ measurements: [], lines: [] });
    await expect(work.handle(ports, {})).rejects.toThrow('has no queue');
  });
});
