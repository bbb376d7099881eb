/** The `continue` token of a page of a node's work. */
import { badRequest } from '../../api/status-error.ts';

/** Where the next page begins, and the revision as of which the first one was read. */
export interface WorkPosition {
  readonly revision: string;
  readonly after: string;
}

const FORM = /^work\/1 (\d{1,16}) ([012]\/[^\s/]+\/[^\s/]+)$/;

/** The token for a position; it is a part of a URL. */
export const encodePosition = ({ revision, after }: WorkPosition): string =>
  Buffer.from(`work/1 ${revision} ${after}`).toString('base64url');

/** Throws 400. */
export const decodePosition = (token: string): WorkPosition => {
  const [, revision, after] = FORM.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (revision === undefined || after === undefined)
    throw badRequest('continue must be the metadata.continue of the page before; ask again without it');
  return { revision, after };
};
