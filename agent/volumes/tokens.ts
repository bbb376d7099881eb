/** Tokens of service accounts for pods, renewed in time. Source: kubernetes v1.34 pkg/kubelet/token `Manager`. */

import type { IssuedToken, ServiceAccountTokens, TokenWish } from '../ports/api/service-account-tokens.ts';
import type { Clock } from '../ports/machine/clock.ts';

const DAY_MS = 86_400_000;
/** Of its life a token is used until it is renewed. */
const USED_SHARE = 0.8;

interface Kept extends IssuedToken {
  /** When it came, by the uptime: the clock of the machine may be wrong, or be set. */
  readonly since: number;
}

export type TokenAnswer = { readonly token: string } | { readonly fault: string };

export interface Tokens {
  get(wish: TokenWish): Promise<TokenAnswer>;
  /** Forgets the tokens of a pod. */
  forget(uid: string): void;
}

const keyOf = ({ pod, audience = '', expirationSeconds, serviceAccount }: TokenWish): string =>
  [pod.uid, serviceAccount, audience, expirationSeconds].join(' ');

/** After most of its life, or a day: who has read it has it for as long. */
const isDue = ({ since, lifeMs }: Kept, uptime: number): boolean =>
  uptime - since >= Math.min(lifeMs * USED_SHARE, DAY_MS);

export const createTokens = (api: ServiceAccountTokens, clock: Pick<Clock, 'uptime'>): Tokens => {
  const kept = new Map<string, Kept>();
  const renewed = async (wish: TokenWish, old: Kept | undefined): Promise<TokenAnswer> => {
    try {
      const since = clock.uptime();
      const issued = await api.request(wish);
      kept.set(keyOf(wish), { ...issued, since });
      return { token: issued.token };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!old) return { fault: `failed to fetch token: ${text}` };
      if (clock.uptime() - old.since < old.lifeMs) return { token: old.token };
      return { fault: `token ${wish.serviceAccount} expired and refresh failed: ${text}` };
    }
  };
  return {
    get: async (wish) => {
      const old = kept.get(keyOf(wish));
      return old && !isDue(old, clock.uptime()) ? { token: old.token } : await renewed(wish, old);
    },
    forget: (uid) => {
      for (const key of kept.keys()) if (key.startsWith(`${uid} `)) kept.delete(key);
    },
  };
};
