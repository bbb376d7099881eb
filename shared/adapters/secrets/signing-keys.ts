/** Reads the signing keys from Secrets Manager and keeps them between requests. */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { EpochMs } from '../../kube/values/time.ts';
import type { SigningKeys } from '../../ports/outside/signing-keys.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { KEYS_MAX_AGE_MS } from './key-rotation.ts';
import type { KeySet } from './key-set.ts';
import { parseKeySet } from './key-set.ts';

/** Milliseconds between a failed read and the next one, so that failures do not cause many calls. */
const FAILURE_PAUSE_MS = 1_000;
/** Milliseconds for which keys stay valid while the secret cannot be read. */
const MAX_STALE_MS = 60 * 60_000;

/** The secret with the signing keys. */
export interface SecretSource {
  readonly client: SecretsManagerClient;
  readonly secretArn: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Reads the text of a secret. Throws if the secret has none, and the errors of the AWS SDK. */
export const readSecret = async (client: SecretsManagerClient, secretArn: string): Promise<string> => {
  const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
  if (text === undefined) throw new Error(`the secret ${secretArn} has no text`);
  return text;
};

interface Reading {
  readonly keys: KeySet;
  readonly at: EpochMs;
}

/** The last keys that were read, and the last attempt. */
interface Attempts {
  good?: Reading;
  pending?: Promise<KeySet>;
  failure?: { readonly error: unknown; readonly at: EpochMs };
}

const readOnce = (attempts: Attempts, { client, secretArn, clock }: SecretSource): Promise<KeySet> => {
  const at = clock.now();
  const attempt = async (): Promise<KeySet> => {
    try {
      const keys = parseKeySet(await readSecret(client, secretArn), secretArn);
      attempts.good = { keys, at };
      delete attempts.failure;
      return keys;
    } catch (error) {
      attempts.failure = { error, at };
      throw error;
    } finally {
      delete attempts.pending;
    }
  };
  attempts.pending ??= attempt();
  return attempts.pending;
};

/** Whether a reading is recent. A reading in the future is not, because the clock was set back since. */
const isRecent = (at: EpochMs, ageMs: number, now: EpochMs): boolean => now >= at && now - at < ageMs;

/** The keys, read less than a minute ago, or up to an hour ago while the secret cannot be read. Rethrows the error after that. */
const presentKeys = async (attempts: Attempts, source: SecretSource): Promise<KeySet> => {
  const now = source.clock.now();
  const { good, failure } = attempts;
  if (good && isRecent(good.at, KEYS_MAX_AGE_MS, now)) return good.keys;
  try {
    if (failure && isRecent(failure.at, FAILURE_PAUSE_MS, now)) throw failure.error;
    return await readOnce(attempts, source);
  } catch (error) {
    if (good && isRecent(good.at, MAX_STALE_MS, now)) return good.keys;
    throw error;
  }
};

/**
 * Reads the secret at most once a minute. An unknown key id does not cause a read, so forged tokens cost nothing. A new key is
 * known to every process one minute after it was stored, and a removed key is rejected after the same time.
 */
export const createSecretsManagerSigningKeys = (source: SecretSource): SigningKeys => {
  const attempts: Attempts = {};
  return {
    current: async () => (await presentKeys(attempts, source)).current,
    find: async (kid) => (await presentKeys(attempts, source)).secrets.get(kid),
  };
};
