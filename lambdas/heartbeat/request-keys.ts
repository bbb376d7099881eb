/** Has the API publish its public keys, for a table that has none yet: after an upgrade, and after a restore. */
import type { Forwarding } from './old-tokens.ts';

/** Milliseconds, so that the beat that waits for it is answered. */
const PATIENCE_MS = 2_000;

/** Any request that needs the secret makes a new environment of the API publish; this one needs no token. Never rejects. */
export const askingFor =
  ({ apiUrl, fetch }: Forwarding) =>
  async (): Promise<void> => {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      await (await fetch(new URL('/openid/v1/jwks', apiUrl), { signal })).arrayBuffer();
    } catch {
      // Whether there are keys now is seen where they are read.
    }
  };
