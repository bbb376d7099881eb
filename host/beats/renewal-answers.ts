/** Answers to renewals of one Lease, which differ in its version and its instant only. */
import { encodePlainly } from '../../shared/apiserver/answer/encode.ts';
import type { HttpResponse } from '../../shared/apiserver/contract/http.ts';
import { leaseAnswer } from '../../shared/apiserver/leases/leases.ts';
import type { HeartbeatItem } from '../../shared/ports/store/heartbeats.ts';

/** An answer, cut where its version and its instant are. */
interface Pieces {
  /** For items that have everything else from this one. */
  readonly item: HeartbeatItem;
  readonly headers: HttpResponse['headers'];
  readonly texts: readonly [beforeVersion: string, beforeTime: string, afterTime: string];
}

const renewTimeOf = ({ lease }: HeartbeatItem): string => lease?.spec.renewTime ?? '';

/** The text before and after a member of a JSON text; `undefined` if it is not there, or more than once. A quote in a value is escaped, so none is taken for it. */
const cutAt = (text: string, name: string, value: string): readonly [string, string] | undefined => {
  const [before, after, ...more] = text.split(`"${name}":"${value}"`);
  if (before === undefined || after === undefined || more.length > 0) return undefined;
  return [`${before}"${name}":"`, `"${after}`];
};

const piecesOf = (item: HeartbeatItem, { headers, body }: HttpResponse): Pieces | undefined => {
  const byVersion = cutAt(String(body), 'resourceVersion', String(item.version));
  const byTime = byVersion && cutAt(byVersion[1], 'renewTime', renewTimeOf(item));
  return byTime && { item, headers, texts: [byVersion[0], ...byTime] };
};

/** Whether the answer for `item` has the same pieces. Renewals of one connection share the metadata of their Lease. */
const isLike = ({ item: known }: Pieces, item: HeartbeatItem): boolean =>
  item.uid === known.uid &&
  item.workRevision === known.workRevision &&
  item.lease?.metadata === known.lease?.metadata &&
  item.lease?.uid === known.lease?.uid &&
  item.lease?.createdAt === known.lease?.createdAt;

/**
 * Answers renewals as the ordinary way does. Give it what was stored for renewals of one Lease that differ in their version and their instant
 * only.
 */
export const createRenewalAnswers = (): ((item: HeartbeatItem) => HttpResponse) => {
  let known: Pieces | undefined;
  return (item) => {
    if (known && isLike(known, item)) {
      const { headers, texts } = known;
      const body = `${texts[0]}${item.version}${texts[1]}${renewTimeOf(item)}${texts[2]}`;
      return { status: 200, headers, body };
    }
    const response = encodePlainly(leaseAnswer(200, item));
    known = piecesOf(item, response);
    return response;
  };
};
