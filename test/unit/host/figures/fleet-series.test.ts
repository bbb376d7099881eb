import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { recordPass } from '../../../../host/figures/fleet-series.ts';
import { createHostMetrics } from '../../../../host/figures/host-metrics.ts';
import { recordAbsence, recordStep } from '../../../../host/figures/presence-series.ts';
import { createScrape } from '../../../../host/figures/scrape.ts';
import { countedCommits } from '../../../../host/figures/store-series.ts';
import { recordZones } from '../../../../host/figures/zone-series.ts';
import type { PassReport } from '../../../../lambdas/node-monitor/report.ts';
import { openSqliteState } from '../../../../shared/adapters/sqlite/state.ts';
import type { ZoneRecord } from '../../../../shared/ports/store/control-store.ts';

const NOW = 1_700_000_000_000;
const clock = { now: () => NOW };

const linesOf = (metrics: ReturnType<typeof createHostMetrics>, start: string): readonly string[] =>
  metrics
    .text()
    .split('\n')
    .filter((line) => line.startsWith(start));

const aPass = (figures: Extract<PassReport, { outcome: 'done' }>['figures']): PassReport => ({
  outcome: 'done',
  tick: NOW,
  pass: 1,
  nodes: 3,
  silent: 0,
  flips: 0,
  readied: 0,
  gracesMs: [],
  awaitsSilences: false,
  heldBack: 0,
  retainted: 0,
  stripped: 0,
  conflicts: 0,
  postponed: 0,
  aheadNodes: 0,
  takenBack: 0,
  mode: 'unchanged',
  furthestAheadMs: 0,
  silentRelays: 0,
  cutOffNodes: 0,
  durationMs: 1,
  zones: [],
  errors: [],
  unrecorded: 0,
  almostSilent: 0,
  figures,
});

const aZone = (given: Partial<ZoneRecord>): ZoneRecord => ({
  id: 'a',
  key: ':\0:a',
  state: 'Normal',
  size: 3,
  notReady: 0,
  waiting: [],
  waitingCount: 0,
  limiter: { rate: 0.1, nextAt: NOW },
  pass: 1,
  updatedAt: NOW,
  ...given,
});

describe('what a pass tells', () => {
  it('is how many nodes of each zone have which status, and zones that have none end', () => {
    const metrics = createHostMetrics();
    const figures = {
      statuses: [
        { zone: 'a', ready: 'True', nodes: 2 },
        { zone: 'b', ready: 'Unknown', nodes: 1 },
      ],
      silencesMs: [],
    };
    recordPass(metrics, aPass(figures), NOW);
    expect(linesOf(metrics, 'rollcall_nodes{')).toEqual([
      'rollcall_nodes{zone="a",ready="True"} 2',
      'rollcall_nodes{zone="b",ready="Unknown"} 1',
    ]);
    recordPass(metrics, aPass({ ...figures, statuses: figures.statuses.slice(1) }), NOW + 5_000);
    expect(linesOf(metrics, 'rollcall_nodes{')).toEqual(['rollcall_nodes{zone="b",ready="Unknown"} 1']);
    expect(linesOf(metrics, 'rollcall_last_pass')).toEqual([
      'rollcall_last_pass_timestamp_seconds 1700000005',
    ]);
  });

  it('is how long nodes had been silent when they became Unknown', () => {
    const metrics = createHostMetrics();
    recordPass(metrics, aPass({ statuses: [], silencesMs: [41_000, 44_000] }), NOW);
    recordPass(metrics, { outcome: 'skipped', tick: NOW }, NOW);
    expect(linesOf(metrics, 'rollcall_node_silence_before_unknown_seconds')).toEqual(
      expect.arrayContaining([
        'rollcall_node_silence_before_unknown_seconds_bucket{le="40"} 0',
        'rollcall_node_silence_before_unknown_seconds_bucket{le="45"} 2',
        'rollcall_node_silence_before_unknown_seconds_sum 85',
      ]),
    );
  });
});

describe('the pace of a zone', () => {
  it.each([
    ['nobody waits', { waitingCount: 0 }, '0', '0'],
    ['the token is there', { waitingCount: 3 }, '0', '20'],
    ['the token comes in 4 s', { waitingCount: 3, limiter: { rate: 0.1, nextAt: NOW + 4_000 } }, '4', '24'],
    ['nothing may go', { waitingCount: 3, limiter: { rate: 0, nextAt: NOW } }, '+Inf', '+Inf'],
  ])('when %s', async (_, given, next, toEnd) => {
    const metrics = createHostMetrics();
    const control = { zones: async () => [aZone(given)], readPass: async () => undefined };
    await recordZones(metrics, control, NOW);
    expect(linesOf(metrics, 'rollcall_zone_next')).toEqual([
      `rollcall_zone_next_eviction_seconds{zone="a"} ${next}`,
    ]);
    expect(linesOf(metrics, 'rollcall_zone_waiting_line')).toEqual([
      `rollcall_zone_waiting_line_seconds{zone="a"} ${toEnd}`,
    ]);
  });
});

describe('what is stored', () => {
  it('is measured when the page is asked for: due messages, the files and the disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-series-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const state = openSqliteState({ folder, clock });
    await state.queues.send('drain', [{ body: {} }, { body: {}, delaySeconds: 60 }]);
    const metrics = createHostMetrics();
    await createScrape({ clock: { now: () => NOW + 5_000 }, state, folder, metrics })();
    state.close();
    expect(metrics.text()).toContain('\nrollcall_queue_messages{queue="drain"} 1\n');
    expect(metrics.text()).toContain('\nrollcall_queue_oldest_message_seconds{queue="drain"} 5\n');
    expect(metrics.text()).toContain('\nrollcall_queue_messages{queue="scheduler"} 0\n');
    expect(metrics.text()).toContain('\nrollcall_changes_waiting 0\n');
    expect(metrics.text()).toMatch(/\nrollcall_database_bytes\{database="objects"\} [1-9]\d+\n/);
    expect(metrics.text()).toMatch(/\nrollcall_disk_free_bytes [1-9]\d+\n/);
  });

  it('commits are counted by outcome, and timed as groups', () => {
    const metrics = createHostMetrics();
    let now = 0;
    const together = countedCommits(
      () => [{ outcome: 'committed' }, { outcome: 'objectConflict' }],
      metrics,
      () => (now += 3),
    );
    together([]);
    expect(linesOf(metrics, 'rollcall_commits_total{')).toEqual([
      'rollcall_commits_total{outcome="committed"} 1',
      'rollcall_commits_total{outcome="objectConflict"} 1',
    ]);
    expect(linesOf(metrics, 'rollcall_commit_duration_seconds_sum')).toEqual([
      'rollcall_commit_duration_seconds_sum 0.003',
    ]);
  });
});

it('absences and steps of the clock are counted with their length', () => {
  const metrics = createHostMetrics();
  recordAbsence(metrics, 90_000);
  recordStep(metrics, -3_000);
  expect(metrics.text()).toContain('\nrollcall_absent_seconds_total 90\n');
  expect(metrics.text()).toContain('\nrollcall_clock_step_seconds_total{direction="back"} 3\n');
});

it('labels that a metric does not have are refused', () => {
  const metrics = createHostMetrics();
  expect(() => metrics.set('rollcall_nodes', { node: 'n1' }, 1)).toThrow(
    'the metric rollcall_nodes has the labels zone, ready, not node',
  );
});
