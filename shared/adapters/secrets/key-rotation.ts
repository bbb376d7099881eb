/**
 * Rotates the signing key in three steps, each of which is safe by itself: a new key is added, which every process then learns;
 * the new key signs; the old key is removed after its tokens have expired.
 */
import { randomBytes } from 'node:crypto';
import type { KeySetJson } from './key-set.ts';

const KEY_BYTES = 32;

/**
 * Milliseconds for which a process may use the keys that it has read. When this time has passed since a change, every process
 * knows a new key and none accepts a removed one.
 */
export const KEYS_MAX_AGE_MS = 60_000;

/** A generated key. */
export interface NewKey {
  readonly kid: string;
  /** 32 random bytes in base64url. */
  readonly secret: string;
}

/** Generates a key with a random id. */
export const newSigningKey = (): NewKey => ({
  kid: `k-${randomBytes(4).toString('hex')}`,
  secret: randomBytes(KEY_BYTES).toString('base64url'),
});

/** The id of the key that was added last. */
export const newestKey = ({ keys, current }: KeySetJson): string => Object.keys(keys).at(-1) ?? current;

/** The ids of the keys that are valid and do not sign. */
export const otherKeys = ({ keys, current }: KeySetJson): readonly string[] =>
  Object.keys(keys).filter((kid) => kid !== current);

/** Adds a key that is valid and does not sign yet. */
export const withNextKey = ({ current, keys }: KeySetJson, made: NewKey, changedAt: string): KeySetJson => ({
  current,
  keys: { ...keys, [made.kid]: made.secret },
  changedAt,
});

/** Makes the newest key sign. All keys stay valid. */
export const withNewestCurrent = (set: KeySetJson, changedAt: string): KeySetJson => ({
  current: newestKey(set),
  keys: set.keys,
  changedAt,
});

/** Removes all keys except the one that signs. */
export const withoutOthers = ({ current, keys }: KeySetJson, changedAt: string): KeySetJson => ({
  current,
  keys: { [current]: keys[current] ?? '' },
  changedAt,
});

/**
 * Milliseconds until every process has read the current keys, if each process reads them every `spreadMs` milliseconds. A change
 * at an unreadable or future time counts as made now. A generated secret that was never changed counts as old.
 */
export const settlesIn = ({ changedAt }: KeySetJson, now: number, spreadMs: number): number => {
  if (changedAt === undefined) return 0;
  const since = now - Date.parse(changedAt);
  return since >= 0 ? Math.max(0, spreadMs - since) : spreadMs;
};
