/** Asks one node what it uses, when its turn comes. */
import { setImmediate as turn } from 'node:timers/promises';
import { AnswerTooLarge } from '../../kube/json/bounded-answer.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeFetch, NodeToAsk } from '../../ports/outside/node-fetch.ts';
import type { Told } from '../../rules/metrics/metric-objects.ts';
import { readSummary } from './read-summary.ts';

/** What asking nodes needs. */
export interface NodeUsagesDeps {
  readonly fetch: NodeFetch;
  readonly clock: { now(): EpochMs };
  /** Aborts after `ms` milliseconds, and keeps no process alive. */
  readonly timeout?: (ms: number) => AbortSignal;
  /** Called for a node whose answer was too large, and why; it is asked again after five minutes. */
  readonly onTooLarge?: ((node: NodeToAsk, why: string) => void) | undefined;
  /** Lets other work have a turn. */
  readonly pause?: () => Promise<unknown>;
}

/** A question to a node. */
export interface Asked {
  /** Until when its outcome counts, whatever it is; infinite until it is there. */
  until: EpochMs;
  /** Whether the node did not answer properly when it was asked last. */
  readonly isDoubtful: boolean;
  /** `undefined`: the node has not answered. */
  readonly told: Promise<Told | undefined>;
}

interface Outcome {
  readonly told?: Told | undefined;
  /** For how long it counts, in milliseconds. */
  readonly ms: number;
}

/** For how long an answer counts. Source: metrics-server v0.8 `--metric-resolution` in its manifests. */
export const NEW_MS = 15_000;
/** A client waits for no longer; what comes later counts for those who ask next. */
export const MOST_WAIT_MS = 30_000;
/** What a node is asked for. */
export const USAGE_TARGET = '/stats/summary?only_cpu_and_memory=true';
/** A node whose answer was too large is left alone for longer. */
const TOO_LARGE_MS = 5 * 60_000;
const NODES_AT_ONCE = 64;
/** Of those that did not answer properly when they were asked last: they take no places of the others. */
const DOUBTFUL_AT_ONCE = 16;
const MOST_WAIT_OF_NODE_MS = 5_000;

/** Runs the work that it is given, at most `most` at a time, in the order in which it came. */
const atMost = (most: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  // Two stacks are a queue: to take the first of an array of 100,000 would move all others.
  let [came, goes]: [(() => void)[], (() => void)[]] = [[], []];
  let free = most;
  const nextWaiting = (): (() => void) | undefined => {
    if (goes.length === 0) [came, goes] = [[], came.reverse()];
    return goes.pop();
  };
  const enter = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => void came.push(resolve));
  };
  const leave = (): void => {
    const next = nextWaiting();
    if (next) next();
    else free += 1;
  };
  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
};

/** More are not remembered: those of longest ago count as good again. */
const MOST_REMEMBERED = 10_000;

/** The nodes that did not answer properly when they were asked last, by uid. */
interface Doubts {
  has(uid: string): boolean;
  /** What the last answer was worth. */
  settle(uid: string, isGood: boolean): void;
}

const createDoubts = (): Doubts => {
  const uids = new Set<string>();
  return {
    has: (uid) => uids.has(uid),
    settle: (uid, isGood) => {
      uids.delete(uid);
      if (!isGood) uids.add(uid);
      const [oldest] = uids;
      if (uids.size > MOST_REMEMBERED && oldest !== undefined) uids.delete(oldest);
    },
  };
};

/** Parses one answer at a time: several that arrive together would keep other work waiting. */
const createReader = (pause: () => Promise<unknown>) => {
  const oneByOne = atMost(1);
  return (body: Uint8Array) =>
    oneByOne(async () => {
      await pause();
      return readSummary(body, pause);
    });
};

const createAsk = ({ fetch, clock, timeout = AbortSignal.timeout, pause = () => turn() }: NodeUsagesDeps) => {
  const read = createReader(pause);
  return async (node: NodeToAsk): Promise<Told | undefined> => {
    const { status, body } = await fetch(node, USAGE_TARGET, timeout(MOST_WAIT_OF_NODE_MS));
    const usage = status === 200 ? await read(body) : undefined;
    return usage && { usage, at: clock.now() };
  };
};

/** Asks, and remembers whether the node can be relied on. Never rejects. */
const outcomeOf = async (
  node: NodeToAsk,
  ask: (node: NodeToAsk) => Promise<Told | undefined>,
  doubts: Doubts,
  { onTooLarge }: Pick<NodeUsagesDeps, 'onTooLarge'>,
): Promise<Outcome> => {
  try {
    const told = await ask(node);
    doubts.settle(node.uid, told !== undefined);
    return { ms: NEW_MS, told };
  } catch (error) {
    doubts.settle(node.uid, false);
    if (!(error instanceof AnswerTooLarge)) return { ms: NEW_MS };
    onTooLarge?.(node, error.message);
    return { ms: TOO_LARGE_MS };
  }
};

/** Begins to ask nodes: 64 at a time, and 16 more of those that did not answer properly last time. */
export const createAsking = (deps: NodeUsagesDeps): ((node: NodeToAsk) => Asked) => {
  const { clock } = deps;
  const [ask, doubts] = [createAsk(deps), createDoubts()];
  const [usual, doubtful] = [atMost(NODES_AT_ONCE), atMost(DOUBTFUL_AT_ONCE)];
  return (node) => {
    const askedAt = clock.now();
    const isDoubtful = doubts.has(node.uid);
    // Nobody waits any more for a node whose turn comes too late.
    const inTime = async (): Promise<Outcome> =>
      clock.now() - askedAt < MOST_WAIT_MS ? outcomeOf(node, ask, doubts, deps) : { ms: NEW_MS };
    const outcome = (isDoubtful ? doubtful : usual)(inTime);
    const asked: Asked = { until: Infinity, isDoubtful, told: outcome.then(({ told }) => told) };
    void outcome.then(({ ms }) => {
      asked.until = clock.now() + ms;
    });
    return asked;
  };
};
