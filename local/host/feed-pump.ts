import type { ChangeFeed, FeedChange, FeedPosition } from '../../shared/ports/change-feed.ts';
import type { Doorbell } from '../serving/doorbell.ts';
import type { Loop } from '../serving/loop.ts';

/** Changes handed over at a time. */
const BATCH = 100;
/** Milliseconds between two looks where nobody rings. */
const IDLE_MS = 1_000;

export interface FeedPumpDeps {
  readonly feed: ChangeFeed;
  /** Rings after a commit. */
  readonly doorbell: Doorbell;
  readonly route: (changes: readonly FeedChange[]) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** Hands on one batch; `undefined`: there was none. */
const handOn = async (
  { feed, route }: FeedPumpDeps,
  after: FeedPosition,
): Promise<FeedPosition | undefined> => {
  const changes = await feed.read(after, BATCH);
  const last = changes.at(-1)?.position;
  if (last === undefined) return undefined;
  await route(changes);
  await feed.acknowledge(last);
  return last;
};

/** Every change in order, one batch at a time, the same batch until it succeeds: what a stream does on AWS. */
export const startFeedPump = (deps: FeedPumpDeps): Loop => {
  let isStopped = false;
  const turn = async (after: FeedPosition): Promise<FeedPosition> => {
    const next = await handOn(deps, after);
    if (next === undefined) await deps.doorbell.wait(IDLE_MS);
    return next ?? after;
  };
  const run = async (): Promise<void> => {
    let after: FeedPosition | undefined;
    while (!isStopped)
      try {
        after = await turn(after ?? (await deps.feed.position()));
      } catch (error) {
        deps.onFailure(error);
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
