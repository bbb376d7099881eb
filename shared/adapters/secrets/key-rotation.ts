/**
 * Replacing the key that signs tokens. Each step is safe by itself: first everybody learns the new key, then it signs,
 * and the old one goes when its tokens have expired.
 */
import { randomBytes } from 'node:crypto';
import type { KeySetJson } from './key-set.ts';

const KEY_BYTES = 32;

/**
 * Milliseconds for which a process may go on with the keys that it has read. After as long every process knows a new key,
 * and none accepts a removed one.
 */
export const KEYS_MAX_AGE_MS = 60_000;

export interface NewKey {
  readonly kid: string;
  /** base64url. */
  readonly secret: string;
}

export const newSigningKey = (): NewKey => ({
  kid: `k-${randomBytes(4).toString('hex')}`,
  secret: randomBytes(KEY_BYTES).toString('base64url'),
});

/** A further key that is valid and does not sign yet. */
export const withNextKey = ({ current, keys }: KeySetJson, { kid, secret }: NewKey): KeySetJson => ({
  current,
  keys: { ...keys, [kid]: secret },
});

/** The newest key signs; all stay valid. `undefined` where it does already. */
export const withNextCurrent = ({ current, keys }: KeySetJson): KeySetJson | undefined => {
  const newest = Object.keys(keys).at(-1);
  return newest === undefined || newest === current ? undefined : { current: newest, keys };
};

/** Only the key that signs is left. */
export const withoutOthers = ({ current, keys }: KeySetJson): KeySetJson => ({
  current,
  keys: { [current]: keys[current] ?? '' },
});
