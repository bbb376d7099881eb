/** Asks nodes what they use. Whoever asks within 15 s of another gets the same answers. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeFetch, NodeToAsk } from '../../ports/outside/node-fetch.ts';
import type { Told } from '../../rules/metrics/metric-objects.ts';
import { nodeUsageIn } from '../../rules/metrics/node-usage.ts';

/** What asking nodes needs. */
export interface NodeUsagesDeps {
  readonly fetch: NodeFetch;
  readonly clock: { now(): EpochMs };
  /** Aborts after `ms` milliseconds, and keeps no process alive. */
  readonly timeout?: (ms: number) => AbortSignal;
}

/** The answers of nodes. */
export interface NodeUsages {
  /** What these nodes use, by name. Nodes that do not answer, and those that were not asked in time, are absent. Never rejects. */
  of(nodes: readonly NodeToAsk[], gone?: AbortSignal): Promise<ReadonlyMap<string, Told>>;
}

/** Source: metrics-server v0.8 `--metric-resolution` in its manifests. */
const NEW_MS = 15_000;
const NODES_AT_ONCE = 64;
const MOST_WAIT_OF_NODE_MS = 5_000;
/** A client waits for no longer; what comes later counts for those who ask next. */
const MOST_WAIT_MS = 30_000;
/** What a node is asked for. */
export const USAGE_TARGET = '/stats/summary?only_cpu_and_memory=true';

interface Asked {
  /** When it has answered, or not; infinite until then. */
  at: EpochMs;
  /** `undefined`: it has not answered. */
  readonly told: Promise<Told | undefined>;
}

const parsed = (body: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(body)) as unknown;

const ask = async (node: NodeToAsk, { fetch, clock, timeout }: Required<NodeUsagesDeps>) => {
  const { status, body } = await fetch(node, USAGE_TARGET, timeout(MOST_WAIT_OF_NODE_MS));
  const usage = status === 200 ? nodeUsageIn(parsed(body)) : undefined;
  return usage && { usage, at: clock.now() };
};

/** Resolves when one of the signals aborts. */
const aborted = async (signals: readonly AbortSignal[]): Promise<void> => {
  const any = AbortSignal.any([...signals]);
  if (any.aborted) return;
  await new Promise<void>((resolve) => any.addEventListener('abort', () => resolve(), { once: true }));
};

const forgetOld = (asked: Map<string, Asked>, now: EpochMs): void => {
  for (const [uid, { at }] of asked) if (now - at >= NEW_MS) asked.delete(uid);
};

/** Runs the work that it is given, at most `most` at a time, in the order in which it came. */
const atMost = (most: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let free = most;
  const enter = async (): Promise<void> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const leave = (): void => {
    const next = waiting.shift();
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

/** Asks by `fetch`, and remembers answers for 15 s. */
export const createNodeUsages = (given: NodeUsagesDeps): NodeUsages => {
  const deps = { timeout: AbortSignal.timeout, ...given };
  const { clock, timeout } = deps;
  const asked = new Map<string, Asked>();
  const limited = atMost(NODES_AT_ONCE);

  const begin = (node: NodeToAsk): Asked => {
    const askedAt = clock.now();
    // Nobody waits any more for a node whose turn comes too late.
    const inTime = async () => (clock.now() - askedAt < MOST_WAIT_MS ? ask(node, deps) : undefined);
    const answered = limited(inTime).catch(() => undefined);
    const one: Asked = { at: Infinity, told: answered };
    asked.set(node.uid, one);
    void answered.then(() => {
      one.at = clock.now();
    });
    return one;
  };

  /** The answers of a large fleet take memory. */
  const forgetLater = (): void =>
    timeout(2 * NEW_MS).addEventListener('abort', () => forgetOld(asked, clock.now()), { once: true });

  return {
    of: async (nodes, gone) => {
      forgetOld(asked, clock.now());
      const found = new Map<string, Told>();
      const answers = nodes.map(async (node) => {
        const told = await (asked.get(node.uid) ?? begin(node)).told;
        if (told) found.set(node.name, told);
      });
      const ends = [timeout(MOST_WAIT_MS), ...(gone ? [gone] : [])];
      await Promise.race([Promise.all(answers), aborted(ends)]);
      forgetLater();
      return new Map(found);
    },
  };
};
