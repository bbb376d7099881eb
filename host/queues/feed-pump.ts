import type { ChangeFeed, FeedChange, FeedPosition } from '../../shared/ports/store/change-feed.ts';
import type { Doorbell } from '../../shared/serving/machine/doorbell.ts';
import type { Loop } from '../../shared/serving/machine/loop.ts';

/** Changes routed at a time. */
const BATCH = 100;
/** Longest wait (ms) for the doorbell before the feed is read again. */
const IDLE_MS = 1_000;
/** After the doorbell has rung, so that a batch has the changes of several writers: what they need alike is asked for once. */
const GATHER_MS = 5;

export interface FeedPumpDeps {
  readonly feed: ChangeFeed;
  /** Rings after a commit. */
  readonly doorbell: Doorbell;
  readonly route: (changes: readonly FeedChange[]) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  /** Lets other work of the process run. A batch follows the other without it, because SQLite never waits. */
  readonly pause: () => Promise<void>;
}

const gather = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, GATHER_MS));

/**
 * Routes and acknowledges one batch. Resolves to the position of its last change, or to `undefined` if there were no
 * changes.
 */
const handOn = async (
  { feed, route, pause }: FeedPumpDeps,
  after: FeedPosition,
): Promise<FeedPosition | undefined> => {
  await pause();
  const changes = await feed.read(after, BATCH);
  const last = changes.at(-1)?.position;
  if (last === undefined) return undefined;
  await route(changes);
  await feed.acknowledge(last);
  return last;
};

/**
 * Routes every change in order, one batch at a time, and repeats a batch until it succeeds. On AWS a DynamoDB stream does this.
 */
export const startFeedPump = (deps: FeedPumpDeps): Loop => {
  let isStopped = false;
  const turn = async (after: FeedPosition): Promise<FeedPosition> => {
    const next = await handOn(deps, after);
    if (next === undefined) {
      await deps.doorbell.wait(IDLE_MS);
      if (!isStopped) await gather();
    }
    return next ?? after;
  };
  const run = async (): Promise<void> => {
    let after: FeedPosition | undefined;
    while (!isStopped)
      try {
        after = await turn(after ?? (await deps.feed.position()));
      } catch (error) {
        if (!isStopped) deps.onFailure(error);
        await deps.doorbell.wait(IDLE_MS);
      }
  };
  const running = run();
  return {
    stop: () => {
      isStopped = true;
      deps.doorbell.ring();
      return running;
    },
  };
};
