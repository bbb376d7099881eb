/** The signing keys in Secrets Manager, kept between requests. */
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SigningKeys } from '../../ports/signing-keys.ts';
import type { KeySet } from './key-set.ts';
import { parseKeySet } from './key-set.ts';

/** Milliseconds after which the keys are read again in any case, so that a removed key does not stay valid. */
const MAX_AGE_MS = 300_000;
/** Milliseconds between two reads for unknown keys: forged ids must not become calls. */
const UNKNOWN_KEY_PAUSE_MS = 10_000;

export interface SecretSource {
  readonly client: SecretsManagerClient;
  readonly secretArn: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** The text of a secret. Throws when it has none, or may not be read. */
export const readSecret = async (client: SecretsManagerClient, secretArn: string): Promise<string> => {
  const { SecretString: text } = await client.send(new GetSecretValueCommand({ SecretId: secretArn }));
  if (text === undefined) throw new Error(`the secret ${secretArn} holds no text`);
  return text;
};

/** Reads the secret once and again when it is old or a token names a key that is not in it. */
export const createSecretsManagerSigningKeys = ({ client, secretArn, clock }: SecretSource): SigningKeys => {
  let cached: { readonly keys: Promise<KeySet>; readonly readAt: EpochMs } | undefined;

  const read = (): Promise<KeySet> => {
    const keys = readSecret(client, secretArn).then((text) => parseKeySet(text, secretArn));
    cached = { keys, readAt: clock.now() };
    // A failed read is not kept; requests that wait for it see its error.
    keys.catch(() => {
      cached = undefined;
    });
    return keys;
  };

  const atMost = (ageMs: number): Promise<KeySet> =>
    cached && clock.now() - cached.readAt < ageMs ? cached.keys : read();

  return {
    current: async () => (await atMost(MAX_AGE_MS)).current,
    find: async (kid) => {
      const known = (await atMost(MAX_AGE_MS)).secrets.get(kid);
      return known ?? (await atMost(UNKNOWN_KEY_PAUSE_MS)).secrets.get(kid);
    },
  };
};
