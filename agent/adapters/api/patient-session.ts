/** Requests that wait when the API asks for it. Source: client-go `rest.Request`; Lambda refuses what is too much with 429, without a Retry-After. */
import type { ApiAnswer } from '../../../shared/client/api-client.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { ApiSession } from './session.ts';

export interface PatienceDeps {
  readonly clock: Pick<Clock, 'sleep'>;
  /** From 0 up to 1. */
  readonly random: () => number;
}

const TOO_MANY = 429;
/** Tries of one request; the last answer counts, whatever it is. */
const TRIES = 4;
const DEFAULT_MS = 1_000;
/** A longer wait would keep the sender from what else it has to do. */
const MOST_MS = 10_000;

/** Milliseconds to wait before the request is sent again; `undefined`: the answer counts. */
const pauseMs = ({ status, headers }: ApiAnswer): number | undefined => {
  const asked = Number(headers['retry-after']);
  const isAsked = Number.isFinite(asked) && asked > 0;
  if (status !== TOO_MANY && !(status >= 500 && isAsked)) return undefined;
  return isAsked ? Math.min(asked * 1000, MOST_MS) : DEFAULT_MS;
};

/** The same session, for requests that may be sent again when they were refused for the moment. Machines that were refused together come back apart. */
export const createPatientSession = (session: ApiSession, { clock, random }: PatienceDeps): ApiSession => ({
  reset: session.reset,
  request: async (...given) => {
    let answer = await session.request(...given);
    for (let tries = 1; tries < TRIES; tries += 1) {
      const pause = pauseMs(answer);
      if (pause === undefined) break;
      await clock.sleep(pause * (1 + random() / 2));
      answer = await session.request(...given);
    }
    return answer;
  },
});
