import { describe, expect, it } from 'vitest';
import { createForecasts, MOST_ASKED } from '../../../../../dashboard/server/live/forecasts.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const late = (node: string, beatAt = NOW - 20_000) => ({ node, beatAt });
const health = (next?: object) => ({ answers: [{ question: 'taint' }, { question: 'health', next }] });
const NEXT = { verdict: 'Unknown', time: '2026-03-01T12:00:21Z', withinSeconds: 5 };

/** An API that answers when the test says so. */
const setUp = () => {
  let now = NOW;
  const asked: { readonly path: string; readonly answer: (status: number, body: object) => void }[] = [];
  const api = {
    get: (path: string) =>
      new Promise<{ status: number; text: string }>((resolve) => {
        asked.push({ path, answer: (status, body) => resolve({ status, text: JSON.stringify(body) }) });
      }),
  };
  const forecasts = createForecasts(api, () => now);
  const answerAll = async (body: object, status = 200): Promise<void> => {
    for (const one of asked.splice(0)) one.answer(status, body);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { forecasts, asked, answerAll, pass };
};

describe('forecasts of late nodes', () => {
  it('are the passes that the control plane names, and asked for while a node is late', async () => {
    const { forecasts, asked, answerAll, pass } = setUp();
    forecasts.look([]);
    expect(asked).toEqual([]);
    forecasts.look([late('n 1')]);
    expect(asked.map(({ path }) => path)).toEqual(['/api/v1/nodes/n%201/explain']);
    const before = forecasts.version();
    await answerAll(health(NEXT));
    const at = Date.parse('2026-03-01T12:00:25Z');
    expect(forecasts.all()).toEqual([{ node: 'n 1', beatAt: NOW - 20_000, at }]);
    expect(forecasts.version()).not.toBe(before);
    forecasts.look([late('n 1')]);
    expect(asked).toEqual([]);
    pass(5_000);
    forecasts.look([late('n 1')]);
    expect(asked).toHaveLength(1);
    await answerAll(health({ ...NEXT, time: '2026-03-01T12:00:31Z' }));
    expect(forecasts.all()[0]?.at).toBe(at + 10_000);
  });

  it.each<[string, object, number, readonly object[]]>([
    [
      'has no instant where the zone paces',
      health({ ...NEXT, withinSeconds: undefined }),
      200,
      [{ node: 'n1', beatAt: NOW - 20_000 }],
    ],
    ['is not known if the node does not become Unknown', health(), 200, []],
    ['is not known if the viewer may not read explanations', { message: 'forbidden' }, 403, []],
  ])('one %s', async (_, body, status, wanted) => {
    const { forecasts, answerAll } = setUp();
    forecasts.look([late('n1')]);
    await answerAll(body, status);
    expect(forecasts.all()).toEqual(wanted);
  });

  it('are forgotten with the beat from which they follow', async () => {
    const { forecasts, asked, answerAll } = setUp();
    forecasts.look([late('n1')]);
    await answerAll(health(NEXT));
    forecasts.look([late('n1', NOW)]);
    expect(forecasts.all()).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  it('are asked for four at a time, and for the first nodes of an outage only', async () => {
    const { forecasts, asked, answerAll } = setUp();
    const all = Array.from({ length: 1_000 }, (_, index) => late(`n${index}`));
    let count = 0;
    for (let look = 0; look < 100; look += 1) {
      forecasts.look(all);
      expect(asked.length).toBeLessThanOrEqual(4);
      count += asked.length;
      await answerAll(health(NEXT));
    }
    expect([count, forecasts.all().length]).toEqual([MOST_ASKED, MOST_ASKED]);
  });
});
