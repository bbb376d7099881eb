/** The `continue` token of a list that is read in pages. */

import { badRequest, hasReason, resourceExpired } from '../../kube/errors/status-error.ts';
import { jsonSyntaxFault } from '../../kube/json/json-syntax.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { ListPosition } from '../../store/lists/lists.ts';

const TOKEN_VERSION = 'meta.k8s.io/v1';
/** In a token: continue at the newest revision instead of a fixed one. */
const NEWEST = -1;
/**
 * Milliseconds after its first page for which a list can be continued at the same revision: etcd's compaction
 * interval.
 */
const LIFETIME_MS = 5 * 60_000;

/** Where a list continues. */
export interface Continued {
  readonly continueAt: ListPosition;
  /** When the first page of the list was read (ms). */
  readonly begunAt: EpochMs;
}

type MaybeContinued = { readonly [K in keyof Continued]?: Continued[K] | undefined };

/** Encodes the `continue` token of a page. */
export const encodeContinue = ({ continueAt, begunAt }: Continued): string => {
  const { revision = NEWEST, after } = continueAt;
  return Buffer.from(JSON.stringify({ v: TOKEN_VERSION, rv: revision, start: after, at: begunAt })).toString(
    'base64url',
  );
};

interface ContinueToken {
  readonly v?: unknown;
  readonly rv?: unknown;
  readonly start?: unknown;
  readonly at?: unknown;
}

const invalidToken = (why: string) => badRequest(`invalid continue token: continue key is not valid${why}`);

const tokenText = (token: string): string => {
  const position = token.search(/[^A-Za-z0-9_-]/);
  const isWhole = position < 0 && token.length % 4 !== 1;
  if (!isWhole)
    throw invalidToken(`: illegal base64 data at input byte ${position < 0 ? token.length - 1 : position}`);
  return Buffer.from(token, 'base64url').toString();
};

const readToken = (text: string): ContinueToken => {
  const fault = jsonSyntaxFault(text);
  if (fault !== undefined) throw invalidToken(`: ${fault}`);
  return (JSON.parse(text) ?? {}) as ContinueToken;
};

/**
 * Decodes a `continue` token. Throws 400. A token without an instant comes from an older version. Source:
 * apiserver v1.34 `storage/continue.go` `DecodeContinue`.
 */
export const decodeContinue = (token: string): Continued => {
  const { v, rv, start, at } = readToken(tokenText(token));
  if (v !== TOKEN_VERSION)
    throw invalidToken(`: server does not recognize this encoded version ${typeof v === 'string' ? v : ''}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0)
    throw invalidToken(`: incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  if (typeof start !== 'string' || start === '')
    throw invalidToken(`: encoded start key empty (version ${TOKEN_VERSION})`);
  const begunAt = typeof at === 'number' ? at : 0;
  return { continueAt: rv < 0 ? { after: start } : { revision: rv, after: start }, begunAt };
};

// Source: apiserver v1.34 `storage/etcd3/errors.go` `handleCompactedErrorForPaging`.
const tooOld = ({ after }: ListPosition, now: EpochMs): Error =>
  resourceExpired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    { continue: encodeContinue({ continueAt: { after }, begunAt: now }) },
  );

/**
 * Reads a page of a list, which may continue an earlier page. Throws 410 if the first page was read more than
 * five minutes before `now`, or the history is no longer kept; the error carries a token that continues after the
 * same object at the newest revision.
 */
export const readContinued = async <P>(
  { continueAt, begunAt }: MaybeContinued,
  now: EpochMs,
  read: () => Promise<P>,
): Promise<P> => {
  if (!continueAt || begunAt === undefined) return read();
  const isConsistent = continueAt.revision !== undefined;
  if (isConsistent && now - begunAt > LIFETIME_MS) throw tooOld(continueAt, now);
  try {
    return await read();
  } catch (error) {
    throw hasReason(error, 'Expired') ? tooOld(continueAt, now) : error;
  }
};

/**
 * When the list began, for the token of the next page (ms). An instant in the future, from before the clock was
 * set back, counts as now.
 */
export const begunAtOf = ({ continueAt, begunAt }: MaybeContinued, now: EpochMs): EpochMs =>
  begunAt === undefined || continueAt?.revision === undefined ? now : Math.min(begunAt, now);
