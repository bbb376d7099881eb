// Nodes whose beats are lost, and the passes over them, as the monitor's own functions judge and learn. Without objects, queues and waiting, so that days take seconds.
import { type Judgement, judge, type Viewpoint } from '../../../lambdas/node-monitor/judge/judgement.ts';
import { learn, storeLearned } from '../../../lambdas/node-monitor/learn/learn.ts';
import { createChance } from '../../../shared/adapters/hostile/chance.ts';
import type { LifecyclePolicySpec } from '../../../shared/kube/types/lifecycle-policy.ts';
import type { Learned } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { Heartbeats, NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import { hearingAt } from '../../../shared/rules/nodes/node-health.ts';
import { lifecycleSettings } from '../../../shared/rules/nodes/policy-settings.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../shared/settings/node-lifecycle.ts';

const START = 1_700_000_000_000;
const HOUR = 3_600_000;
const INTERVAL_MS = 10_000;
const JITTER_MS = 1_000;

export interface LossyZone {
  readonly nodes: number;
  /** Whether they are all in one zone; otherwise each is in one of its own. */
  readonly areTogether?: boolean;
  readonly hours: number;
  /** Share of the beats that are lost. */
  readonly loss?: number;
  /** Mean length (ms) of outages of one node, of which it has one an hour. */
  readonly outageMs?: number;
  readonly spec: LifecyclePolicySpec;
  readonly seed: number;
  /** Milliseconds between two passes; absent: five seconds. */
  readonly periodMs?: number;
  /** Whether the first pass finds nodes that were created just then. */
  readonly areYoung?: boolean;
}

/** What one pass has judged. */
export interface JudgedPass {
  readonly now: number;
  readonly judged: readonly Judgement[];
  readonly beats: readonly Heartbeats[];
  readonly view: Viewpoint;
}

export interface LossyFigures {
  /** Living nodes that became Unknown. */
  readonly unknown: number;
  /** Writes of what was learned. */
  readonly writes: number;
  /** Mean of the grace periods by which nodes were judged, ms. */
  readonly graceMs: number;
}

/** A node that beats each 10 s, 1 s sooner or later. */
const createBeating = ({ loss = 0, outageMs = 0 }: LossyZone, seed: number) => {
  const random = createChance(seed);
  const exponential = (mean: number): number => -Math.log(1 - random.next()) * mean;
  let nextAt = START + random.next() * INTERVAL_MS;
  let outage = { from: START + exponential(HOUR), to: 0 };
  outage.to = outage.from + exponential(outageMs);
  const isLost = (at: number): boolean => {
    while (outageMs > 0 && at > outage.to) {
      const from = outage.to + exponential(HOUR);
      outage = { from, to: from + exponential(outageMs) };
    }
    return (outageMs > 0 && at >= outage.from) || random.next() < loss;
  };
  /** The newest beat that has arrived by `now`, after `beatAt`. */
  return (beatAt: number, now: number): number => {
    let newest = beatAt;
    while (nextAt <= now) {
      if (!isLost(nextAt)) newest = nextAt;
      nextAt += INTERVAL_MS + (2 * random.next() - 1) * JITTER_MS;
    }
    return newest;
  };
};

const rowOf = ({ areTogether = false, areYoung = false }: LossyZone, index: number): NodeHealthRow => ({
  name: `n${index}`,
  uid: `u${index}`,
  zone: areTogether ? 'z' : `z${index}`,
  ready: 'True',
  createdAt: areYoung ? START : START - 30 * 24 * HOUR,
  excludeDisruption: false,
  clientReady: false,
  noExecute: [],
});

/** Beats and what was learned, as they are stored. */
const createStored = (zone: LossyZone) => {
  const beats: Heartbeats[] = Array.from({ length: zone.nodes }, () => ({
    hasLease: false,
    plainAt: START - 1,
  }));
  const beating = beats.map((_, index) => createBeating(zone, zone.seed * 1_000 + index));
  let writes = 0;
  return {
    beats,
    writes: () => writes,
    hearUntil: (now: number): void => {
      for (const [index, hear] of beating.entries()) {
        const own = beats[index] as Heartbeats;
        const plainAt = hear(own.plainAt ?? 0, now);
        if (plainAt !== own.plainAt) beats[index] = { ...own, plainAt };
      }
    },
    learn: async ({ node, next }: Learned): Promise<boolean> => {
      const index = Number(node.slice(1));
      beats[index] = { ...(beats[index] as Heartbeats), patience: next };
      writes += 1;
      return true;
    },
  };
};

/** Judges all nodes at `now`, and learns, with what one process keeps. */
const createPasses = ({ spec }: LossyZone, stored: ReturnType<typeof createStored>) => {
  const policy = {
    apiVersion: 'rollcall.dev/v1',
    kind: 'NodeLifecyclePolicy',
    metadata: { name: 'p' },
    spec,
  };
  const settings = lifecycleSettings([policy], CONFIG);
  const [objects, heartbeats, labelsOf] = [{} as ObjectStore, stored, () => undefined];
  return async (now: number, nodes: readonly NodeHealthRow[]): Promise<JudgedPass> => {
    const clock = { now: () => now, sleep: async () => undefined };
    const deps = { objects, clock, heartbeats, config: { writeConcurrency: 16 } };
    const view: Viewpoint = { now, hearing: hearingAt(undefined, now, CONFIG), config: CONFIG, settings };
    const beats = [...stored.beats];
    const heard = {
      nodes,
      beats: (place: number) => beats[place],
      readAt: now,
      cutOff: new Set<string>(),
      labelsOf,
    };
    const lesson = await learn(deps, heard, view);
    const judged = nodes.map((row, place) => judge(row, lesson.beats(place), view, undefined));
    await storeLearned(deps, lesson, now + 1);
    return { now, judged, beats, view };
  };
};

/** Runs the passes, and calls `onPass` after each. */
export const runLossyZone = async (
  zone: LossyZone,
  onPass: (pass: JudgedPass) => void = () => undefined,
): Promise<LossyFigures> => {
  const stored = createStored(zone);
  const passAt = createPasses(zone, stored);
  let rows: readonly NodeHealthRow[] = stored.beats.map((_, index) => rowOf(zone, index));
  let [unknown, graceSum, judgements] = [0, 0, 0];
  for (let now = START; now < START + zone.hours * HOUR; now += zone.periodMs ?? CONFIG.nodeMonitorPeriodMs) {
    stored.hearUntil(now);
    const pass = await passAt(now, rows);
    onPass(pass);
    for (const [index, { health, patienceEndsAt }] of pass.judged.entries()) {
      if (health.action === 'markUnknown') unknown += 1;
      graceSum += patienceEndsAt - (pass.beats[index]?.plainAt ?? 0);
    }
    judgements += rows.length;
    rows = pass.judged.map(({ row, ready = 'Unknown' }) => (ready === row.ready ? row : { ...row, ready }));
  }
  return { unknown, writes: stored.writes(), graceMs: graceSum / judgements };
};
