import { describe, expect, it } from 'vitest';
import type { SiteBatch, SitePart } from '../../../relay/batches.ts';
import { createSender, type SenderDeps } from '../../../relay/sender.ts';

const TICK_MS = 200;
const RECEIPT = Buffer.from('{}');

/** A relay with so many parts, whose API takes `answerMs` for each batch. */
const aSender = (parts: number, answerMs: number) => {
  let now = 0;
  let most = 0;
  const sent = Array.from({ length: parts }, () => 0);
  const answers: { readonly at: number; readonly give: () => void }[] = [];
  const numbered = sent.map((_, number): SitePart => ({ number, sequence: 0, acceptedAt: 0 }));
  const site = {
    parts: () => numbered,
    waiting: () => new Set<number>(),
    intervalMs: () => 10_000,
    receive: () => undefined,
    batch: ({ number }: SitePart) =>
      ({ at: now, enrolled: [], body: { part: number } }) as unknown as SiteBatch,
  } as unknown as SenderDeps['site'];
  const upstream = {
    send: ({ body }: { readonly body: Buffer }) =>
      new Promise((resolve) => {
        const { part } = JSON.parse(body.toString()) as { readonly part: number };
        sent[part] = (sent[part] ?? 0) + 1;
        answers.push({
          at: now + answerMs,
          give: () => resolve({ status: 200, headers: {}, body: RECEIPT }),
        });
        most = Math.max(most, answers.length);
      }),
  } as unknown as SenderDeps['upstream'];
  const sender = createSender({
    site,
    upstream,
    token: () => 't',
    now: () => now,
    hostLog: { warn: () => undefined },
  });
  const run = async (ms: number): Promise<void> => {
    for (const end = now + ms; now < end; now += TICK_MS) {
      void sender.tick();
      while (answers[0] && answers[0].at <= now) answers.shift()?.give();
      await new Promise(setImmediate);
    }
  };
  return { run, sent, most: () => most };
};

describe('the batches of a relay', () => {
  it('of all parts have their turns, however slow the answers are: whoever has waited longest goes first', async () => {
    const { run, sent } = aSender(40, 2_000);
    await run(200_000);
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(Math.max(...sent) - 1);
    expect(Math.max(...sent)).toBeGreaterThan(5);
  });

  it.each([
    [10, 4],
    [200, 20],
    [1_000, 100],
  ])('of %i parts are at most %i at a time', async (parts, most) => {
    const sender = aSender(parts, 5_000);
    await sender.run(20_000);
    expect(sender.most()).toBe(most);
  });

  it('of 400 parts keep their pace while an answer takes most of a second', async () => {
    const { run, sent } = aSender(400, 700);
    await run(101_000);
    expect(Math.min(...sent)).toBeGreaterThanOrEqual(9);
  });
});
