/** Reads the expiry from a client's token without verifying it; the API verifies identity and signature. */
import type { EpochMs } from '../../shared/kube/values/time.ts';

const claimsOf = (authorization: string | undefined): unknown => {
  const [, payload] = /^bearer [^.]+\.([^.]+)\.[^.]+$/i.exec(authorization ?? '') ?? [];
  try {
    return JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
  } catch {
    return undefined;
  }
};

/** Epoch ms; `Infinity` for a token without an expiry. */
export const expiryOf = (authorization: string | undefined): EpochMs => {
  const claims = claimsOf(authorization);
  const seconds = typeof claims === 'object' && claims && 'exp' in claims ? claims.exp : undefined;
  return typeof seconds === 'number' ? seconds * 1000 : Number.POSITIVE_INFINITY;
};
