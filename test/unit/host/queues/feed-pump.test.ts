import { describe, expect, it } from 'vitest';
import { createTurns } from '../../../../host/folder/turns.ts';
import { startFeedPump } from '../../../../host/queues/feed-pump.ts';
import { createDoorbell } from '../../../../shared/serving/machine/doorbell.ts';

const BATCHES = 50;
/** Milliseconds of work for one batch, on a clock that only work moves. */
const BATCH_MS = 6;

describe('the pump of the change feed', () => {
  it('lets other events run between batches, however many there are', async () => {
    let now = 0;
    let routed = 0;
    let inOneTurn = 0;
    let most = 0;
    const ended = Promise.withResolvers<void>();
    const eachTurn = (): void => {
      inOneTurn = 0;
      if (routed < BATCHES) setImmediate(eachTurn);
    };
    setImmediate(eachTurn);
    const pump = startFeedPump({
      feed: {
        // What has changed does not matter here.
        read: async (after) => (after < BATCHES ? [{ position: after + 1 }] : []),
        position: async () => 0,
        acknowledge: async () => undefined,
      },
      doorbell: createDoorbell(),
      route: async () => {
        now += BATCH_MS;
        routed += 1;
        inOneTurn += 1;
        most = Math.max(most, inOneTurn);
        if (routed === BATCHES) ended.resolve();
      },
      onFailure: ended.reject,
      pause: createTurns({ now: () => now }).pause,
    });
    await ended.promise;
    await pump.stop();
    expect(routed).toBe(BATCHES);
    expect(most).toBeLessThanOrEqual(4);
  });
});
