/** A host that crashes and is suspended again and again under a virtual clock, with nodes that live and nodes that die. */
import { createPresence, type Presence } from '../../../../host/beats/presence.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import {
  decideNodeHealth,
  hearingAt,
  type NodeHealthRow,
  unknownAt,
} from '../../../../shared/rules/nodes/node-health.ts';
import { NODE_LIFECYCLE_DEFAULTS as config } from '../../../../shared/settings/node-lifecycle.ts';

const SECOND = 1_000;
const START = 1_700_000_000_000;
const GRACE = config.nodeMonitorGracePeriodMs;
const PERIOD = config.nodeMonitorPeriodMs;

/** How a node beats. Those that retry wait as client-go's lease controller does: 0.2 s, doubled up to 7 s. */
export interface Client {
  readonly intervalMs: number;
  readonly retries: boolean;
  readonly leaseSeconds?: number;
}

/** Lengths of time, ms: `upTo` draws one. */
export interface Crashes {
  readonly count: number;
  readonly upMs: (chance: () => number) => number;
  readonly downMs: (chance: () => number) => number;
  /** The share of absences in which the process is stopped rather than killed. */
  readonly suspensions: number;
}

interface SimulatedNode {
  readonly row: NodeHealthRow;
  readonly client: Client;
  isDead: boolean;
  /** When it dies, if it does. */
  diesAt: EpochMs;
  nextAt: EpochMs;
  failures: number;
  /** The last beat that was answered, lost or not. */
  answeredAt: EpochMs;
  /** The last beat in the memory of the process, and the one in its file. */
  heardAt: EpochMs;
  storedAt: EpochMs;
  /** What was forecast at the last pass. */
  forecast: EpochMs | undefined;
}

/** What was found. */
export interface Findings {
  /** Living nodes that were found silent. */
  readonly wrong: readonly string[];
  /** Dead nodes that were found within their grace period, or later than two beat intervals after it and the return. */
  readonly early: readonly string[];
  readonly late: readonly string[];
  /** Forecasts of the pass before that did not come true. */
  readonly missed: readonly string[];
  readonly found: number;
  /** The longest delay of a dead node, from the later of the end of its grace period and the last return, ms. */
  readonly longestMs: number;
}

const chances = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const JITTER = 0.04;
const NEVER = Number.POSITIVE_INFINITY;

const aNode = (name: string, client: Client): SimulatedNode => ({
  row: {
    name,
    uid: name,
    zone: '',
    ready: 'True',
    createdAt: START,
    excludeDisruption: false,
    clientReady: false,
    noExecute: [],
  },
  client,
  isDead: false,
  diesAt: NEVER,
  nextAt: START,
  failures: 0,
  answeredAt: START,
  heardAt: START,
  storedAt: START,
  forecast: undefined,
});

/** The state in the file of a host, with the beats that a crash loses. */
const createFile = (nodes: readonly SimulatedNode[]) => {
  const { absences } = createMemoryState();
  let aliveAt: EpochMs | undefined;
  let unsavedBefore: EpochMs | undefined;
  const save = (): void => {
    for (const node of nodes) node.storedAt = node.heardAt;
  };
  return {
    absences,
    alive: {
      lastAlive: () => aliveAt,
      keepAlive: (at: EpochMs) => {
        aliveAt = at;
      },
      beatsLostBefore: () => unsavedBefore,
    },
    save,
    /** As ADR 48: a beat waits for at most a second, and the file names the instant before which it may. */
    beat: (node: SimulatedNode, at: EpochMs): void => {
      node.heardAt = at;
      if (at < (unsavedBefore ?? 0)) return;
      save();
      unsavedBefore = at + SECOND;
    },
    crash: (): void => {
      for (const node of nodes) node.heardAt = node.storedAt;
    },
  };
};

