/** The `continue` token of a page of a node's work. */
import { badRequest } from '../../kube/errors/status-error.ts';

/** Where a page begins. */
export interface WorkPlace {
  /** Uid of the last pod that was shown with all that it refers to; `''` if none was. */
  readonly after: string;
  /** The next pod, if it was shown already, and the last object that was shown with it, `''` for none. */
  readonly pod?: string;
  readonly object?: string;
}

/** A place, and the revision as of which the first page was read. */
export interface WorkPosition extends WorkPlace {
  readonly revision: string;
}

const FORM = /^work\/1 (\d{1,16}) ([\w-]*) ([\w-]*) ([\w./-]*)$/;

/** The token for a position; it is a part of a URL. */
export const encodePosition = ({ revision, after, pod = '', object = '' }: WorkPosition): string =>
  Buffer.from(`work/1 ${revision} ${after} ${pod} ${object}`).toString('base64url');

/** Throws 400. */
export const decodePosition = (token: string): WorkPosition => {
  const [, revision, after, pod = '', object = ''] =
    FORM.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (revision === undefined || after === undefined)
    throw badRequest('continue must be the metadata.continue of the page before; ask again without it');
  return { revision, after, ...(pod === '' ? {} : { pod, object }) };
};
