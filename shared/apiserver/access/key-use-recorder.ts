/** Who still sends tokens of a key that no longer signs: the question before that key is retired. */
import type { EpochMs } from '../../api/time.ts';
import type { KeyUse, KeyUses } from '../../ports/key-uses.ts';
import type { SigningKeys } from '../../ports/signing-keys.ts';

/** Milliseconds between two records of the same user and key by one server. */
const RECORD_EVERY_MS = 600_000;
/** Users remembered, so that they are not recorded with each request. */
const MOST = 32_768;

export interface KeyUseDeps {
  readonly signingKeys: Pick<SigningKeys, 'current'>;
  readonly keyUses: Pick<KeyUses, 'record'>;
}

/** Records the use of a key, unless that key signs or the use was recorded in the last ten minutes. */
export type KeyUseRecorder = (use: KeyUse) => Promise<void>;

const isRecent = (at: EpochMs | undefined, now: EpochMs): boolean =>
  at !== undefined && Math.abs(now - at) < RECORD_EVERY_MS;

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
      // The request is worth more than the record; the next one tries again.
      recordedAt.delete(holder);
    }
  };
};
