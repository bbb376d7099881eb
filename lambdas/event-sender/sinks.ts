import { createSecretsClient } from '../../shared/adapters/secrets/client.ts';
import { readSecret } from '../../shared/adapters/secrets/signing-keys.ts';
import { createEventDeliverer } from '../../shared/adapters/webhook/deliver-event.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { StoredSink } from '../../shared/settings/aws/event-env.ts';
import type { TellableSink } from '../../shared/store/events/deliver-to-sink.ts';

/** A look is never broken off: each delivery has its own time-out. */
const NEVER = new AbortController().signal;

/** The sinks of this function. The secret with the keys is read for each event, so that keys can be replaced at any time. */
export const createSinks = (stored: readonly StoredSink[], clock: Clock): readonly TellableSink[] => {
  const secrets = createSecretsClient();
  return stored.map(({ name, url, isGrouped, keySecretArn: arn }) => {
    const readKeys = arn === undefined ? undefined : () => readSecret(secrets, arn);
    const { deliver } = createEventDeliverer({ target: { url }, readKeys, clock });
    return { name, isGrouped, deliver: (event) => deliver(event, NEVER) };
  });
};
