/**
 * Records which users still send tokens of a key that no longer signs, so that an administrator knows when the
 * key can be retired.
 */
import type { EpochMs } from '../../kube/values/time.ts';
import type { KeyUse, KeyUses } from '../../ports/outside/key-uses.ts';
import type { VerifyingKeys } from '../../ports/outside/signing-keys.ts';

/** Milliseconds between two records of the same user and key by one server. */
const RECORD_EVERY_MS = 600_000;
/** Most users that are remembered, so that a use is not recorded with every request. */
const MOST = 32_768;

/** The stores that the recorder reads and writes. */
export interface KeyUseDeps {
  readonly signingKeys: Pick<VerifyingKeys, 'current'>;
  readonly keyUses: Pick<KeyUses, 'record'>;
}

/** Records the use of a key, unless that key is the one that signs or the use was recorded in the last ten minutes. */
export type KeyUseRecorder = (use: KeyUse) => Promise<void>;

const isRecent = (at: EpochMs | undefined, now: EpochMs): boolean =>
  at !== undefined && Math.abs(now - at) < RECORD_EVERY_MS;

/** A recorder that remembers in memory what it has recorded. */
export const createKeyUseRecorder = ({ signingKeys, keyUses }: KeyUseDeps): KeyUseRecorder => {
  const recordedAt = new Map<string, EpochMs>();
  return async (use) => {
    if ((await signingKeys.current()).kid === use.kid) return;
    const holder = JSON.stringify([use.kid, use.user]);
    if (isRecent(recordedAt.get(holder), use.lastUsedAt)) return;
    if (recordedAt.size >= MOST) recordedAt.clear();
    recordedAt.set(holder, use.lastUsedAt);
    try {
      await keyUses.record(use);
    } catch {
      // A failed record must not fail the request; the next request tries again.
      recordedAt.delete(holder);
    }
  };
};
