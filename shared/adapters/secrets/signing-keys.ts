/** Reads the signing keys from Secrets Manager and keeps them between requests. */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { EpochMs } from '../../kube/values/time.ts';
import type { SigningKeys } from '../../ports/outside/signing-keys.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { createKeptReading, type StoredText } from './kept-reading.ts';
import type { KeySet } from './key-set.ts';
import { parseKeySet } from './key-set.ts';

/** The secret with the signing keys. */
export interface SecretSource {
  readonly client: SecretsManagerClient;
  readonly secretArn: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Called with keys that are new, and since when (ms) they are stored. They are used when it has resolved; if it rejects, they count as unreadable. */
  readonly onNewKeys?: (keys: KeySet, storedAt: EpochMs) => Promise<void>;
}

const readStored = async (client: SecretsManagerClient, secretArn: string): Promise<StoredText> => {
  const answer = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
  const { SecretString: text, CreatedDate: created } = answer;
  if (text === undefined) throw new Error(`the secret ${secretArn} has no text`);
  return { text, storedAt: created?.getTime() ?? 0 };
};

/** Reads the text of a secret. Throws if the secret has none, and the errors of the AWS SDK. */
export const readSecret = async (client: SecretsManagerClient, secretArn: string): Promise<string> =>
  (await readStored(client, secretArn)).text;

/**
 * Reads the secret at most once a minute. An unknown key id does not cause a read, so forged tokens cost nothing. A new key is
 * known to every process one minute after it was stored, and a removed key is rejected after the same time.
 */
export const createSecretsManagerSigningKeys = (source: SecretSource): SigningKeys => {
  const { client, secretArn, clock, onNewKeys } = source;
  const kept = createKeptReading({
    clock,
    read: () => readStored(client, secretArn),
    take: async ({ text, storedAt }) => {
      const keys = parseKeySet(text, secretArn);
      await onNewKeys?.(keys, storedAt);
      return keys;
    },
  });
  return {
    current: async () => (await kept.present()).current,
    find: async (kid) => (await kept.present()).secrets.get(kid),
  };
};
