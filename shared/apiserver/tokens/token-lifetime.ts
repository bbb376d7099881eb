/** For how long a machine asks for a token. */
import { badRequest } from '../../kube/errors/status-error.ts';
import { checkMediaType, parseJson } from '../body/body.ts';
import type { HttpRequest } from '../contract/http.ts';

/** What may be asked for, and what counts if nothing is. */
interface Lifetime {
  readonly least: number;
  readonly usual: number;
  readonly most: number;
}

/** The `ttlSeconds` of a request for a token. Throws 400 and 415. */
export const readLifetime = (request: HttpRequest, { least, usual, most }: Lifetime): number => {
  if (request.body.byteLength === 0) return usual;
  checkMediaType(request, 'application/json');
  const value = parseJson(request.body, (complaint) =>
    badRequest(`the token request is not JSON: ${complaint}`),
  );
  const ttl = (value as { readonly ttlSeconds?: unknown } | null)?.ttlSeconds ?? usual;
  if (Number.isInteger(ttl) && Number(ttl) >= least && Number(ttl) <= most) return Number(ttl);
  throw badRequest(`ttlSeconds must be a whole number from ${least} to ${most}`);
};
