import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deafUntil } from '../../../../../dashboard/server/live/silence.ts';
import { createSource, LOST_MS } from '../../../../../dashboard/server/live/source.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

/** An API that answers as `api.answer` does, and clocks: `sleepMs` is the sleep of the machine, of which only the wall clock knows. */
const setUp = () => {
  const api = { answer: async (): Promise<void> => undefined, sleepMs: 0, asked: 0 };
  const changes: string[] = [];
  const source = createSource({
    probe: (signal) => {
      api.asked += 1;
      const given = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('the API gives no answer')));
      });
      return Promise.race([api.answer(), given]);
    },
    now: () => Date.now() + api.sleepMs,
    elapsed: () => performance.now(),
    onChange: () => changes.push(source.state().is),
    reconnect: () => changes.push(source.round().aborted ? 'returned late' : 'returned'),
  });
  return { api, source, changes, stop: source.start() };
};

const never = (): Promise<void> => new Promise(() => undefined);

describe('the source of a display', () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    });
    vi.setSystemTime(NOW);
    // The timer of a signal is none of the faked ones.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const ended = new AbortController();
      setTimeout(() => ended.abort(), ms);
      return ended.signal;
    });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  it('is read, then live, and what is known is as old as its last answer', async () => {
    const { source, stop } = setUp();
    expect(source.state()).toEqual({ is: 'reading', asOf: NOW });
    source.caughtUp();
    expect(source.state().is).toBe('live');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(source.state().is).toBe('live');
    expect(source.asOf()).toBeGreaterThanOrEqual(NOW + 9_000);
    stop();
  });

  it.each<[string, () => Promise<void>, string]>([
    ['hangs', never, 'the API gives no answer'],
    ['refuses connections', () => Promise.reject(new Error('ECONNREFUSED')), 'ECONNREFUSED'],
    ['answers 503', () => Promise.reject(new Error('the API answered 503')), 'the API answered 503'],
    [
      'answers after half a minute',
      () => new Promise((resolve) => setTimeout(resolve, 30_000)),
      'the API gives no answer',
    ],
  ])('is lost within 5 s if it %s, and time stands still', async (_, answer, reason) => {
    const { api, source, changes, stop } = setUp();
    source.caughtUp();
    await vi.advanceTimersByTimeAsync(10_100);
    const asOf = source.asOf();
    api.answer = answer;
    await vi.advanceTimersByTimeAsync(4_500);
    expect(source.state()).toEqual({ is: 'lost', asOf, since: asOf, reason });
    expect(changes.at(-1)).toBe('lost');
    await vi.advanceTimersByTimeAsync(60_000);
    expect([source.state().is, source.asOf()]).toEqual(['lost', asOf]);
    stop();
  });

  it('is read again after a question without an answer, also if the next one is answered before it is lost', async () => {
    const { api, source, changes, stop } = setUp();
    source.caughtUp();
    await vi.advanceTimersByTimeAsync(10_100);
    let questions = 0;
    api.answer = () => {
      questions += 1;
      return questions === 1 ? never() : Promise.resolve();
    };
    // Watches bring something, so that the API never counts as lost.
    for (let half = 0; half < 16; half += 1) {
      await vi.advanceTimersByTimeAsync(500);
      source.heard();
    }
    expect(changes).toEqual(['live', 'returned', 'catching up']);
    stop();
  });

  it('is not live again before everything has been read again', async () => {
    const { api, source, changes, stop } = setUp();
    source.caughtUp();
    api.answer = never;
    await vi.advanceTimersByTimeAsync(20_000);
    const [asOf, round] = [source.asOf(), source.round()];
    api.answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([source.state().is, source.asOf(), round.aborted]).toEqual(['catching up', asOf, true]);
    expect(source.silence()?.from).toBe(asOf);
    expect(changes).toEqual(['live', 'lost', 'returned', 'catching up']);
    source.caughtUp();
    expect(source.state().is).toBe('live');
    expect(source.asOf()).toBeGreaterThan(asOf + 15_000);
    stop();
  });

  it('is not lost by one failure, nor while a watch brings news', async () => {
    const { api, source, stop } = setUp();
    source.caughtUp();
    const { answer } = api;
    api.answer = () => Promise.reject(new Error('429'));
    await vi.advanceTimersByTimeAsync(1_200);
    api.answer = answer;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(source.state().is).toBe('live');
    api.answer = never;
    for (let passed = 0; passed < 5; passed += 1) {
      await vi.advanceTimersByTimeAsync(LOST_MS / 2);
      source.heard();
    }
    expect(source.state().is).toBe('live');
    stop();
  });

  it('is lost until it answers itself, whatever a watch brings: that may come from memory', async () => {
    const { api, source, changes, stop } = setUp();
    source.caughtUp();
    api.answer = never;
    await vi.advanceTimersByTimeAsync(20_000);
    const { since } = source.state();
    source.heard();
    expect([source.state().is, source.state().since, changes.at(-1)]).toEqual(['lost', since, 'lost']);
    stop();
  });

  it.each([3_600_000, -60_000])(
    'is read again when the clock has jumped by %d ms, and judged of before',
    async (ms) => {
      const { api, source, stop } = setUp();
      source.caughtUp();
      await vi.advanceTimersByTimeAsync(3_000);
      const asOf = source.asOf();
      api.sleepMs = ms;
      expect(source.asOf()).toBe(asOf);
      await vi.advanceTimersByTimeAsync(1_500);
      expect([source.state().is, source.asOf()]).toEqual(['catching up', asOf]);
      source.caughtUp();
      expect(source.asOf()).toBeGreaterThanOrEqual(NOW + ms + 3_000);
      stop();
    },
  );

  it('is asked no more once it is stopped', async () => {
    const { api, stop } = setUp();
    await vi.advanceTimersByTimeAsync(5_000);
    stop();
    const { asked } = api;
    expect(asked).toBeGreaterThan(3);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.asked).toBe(asked);
  });
});

describe('beats after a silence', () => {
  const silence = { from: NOW, to: NOW + 60_000 };
  it.each<[string, readonly number[], number]>([
    ['accuse no node if none was heard meanwhile', [NOW - 5_000, NOW], NOW + 58_000],
    ['count if some node was: the display was cut off, the control plane was not', [NOW, NOW + 30_000], 0],
    ['at the ends of the silence do not tell', [NOW + 1_000, NOW + 59_000], NOW + 58_000],
  ])('%s', (_, beats, wanted) => {
    expect(deafUntil(beats, silence)).toBe(wanted);
  });

  it('count if there was no silence', () => {
    expect(deafUntil([NOW], undefined)).toBe(0);
  });
});
