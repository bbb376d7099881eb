import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDashboardApi } from '../../../../../dashboard/server/live/api.ts';
import type { Serve } from '../../../../../shared/apiserver/serve.ts';

const PATH = '/api/v1/nodes';

/** A gateway whose API never answers: it gives up when the signal says so, as the gateway does. */
const hanging: Serve = ({ signal }) =>
  new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve({ status: 500, headers: {}, body: '{}' }));
  });

const apiOver = (serve: Serve) => createDashboardApi({ serve, token: async () => 't' });

describe('reads of an API that does not answer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
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

  it.each(['list', 'watch'] as const)('a %s fails after 15 s, and says so', async (which) => {
    const api = apiOver(hanging);
    const { signal } = new AbortController();
    const reading = (which === 'list' ? api.list(PATH, signal) : api.watch(PATH, '1', signal)).next();
    const failed = expect(reading).rejects.toThrow(`no answer to a ${which} within 15 s`);
    await vi.advanceTimersByTimeAsync(15_000);
    await failed;
  });

  it('an object that is read is given up after 15 s', async () => {
    const reading = apiOver(hanging).get(PATH);
    await vi.advanceTimersByTimeAsync(15_000);
    expect((await reading).status).toBe(500);
  });

  it('a watch that is open may be silent for longer', async () => {
    let isGivenUp = false;
    const api = apiOver(async ({ signal }) => {
      signal?.addEventListener('abort', () => {
        isGivenUp = true;
      });
      async function* stream() {
        await new Promise((resolve) => setTimeout(resolve, 60_000));
        yield '{"type":"BOOKMARK","object":{}}\n';
      }
      return { status: 200, headers: {}, body: '', stream: stream() };
    });
    const event = api.watch(PATH, '1', new AbortController().signal).next();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([(await event).value?.type, isGivenUp]).toEqual(['BOOKMARK', false]);
  });
});
