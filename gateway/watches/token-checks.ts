/**
 * Checks whether tokens of open watches are still valid: a token becomes invalid with its Node, pod, ServiceAccount or key.
 */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { headersFor } from '../upstream/collection.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Milliseconds for which an answer is used by all watches with the token. Each watch asks every five seconds. */
const FRESH_MS = 8_000;
/** Longest wait (ms) for an answer; then the token counts as valid. A watch delivers nothing meanwhile. */
const ANSWER_MS = 5_000;
/** The cheapest path that requires a valid token. */
const PATH = '/api';

export interface TokenChecksDeps {
  readonly upstream: Upstream;
  readonly clock: Clock;
}

interface Check {
  readonly askedAt: EpochMs;
  readonly isValid: Promise<boolean>;
}

/** Whether the API accepts the token in `authorization`. While the API does not answer, tokens count as valid. */
export type IsTokenValid = (authorization: string | undefined) => Promise<boolean>;

/** Checks each token about every ten seconds, however many watches use it. */
export const createTokenChecks = ({ upstream, clock }: TokenChecksDeps): IsTokenValid => {
  const checks = new Map<string, Check>();
  const ask = async (authorization: string): Promise<boolean> => {
    const headers = headersFor({ authorization });
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answered = await upstream
      .send({ method: 'GET', path: PATH, headers, signal })
      .catch(() => undefined);
    return answered?.status !== 401;
  };
  // If the clock was set back, an answer may be from the future: it is not used.
  const isFresh = ({ askedAt }: Check, now: EpochMs): boolean => askedAt <= now && now - askedAt < FRESH_MS;
  const forgetOld = (now: EpochMs): void => {
    for (const [authorization, check] of checks) if (!isFresh(check, now)) checks.delete(authorization);
  };
  return async (authorization) => {
    if (authorization === undefined) return true;
    const now = clock.now();
    forgetOld(now);
    const check = checks.get(authorization) ?? { askedAt: now, isValid: ask(authorization) };
    checks.set(authorization, check);
    return check.isValid;
  };
};
