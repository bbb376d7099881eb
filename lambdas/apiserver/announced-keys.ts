/** The signing keys of the API, whose public halves it publishes before it signs with them. */
import { createSecretsClient } from '../../shared/adapters/secrets/client.ts';
import { createSecretsManagerSigningKeys } from '../../shared/adapters/secrets/signing-keys.ts';
import { publicKeySetOf } from '../../shared/apiserver/access/key-pairs.ts';
import type { PublicKeys } from '../../shared/ports/outside/public-keys.ts';
import type { SigningKeys } from '../../shared/ports/outside/signing-keys.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';

/** Keys that cannot be published count as unreadable. */
export const createAnnouncedKeys = (
  secretArn: string,
  clock: Pick<Clock, 'now'>,
  publicKeys: Pick<PublicKeys, 'publish'>,
): SigningKeys =>
  createSecretsManagerSigningKeys({
    client: createSecretsClient(),
    secretArn,
    clock,
    onNewKeys: (keys, storedAt) => publicKeys.publish(publicKeySetOf(keys), storedAt),
  });
