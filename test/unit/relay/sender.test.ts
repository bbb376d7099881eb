import { describe, expect, it } from 'vitest';
import type { SiteBatch, SitePart } from '../../../relay/batches.ts';
import { createSender, type SenderDeps } from '../../../relay/sender.ts';

const TICK_MS = 200;

interface Sent {
  readonly part: number;
  readonly parts?: readonly { readonly part: number }[];
}

/** A relay with so many parts, whose API takes `answerMs` for each batch. */
const aSender = (
  parts: number,
  answerMs: number,
  batchVersions: readonly number[] = [1],
  thin?: { readonly mostBytes: number },
) => {
  let now = 0;
  let most = 0;
  let requests = 0;
  const sent = Array.from({ length: parts }, () => 0);
  const answers: { readonly at: number; readonly give: () => void }[] = [];
  const numbered = sent.map((_, number): SitePart => ({ number, sequence: 0, acceptedAt: 0 }));
  const site = {
    parts: () => numbered,
    waiting: () => new Set<number>(),
    intervalMs: () => 10_000,
    receive: () => undefined,
    batch: ({ number }: SitePart) =>
      ({
        at: now,
        enrolled: [],
        body: { part: number, filler: thin ? 'x'.repeat(10_000) : '' },
      }) as unknown as SiteBatch,
  } as unknown as SenderDeps['site'];
  const upstream = {
    send: ({ body }: { readonly body: Buffer }) =>
      new Promise((resolve, reject) => {
        if (thin && body.byteLength > thin.mostBytes) {
          answers.push({ at: now + answerMs, give: () => reject(new Error('no answer in time')) });
          return;
        }
        const { part, parts: together = [{ part }] } = JSON.parse(body.toString()) as Sent;
        for (const one of together) sent[one.part] = (sent[one.part] ?? 0) + 1;
        requests += 1;
        const receipt = { batchVersions, parts: together.map((one) => ({ ...one, code: 200 })) };
        answers.push({
          at: now + answerMs,
          give: () => resolve({ status: 200, headers: {}, body: Buffer.from(JSON.stringify(receipt)) }),
        });
        most = Math.max(most, answers.length);
      }),
  } as unknown as SenderDeps['upstream'];
  const sender = createSender({
    relay: 'site',
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
  return { run, sent, most: () => most, requests: () => requests };
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

  it('of 400 parts that began one after the other go together as soon as the API takes them so (J-328)', async () => {
    const { run, sent, requests } = aSender(400, 700, [1, 2]);
    await run(40_000);
    const [before, batches] = [requests(), sent.reduce((sum, count) => sum + count, 0)];
    await run(100_000);
    expect(requests() - before).toBeLessThanOrEqual(4 * 10 + 4);
    expect(sent.reduce((sum, count) => sum + count, 0) - batches).toBeGreaterThanOrEqual(400 * 9);
    expect(Math.max(...sent) - Math.min(...sent)).toBeLessThanOrEqual(2);
  });

  it('of a line that is too thin for all of them are told in smaller requests (J-329)', async () => {
    const { run, sent } = aSender(26, 1_000, [1, 2], { mostBytes: 100_000 });
    await run(60_000);
    const before = [...sent];
    await run(100_000);
    expect(Math.min(...sent.map((count, part) => count - (before[part] ?? 0)))).toBeGreaterThanOrEqual(5);
  });
});