/** Lets a host be away so often, and tells what its passes found. */
export const crashAgainAndAgain = async (
  seed: number,
  clients: readonly Client[],
  { count, upMs, downMs, suspensions }: Crashes,
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over one state, whose steps stand in functions
): Promise<Findings> => {
  const chance = chances(seed);
  const nodes = clients.map((client, place) => aNode(`n${place}`, client));
  const file = createFile(nodes);
  const wrong: string[] = [];
  const early: string[] = [];
  const late: string[] = [];
  const missed: string[] = [];
  let [found, longestMs, now] = [0, 0, START];
  const clock = { now: () => now };
  const start = (): Presence => createPresence({ clock, ...file, config, onReturn: () => undefined });

  let presence = start();
  await presence.observe();
  let [isUp, isSuspended, turnAt] = [true, false, now + upMs(chance)];
  let [lookAt, passAt, backAt] = [now + SECOND, now + PERIOD, now];
  let left = count;

  const at = (): string => `${(now - START) / SECOND} s`;
  const live = (node: SimulatedNode): void => {
    node.isDead = false;
    node.diesAt = now + chance() ** 2 * 900 * SECOND;
    node.nextAt = now;
    node.failures = 0;
  };
  nodes.forEach((node, place) => {
    live(node);
    node.nextAt = now + (chance() * node.client.intervalMs) / (place + 1);
  });

  const attempt = (node: SimulatedNode): void => {
    const { client } = node;
    if (isUp) {
      file.beat(node, now);
      node.answeredAt = now;
      node.failures = 0;
      node.forecast = undefined;
      node.nextAt = now + client.intervalMs * (1 + JITTER * chance());
      return;
    }
    // A stopped process answers when it goes on, unless the client gives up before.
    if (isSuspended && turnAt - now < client.intervalMs) {
      node.nextAt = turnAt + 1;
      return;
    }
    const waitMs = isSuspended ? client.intervalMs : 0;
    const pauseMs = client.retries
      ? Math.min(7_000, 200 * 2 ** node.failures)
      : client.intervalMs * (1 + JITTER * chance());
    node.failures = Math.min(10, node.failures + 1);
    node.nextAt = now + waitMs + pauseMs;
  };

  const told = (node: SimulatedNode): string => `${node.row.name} at ${at()}`;
  /** What a pass finds silent. */
  const noteSilent = (node: SimulatedNode): void => {
    if (!node.isDead) wrong.push(told(node));
    if (!node.isDead) return;
    found += 1;
    longestMs = Math.max(longestMs, now - Math.max(node.answeredAt + GRACE, backAt));
    // A lost beat excuses a node only if it followed the stored one soon (ADR 72).
    const isExcused = node.answeredAt - node.heardAt <= 1.5 * Math.max(GRACE / 4, node.client.intervalMs);
    if (isExcused && now <= node.answeredAt + GRACE) early.push(told(node));
  };
  const judge = (node: SimulatedNode): void => {
    const hearing = hearingAt({ clockFloor: 0, absences: file.absences.absences() }, now, config);
    const { leaseSeconds } = node.client;
    const beats = { hasLease: leaseSeconds !== undefined, leaseSeconds, leaseAt: node.heardAt };
    const { action } = decideNodeHealth(node.row, beats, hearing, now, config);
    const intervalMs = Math.max(GRACE / 4, node.client.intervalMs);
    if (action !== 'markUnknown') {
      const dueAt = Math.max(node.answeredAt + GRACE, backAt);
      if (node.isDead && now > dueAt + 2 * intervalMs) late.push(told(node));
      if (node.forecast !== undefined && node.forecast <= now) missed.push(told(node));
      node.forecast = unknownAt(node.row, beats, hearing, now, config);
      return;
    }
    if (node.forecast !== undefined && node.forecast !== now) missed.push(told(node));
    noteSilent(node);
    // It comes back, as a new one, whose first beat is in the file.
    node.answeredAt = now;
    node.heardAt = now;
    file.save();
    node.forecast = undefined;
    live(node);
  };

  const turn = async (): Promise<void> => {
    for (const node of nodes) node.forecast = undefined;
    isUp = !isUp;
    if (!isUp) {
      left -= 1;
      isSuspended = chance() < suspensions;
      if (!isSuspended) file.crash();
      turnAt = now + downMs(chance);
      return;
    }
    if (!isSuspended) presence = start();
    isSuspended = false;
    [backAt, turnAt] = [now, now + upMs(chance)];
    await presence.observe();
    lookAt = now + SECOND;
    passAt = (Math.floor(now / PERIOD) + 1) * PERIOD;
  };

  while (left > 0) {
    const up = isUp ? Math.min(lookAt, passAt) : NEVER;
    let next = Math.min(turnAt, up);
    for (const node of nodes) next = Math.min(next, node.isDead ? NEVER : Math.min(node.nextAt, node.diesAt));
    now = next;
    for (const node of nodes) {
      if (!node.isDead && node.diesAt <= now) node.isDead = true;
      if (!node.isDead && node.nextAt <= now) attempt(node);
    }
    if (isUp && now >= lookAt) {
      await presence.observe();
      file.save();
      lookAt = now + SECOND;
    }
    if (isUp && now >= passAt) {
      await presence.observe();
      for (const node of nodes) judge(node);
      passAt += PERIOD;
    }
    if (now >= turnAt) await turn();
  }
  return { wrong, early, late, missed, found, longestMs };
};
