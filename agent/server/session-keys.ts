/** The cluster's keys for the tokens of requests, and its clock. */
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { type ApiSession, bodyOf } from '../adapters/api/session.ts';
import type { Clock } from '../ports/machine/clock.ts';

export interface SessionKeys {
  /** `undefined`: the cluster has no such key. Rejects if the cluster does not answer. */
  find(kid: string): Promise<KeyObject | undefined>;
  /** The time of the cluster, as it said when it was asked last: the machine's own clock may be wrong. */
  now(): EpochMs;
  /** Asks for the keys and the time again. */
  refresh(): Promise<void>;
}

/** How often the cluster is asked at most (ms): anybody can send tokens with unknown keys. */
const PAUSE_MS = 10_000;
/** The same after it did not answer (ms): until then all requests are refused. */
const FAILED_PAUSE_MS = 1000;
/** For how long its answer counts (ms). After that a key that the cluster has given up does not count any more. */
const FRESH_MS = 10 * 60_000;

interface Known {
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly at: EpochMs;
  readonly uptime: number;
}

const keysOf = (body: unknown): readonly (readonly [string, KeyObject])[] => {
  const { keys } = (body ?? {}) as { readonly keys?: unknown };
  return (Array.isArray(keys) ? keys : []).flatMap((key: JsonWebKey) =>
    key['crv'] === 'Ed25519' && typeof key['kid'] === 'string'
      ? [[key['kid'], createPublicKey({ key, format: 'jwk' })] as const]
      : [],
  );
};

export const createSessionKeys = (
  session: Pick<ApiSession, 'request'>,
  clock: Pick<Clock, 'now' | 'uptime'>,
): SessionKeys => {
  let known: Known | undefined;
  let asked = Promise.resolve();
  let nextAt = Number.NEGATIVE_INFINITY;
  const read = async (kid: string | undefined): Promise<void> => {
    const query = kid === undefined ? '' : `?kid=${encodeURIComponent(kid)}`;
    const answer = await session.request('GET', `/openid/v1/jwks${query}`);
    const told = Date.parse(answer.headers.date ?? '');
    known = {
      keys: new Map(keysOf(bodyOf(answer))),
      at: Number.isNaN(told) ? clock.now() : told,
      uptime: clock.uptime(),
    };
  };
  const readAndPause = async (kid: string | undefined): Promise<void> => {
    let pause = FAILED_PAUSE_MS;
    try {
      await read(kid);
      pause = PAUSE_MS;
    } finally {
      nextAt = clock.uptime() + pause;
    }
  };
  /** Whoever comes while the cluster is asked, or in the pause after it, has the same answer. */
  const ask = (kid: string | undefined): Promise<void> => {
    if (clock.uptime() >= nextAt) {
      nextAt = Number.POSITIVE_INFINITY;
      asked = readAndPause(kid);
    }
    return asked;
  };
  return {
    find: async (kid) => {
      const isFresh = known && clock.uptime() - known.uptime < FRESH_MS;
      if (!isFresh || !known?.keys.has(kid)) await ask(kid);
      return known?.keys.get(kid);
    },
    now: () => (known ? known.at + (clock.uptime() - known.uptime) : clock.now()),
    refresh: () => ask(undefined),
  };
};
