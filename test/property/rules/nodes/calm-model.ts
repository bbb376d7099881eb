// A node monitor over a small fleet, with and without the passes that can find nothing. Its passes take no time.
import { passInstant } from '../../../../lambdas/node-monitor/ticks.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import { optional } from '../../../../shared/kube/values/optional.ts';
import {
  type CalmNode,
  type calmUntil,
  type isCalm,
  type NodesCounter,
  nodesCounter,
  type StoredCalm,
} from '../../../../shared/rules/nodes/calm.ts';
import {
  decideNodeHealth,
  type NodeHealthRow,
  patienceEndsAt,
  readyAfter,
  watchFrom,
} from '../../../../shared/rules/nodes/node-health.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';
import type { Change, Delivery, ModelNode, World } from './calm-worlds.ts';

const PERIOD = CONFIG.nodeMonitorPeriodMs;
const LEASE = 10_000;
const HEARING = { clockFloor: 0, absences: [], intervalMs: 10_000 };

/** When a pass first decided each thing: by node and state, one instant for each time. */
export type Decisions = ReadonlyMap<string, readonly number[]>;

/** Which passes are left out. */
export interface CalmRule {
  readonly until: typeof calmUntil;
  readonly isCalm: typeof isCalm;
}

interface Pass extends StoredCalm, Partial<NodesCounter> {
  readonly lastTick: number;
  readonly leaseUntil: number;
}

/** What a pass has written over a change. */
interface Written {
  readonly over: Change;
  readonly ready: ConditionStatus | undefined;
}

interface Found {
  readonly state: string;
  /** Absent: the Node is not there. */
  readonly node?: CalmNode;
  readonly written?: Written;
}

const rowOf = (node: ModelNode, last: Change, written: Written | undefined): NodeHealthRow => {
  const posted = last.becomes === 'True' || last.becomes === 'False' ? last.becomes : undefined;
  return {
    name: 'n',
    uid: 'u',
    zone: '',
    createdAt: (node.changes[0]?.at ?? 0) - (node.adaptive?.ageMs ?? 0),
    excludeDisruption: false,
    clientReady: last !== node.changes[0],
    noExecute: [],
    ...optional('ready', written?.over === last ? written.ready : posted),
  };
};

/** What a pass at `now` makes of a node; `undefined`: nobody has seen it yet. */
const judge = (node: ModelNode, written: Written | undefined, now: number): Found | undefined => {
  const last = node.changes.findLast(({ seenAt }) => seenAt <= now);
  if (!last || last.becomes === 'gone') return last && { state: 'gone' };
  const row = rowOf(node, last, written);
  const beatAt = node.beats.findLast((at) => at <= now && at >= (node.changes[0]?.at ?? 0));
  const { adaptive: adaptiveGrace } = node;
  const own = { ...CONFIG, ...optional('adaptiveGrace', adaptiveGrace) };
  const patience = adaptiveGrace?.patience;
  const beats = { plainAt: beatAt, statusAt: beatAt, hasLease: false, patience };
  const health = decideNodeHealth(row, beats, HEARING, now, own);
  const ready = readyAfter(row, health);
  const endsAt = patienceEndsAt(row, beats, HEARING, now, own);
  const watch = optional('watchFrom', watchFrom(row, beats, HEARING, now, own));
  const action = ready === 'True' || ready === undefined ? 'none' : 'queue';
  return {
    state: ready ?? 'new',
    node: { row, ready, noExecute: { action }, patienceEndsAt: endsAt, ...watch },
    ...(health.action === 'none' ? {} : { written: { over: last, ready } }),
  };
};

/** What the passes over a world have written and told. */
const createFleet = ({ nodes }: World) => {
  let writes = 0;
  const own = new Map<ModelNode, Written>();
  const told = new Map<ModelNode, string>();
  const decisions = new Map<string, number[]>();
  const tell = (node: ModelNode, state: string, now: number): void => {
    if (told.get(node) === state) return;
    told.set(node, state);
    const key = `${nodes.indexOf(node)} ${state}`;
    decisions.set(key, [...(decisions.get(key) ?? []), now]);
  };
  const judgeOne = (node: ModelNode, now: number): readonly CalmNode[] => {
    const found = judge(node, own.get(node), now);
    if (found) tell(node, found.state, now);
    if (found?.written) {
      own.set(node, found.written);
      writes += 1;
    }
    return found?.node ? [found.node] : [];
  };
  return {
    decisions,
    counter: (now: number): number =>
      writes + nodes.flatMap(({ changes }) => changes).filter(({ at }) => at <= now).length,
    judgeAll: (now: number): readonly CalmNode[] => nodes.flatMap((node) => judgeOne(node, now)),
  };
};

/** A tick that comes, or the pass that it begins with the counter that it has read. */
interface Due extends Delivery {
  readonly at: number;
  readonly counter?: number;
}

/** Runs a world. `rule`: which passes are left out; absent: none. */
export const runWorld = (world: World, rule?: CalmRule): Decisions => {
  const fleet = createFleet(world);
  const agenda: Due[] = world.deliveries.map((one) => ({ ...one, at: one.comesAt }));
  let pass: Pass = { lastTick: 0, leaseUntil: 0 };
  const begin = ({ tick, crashes, at: now }: Due, counter: number): void => {
    if (tick <= pass.lastTick || pass.leaseUntil > now) return;
    pass = { ...pass, lastTick: tick, leaseUntil: now + LEASE };
    if (crashes) return;
    const seen = nodesCounter(pass, counter, now);
    const nodes = fleet.judgeAll(now);
    const none = { zones: [], relaysSilentAt: [], dependsOnTime: false };
    const facts = { now, ...seen, nodes, isComplete: true, isInTime: true, ...none };
    const calm = rule ? { ...seen, calmUntil: rule.until(facts, CONFIG) } : {};
    pass = { ...pass, leaseUntil: now, completedNodes: nodes.length, ...calm };
  };
  const come = (due: Due): void => {
    const { at: now } = due;
    const tick = passInstant(due.tick, now, PERIOD);
    const at = Math.max(tick, now);
    const counter = fleet.counter(now);
    if (!rule?.isCalm(pass, counter, at, now)) agenda.push({ ...due, tick, at, counter });
  };
  for (;;) {
    agenda.sort((a, b) => a.at - b.at);
    const due = agenda.shift();
    if (!due) return fleet.decisions;
    if (due.counter === undefined) come(due);
    else begin(due, due.counter);
  }
};
