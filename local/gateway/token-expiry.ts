/** Until when a client's token holds, as it says itself; who it is and whether it is genuine is for the API to say. */
import type { EpochMs } from '../../shared/api/time.ts';

const claimsOf = (authorization: string | undefined): unknown => {
  const [, payload] = /^bearer [^.]+\.([^.]+)\.[^.]+$/i.exec(authorization ?? '') ?? [];
  try {
    return JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
  } catch {
    return undefined;
  }
};

/** `Infinity` for a token that does not say. */
export const expiryOf = (authorization: string | undefined): EpochMs => {
  const claims = claimsOf(authorization);
  const seconds = typeof claims === 'object' && claims && 'exp' in claims ? claims.exp : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : Number.POSITIVE_INFINITY;
};
