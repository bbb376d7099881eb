/** The keys of a process that verifies tokens and signs none: it reads the public halves that were published. */
import { StatusError } from '../../kube/errors/status-error.ts';
import type { PublicKeySet, PublicKeys } from '../../ports/outside/public-keys.ts';
import type { PublicKey, VerifyingKeys } from '../../ports/outside/signing-keys.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { createKeptReading } from './kept-reading.ts';

/** Where the keys are published. */
export interface PublishedSource {
  readonly publicKeys: Pick<PublicKeys, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface VerifyingSet {
  readonly current: string;
  readonly keys: ReadonlyMap<string, PublicKey>;
}

const notPublished = (): StatusError =>
  new StatusError('ServiceUnavailable', 'the API has not published its public keys yet; try again', {
    retryAfterSeconds: 1,
  });

/** No 401, upon which a client gives its token up, and no 503, which would let forged tokens raise the alarm of the function. */
const notKnownYet = (): StatusError =>
  new StatusError('TooManyRequests', 'the key of the token is not known here yet; try again', {
    retryAfterSeconds: 1,
  });

const readText = async ({ publicKeys }: PublishedSource) => {
  const set = await publicKeys.read();
  if (!set) throw notPublished();
  return { text: JSON.stringify(set), storedAt: 0 };
};

const setOf = ({ text }: { readonly text: string }): VerifyingSet => {
  const { current, keys } = JSON.parse(text) as PublicKeySet;
  return { current, keys: new Map(Object.entries(keys).map(([kid, x]) => [kid, { x }])) };
};

/**
 * Reads the public keys at most once a minute, and for the sake of unknown key ids at most once a second. `find` throws 429 for an id that is unknown
 * less than a second after a read: keys are published before they sign, so an id that a read does not find is none.
 */
export const createPublishedVerifyingKeys = (source: PublishedSource): VerifyingKeys => {
  const kept = createKeptReading({ clock: source.clock, read: () => readText(source), take: setOf });
  return {
    current: async () => ({ kid: (await kept.present()).current }),
    find: async (kid) => {
      const known = (await kept.present()).keys.get(kid);
      if (known) return known;
      const early = await kept.early();
      if (!early) throw notKnownYet();
      return early.keys.get(kid);
    },
  };
};
