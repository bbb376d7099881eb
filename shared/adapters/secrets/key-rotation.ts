/**
 * Rotation of the signing key in three steps, each safe by itself: every process learns the new key, then the new key signs,
 * and the old one is removed when its tokens have expired.
 */
import { randomBytes } from 'node:crypto';
import type { KeySetJson } from './key-set.ts';

const KEY_BYTES = 32;

/**
 * Milliseconds for which a process may use the keys that it has read. After this time every process knows a new key, and none
 * accepts a removed one.
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

/** The key that was made last. */
export const newestKey = ({ keys, current }: KeySetJson): string => Object.keys(keys).at(-1) ?? current;

/** Keys that are valid and do not sign. */
export const otherKeys = ({ keys, current }: KeySetJson): readonly string[] =>
  Object.keys(keys).filter((kid) => kid !== current);

/** A further key that is valid and does not sign yet. */
export const withNextKey = ({ current, keys }: KeySetJson, made: NewKey, changedAt: string): KeySetJson => ({
  current,
  keys: { ...keys, [made.kid]: made.secret },
  changedAt,
});

/** The newest key signs; all stay valid. */
export const withNewestCurrent = (set: KeySetJson, changedAt: string): KeySetJson => ({
  current: newestKey(set),
  keys: set.keys,
  changedAt,
});

/** Only the key that signs is left. */
export const withoutOthers = ({ current, keys }: KeySetJson, changedAt: string): KeySetJson => ({
  current,
  keys: { [current]: keys[current] ?? '' },
  changedAt,
});

/**
 * Milliseconds until every process has read the current keys, if each process reads them every `spreadMs`. A change at an
 * unknown or future time counts as made now; a generated secret that was never changed counts as old.
 */
export const settlesIn = ({ changedAt }: KeySetJson, now: number, spreadMs: number): number => {
  if (changedAt === undefined) return 0;
  const since = now - Date.parse(changedAt);
  return since >= 0 ? Math.max(0, spreadMs - since) : spreadMs;
};
