import { setTimeout as rest } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { follow } from '../../../../../dashboard/server/live/follow.ts';

const ignored = (): void => undefined;
const never = new Promise<never>(() => undefined);

describe('a collection that is followed', () => {
  it.each(['watch', 'list'])(
    'is read again after a silence, even if its %s hangs and heeds no signal',
    async (which) => {
      let round = new AbortController();
      const ended = new AbortController();
      let lists = 0;
      let whole = 0;
      const api = {
        async *list() {
          lists += 1;
          if (which === 'list' && lists === 1) await never;
          yield { position: '1', items: [] };
        },
        async *watch() {
          yield await never;
        },
      };
      const source = { heard: ignored, round: () => round.signal };
      const told = {
        onReset: ignored,
        onObject: ignored,
        onDeleted: ignored,
        onAnswer: ignored,
        onFailure: ignored,
      };
      const onWhole = (): void => {
        whole += 1;
      };
      const following = follow({ api, source }, '/api/v1/nodes', { ...told, onWhole }, ended.signal);
      await rest(20);
      const [first, wholeAtFirst] = [round, whole];
      round = new AbortController();
      first.abort();
      await expect.poll(() => whole, { timeout: 30_000 }).toBe(wholeAtFirst + 1);
      expect(lists).toBe(2);
      ended.abort();
      await following;
    },
  );
});
