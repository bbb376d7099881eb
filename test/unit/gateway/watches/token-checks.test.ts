import { afterEach, describe, expect, it, vi } from 'vitest';
import type { UpstreamRequest } from '../../../../gateway/upstream/upstream.ts';
import { createTokenChecks } from '../../../../gateway/watches/token-checks.ts';

describe('the check of the token of a watch', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('ends by itself on a connection that is dead, and the token counts as valid', async () => {
    const late = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
    const upstream = {
      send: ({ signal }: UpstreamRequest) =>
        new Promise<never>((_, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('no answer')));
        }),
      open: () => Promise.reject(new Error('nothing is opened')),
      close: () => undefined,
    };
    const clock = { now: () => 0, sleep: async () => undefined };
    const isValid = createTokenChecks({ upstream, clock })('Bearer a');
    late.abort();
    await expect(isValid).resolves.toBe(true);
  });
});
