/** Renews the relay's own token when half of its time is over. */

import type { Upstream } from '../gateway/upstream/upstream.ts';
import { optional } from '../shared/kube/values/optional.ts';
import { type EpochMs, toTime } from '../shared/kube/values/time.ts';
import { RELAY_TOKEN_SECONDS } from '../shared/rules/relays/token-lifetime.ts';
import { type HeldToken, renewalDueAt } from '../shared/rules/relays/token-renewal.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { createRefusalTeller, jsonOf, refusalOf } from './refusal.ts';
import { claimsOf } from './shown-token.ts';
import type { TokenFile } from './token-file.ts';

export interface TokenRenewalDeps {
  readonly relay: string;
  readonly file: TokenFile;
  readonly upstream: Pick<Upstream, 'send'>;
  /** A clock that cannot be set. */
  readonly now: () => EpochMs;
  readonly hostLog: Pick<HostLog, 'info' | 'warn'>;
}

interface Held extends HeldToken {
  readonly token: string;
  /** When it expires, by the clock of the API. */
  readonly untilAt: EpochMs;
}

const SECOND_MS = 1_000;

/** `undefined`: it is no token that says how long it lasts, so that nobody can renew it. */
const heldOf = (token: string, issuedAt?: EpochMs): Held | undefined => {
  const { iat, exp } = claimsOf(token);
  if (typeof iat !== 'number' || typeof exp !== 'number' || exp <= iat) return undefined;
  const lifeMs = (exp - iat) * SECOND_MS;
  return {
    token,
    untilAt: exp * SECOND_MS,
    lifeMs,
    failures: 0,
    ...optional('issuedAt', issuedAt),
  };
};

/** Asks for a token that lasts as long as this one did. Throws an error that says why there is none. */
const issued = async ({ relay, upstream }: TokenRenewalDeps, { token, lifeMs }: Held): Promise<string> => {
  const { least, most } = RELAY_TOKEN_SECONDS;
  const ttlSeconds = Math.min(most, Math.max(least, Math.round(lifeMs / SECOND_MS)));
  const answer = await upstream.send({
    method: 'POST',
    path: `/apis/rollcall.dev/v1/relays/${relay}/token`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: Buffer.from(JSON.stringify({ ttlSeconds })),
  });
  if (answer.status !== 201) throw new Error(refusalOf(answer));
  const { status } = jsonOf(answer) as { readonly status?: { readonly token?: unknown } };
  if (typeof status?.token === 'string' && heldOf(status.token)) return status.token;
  throw new Error('the API answered without a token');
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Creates the renewal. Call `tick` several times a second. A failure is told once, and tried again (J-320). */
export const createTokenRenewal = (deps: TokenRenewalDeps) => {
  const { relay, file, now, hostLog } = deps;
  let held: Held | undefined;
  let isRenewing = false;
  const until = (): string => toTime(held?.untilAt ?? 0);
  const teller = createRefusalTeller((error) =>
    hostLog.warn('the token of this relay could not be renewed', {
      error,
      validUntil: until(),
      remedy: `if that goes on, make another one with "rollcall token --relay ${relay}", and write it to the token's file`,
    }),
  );
  const failed = (read: Held, why?: string): void => {
    if (held?.token === read.token) held = { ...read, failures: read.failures + 1, failedAt: now() };
    if (why !== undefined) teller.refused(why);
  };
  const renew = async (read: Held): Promise<void> => {
    const askedAt = now();
    try {
      const next = await issued(deps, read);
      // It is stored before it is used: the old one would be lost with the process.
      if (!(await file.replace(read.token, next))) return failed(read);
      held = heldOf(next, askedAt);
      teller.accepted();
      hostLog.info('the token of this relay was renewed', { validUntil: until() });
    } catch (error) {
      failed(read, reasonOf(error));
    }
  };
  return {
    tick: async (): Promise<void> => {
      const token = file.current();
      if (isRenewing) return;
      if (held?.token !== token) held = heldOf(token);
      if (!held || now() < renewalDueAt(held)) return;
      isRenewing = true;
      await renew(held);
      isRenewing = false;
    },
  };
};
