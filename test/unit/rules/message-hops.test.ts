import { describe, expect, it } from 'vitest';
import {
  chainText,
  excessHops,
  type MessageChain,
  nextHop,
  readChain,
  slowedDelay,
} from '../../../shared/rules/message-hops.ts';

const NOW = 1_800_000_000_000;
const AGO = (seconds: number): number => NOW - seconds * 1000;

describe('the attribute of a message (A-31)', () => {
  it.each<[string, string | undefined, MessageChain]>([
    ['has hops and start', `7.${AGO(5).toString(36)}`, { hops: 7, startAt: AGO(5) }],
    ['is missing in messages of rules, and of the release before', undefined, { hops: 1, startAt: NOW }],
    ['is not empty', '', { hops: 1, startAt: NOW }],
    ['has both parts', '7', { hops: 1, startAt: NOW }],
    ['has two parts', '7.abc.def', { hops: 1, startAt: NOW }],
    ['has no sign', '-7.abc', { hops: 1, startAt: NOW }],
    ['has whole hops', '1e3.abc', { hops: 1, startAt: NOW }],
    ['has no capitals', '7.ABC', { hops: 1, startAt: NOW }],
    ['has no number beyond a billion', '99999999999999999999.abc', { hops: 1, startAt: NOW }],
    ['has no start beyond what a date can be', '7.zzzzzzzzzzzzzzzz', { hops: 1, startAt: NOW }],
    ['counts itself', '0.0', { hops: 1, startAt: 0 }],
  ])('%s', (_name, text, chain) => expect(readChain(text, NOW)).toEqual(chain));

  it('is read as it was written', () => {
    for (const chain of [
      { hops: 1, startAt: 0 },
      { hops: 64, startAt: NOW },
      { hops: 999_999_999, startAt: 8.64e13 },
    ])
      expect(readChain(chainText(chain), NOW)).toEqual(chain);
  });
});

describe('nextHop (A-32)', () => {
  it.each<[string, MessageChain | undefined, MessageChain]>([
    ['a message outside of a handling starts a chain', undefined, { hops: 1, startAt: NOW }],
    ['a message of a handling adds one', { hops: 9, startAt: AGO(3) }, { hops: 10, startAt: AGO(3) }],
    [
      'a chain that was slow has saved nothing',
      { hops: 9, startAt: AGO(86_400) },
      { hops: 10, startAt: AGO(9) },
    ],
    ['nor has one that is told to be as old as time', { hops: 1, startAt: 0 }, { hops: 2, startAt: AGO(1) }],
    [
      'a start ahead of the clock is not believed',
      { hops: 9, startAt: AGO(-3600) },
      { hops: 10, startAt: NOW },
    ],
    [
      'and slows no chain that was not too fast',
      { hops: 164, startAt: AGO(-3600) },
      { hops: 165, startAt: AGO(101) },
    ],
    ['the number has an end', { hops: 999_999_999, startAt: AGO(1) }, { hops: 999_999_999, startAt: AGO(1) }],
  ])('%s', (_name, chain, next) => expect(nextHop(chain, NOW)).toEqual(next));
});

describe('slowedDelay (A-33)', () => {
  it.each<[string, MessageChain, number, number]>([
    ['a first message waits as asked', { hops: 1, startAt: NOW }, 0, 0],
    ['so does one just within what is free', { hops: 64, startAt: NOW }, 7, 7],
    ['the next one waits a second', { hops: 65, startAt: NOW }, 0, 1],
    ['or as asked, if that is more', { hops: 65, startAt: NOW }, 30, 30],
    ['parts of seconds count as whole ones', { hops: 65, startAt: AGO(0.5) }, 0, 1],
    ['each second since the start gives one hop', { hops: 65, startAt: AGO(1) }, 0, 0],
    ['a wake-up of a deadline is not earlier than asked', { hops: 500, startAt: NOW }, 900, 900],
    ['no message waits longer than a queue can', { hops: 999_999_999, startAt: NOW }, 0, 900],
    ['a fraction that a caller asks for stays', { hops: 3, startAt: NOW }, 1.5, 1.5],
  ])('%s', (_name, chain, asked, seconds) => expect(slowedDelay(chain, NOW, asked)).toBe(seconds));
});

/** The chain after each send of a loop that takes `handlingMs` to handle a message, and how long each message waits. */
const loop = (hops: number, handlingMs: number, pauseSeconds = 0, startAt = NOW) => {
  const steps: { readonly at: number; readonly chain: MessageChain; readonly delay: number }[] = [];
  let [now, chain]: [number, MessageChain | undefined] = [startAt, undefined];
  for (let step = 0; step < hops; step += 1) {
    const next = nextHop(chain, now);
    const delay = slowedDelay(next, now, pauseSeconds);
    steps.push({ at: now, chain: next, delay });
    chain = readChain(chainText(next), now);
    now += delay * 1000 + handlingMs;
  }
  return steps;
};

const hopsBefore = (steps: ReturnType<typeof loop>, seconds: number): number =>
  steps.filter(({ at }) => at < NOW + seconds * 1000).length;

describe('a chain (A-32, A-33)', () => {
  it.each([1, 2, 10, 900])('of one hop in %i s is never slowed, however long', (seconds) => {
    const steps = loop(20_000, 0, seconds);
    expect(steps.every(({ delay }) => delay === seconds)).toBe(true);
  });

  it('of one hop a second that a handling takes is never slowed', () => {
    expect(loop(20_000, 1000).every(({ delay }) => delay === 0)).toBe(true);
  });

  it('that sends itself messages at once has 124 hops in the first minute, and 3,664 in the first hour', () => {
    const steps = loop(4000, 0);
    expect(hopsBefore(steps, 60)).toBe(124);
    expect(hopsBefore(steps, 3600)).toBe(3664);
  });

  it('has no more hops later than at first: a loop that begins after a calm month is slowed as soon', () => {
    const calm = { hops: 50_000, startAt: AGO(30 * 86_400) };
    let [now, chain] = [NOW, calm as MessageChain];
    let hops = 0;
    for (; now < NOW + 60_000; hops += 1) {
      chain = nextHop(chain, now);
      now += slowedDelay(chain, now, 0) * 1000 + 1;
    }
    expect(hops).toBeGreaterThanOrEqual(100);
    expect(hops).toBeLessThanOrEqual(125);
  });

  it('is slowed no longer than the clock was set back', () => {
    const steps = loop(1000, 1000);
    const last = steps.at(-1)?.chain as MessageChain;
    for (const backSeconds of [0, 30, 64]) {
      const now = NOW + 1_000_000 - backSeconds * 1000;
      expect(excessHops(nextHop(last, now), now)).toBeLessThanOrEqual(1);
    }
    const now = NOW + 1_000_000 - 100_000;
    expect(excessHops(nextHop(last, now), now)).toBeLessThanOrEqual(100);
  });
});
