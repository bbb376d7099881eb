import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { follow } from '../../../../../dashboard/server/live/follow.ts';

const ignored = (): void => undefined;

describe('a collection that cannot be read', () => {
  it('is asked for soon after a silence, however long the retries took before', async () => {
    const rests: number[] = [];
    const rest = (ms: number): Promise<void> => {
      rests.push(ms);
      return setImmediate();
    };
    let round = new AbortController();
    const ended = new AbortController();
    const api = {
      list: () => {
        throw new Error('no answer');
      },
      watch: () => {
        throw new Error('is not reached');
      },
    };
    const told = {
      onReset: ignored,
      onObject: ignored,
      onDeleted: ignored,
      onWhole: ignored,
      onAnswer: ignored,
      onFailure: ignored,
    };
    const source = { heard: ignored, round: () => round.signal };
    const following = follow({ api, source, rest }, '/api/v1/nodes', told, ended.signal);
    while (rests.length < 8) await setImmediate();
    const [last = 0, first = 0] = [rests.at(-1), rests[0]];
    expect(last).toBeGreaterThan(4 * first);
    const before = round;
    round = new AbortController();
    before.abort();
    rests.length = 0;
    while (rests.length < 2) await setImmediate();
    ended.abort();
    await following;
    expect(Math.min(...rests.slice(0, 2))).toBeLessThanOrEqual(first * 2);
  });
});
