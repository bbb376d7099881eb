/** How a beat is answered when it comes again on a connection: in the same turn, and as the ordinary way answers it (J-300). */
import { encodePlainly } from '../../apiserver/answer/encode.ts';
import type { Call } from '../../apiserver/contract/call.ts';
import type { ApiServerConfig } from '../../apiserver/contract/deps.ts';
import { type Again, type HttpResponse, mediaTypeOf, ok } from '../../apiserver/contract/http.ts';
import type { TokenPayload } from '../../apiserver/contract/token-user.ts';
import { isValid, type VerifiedTokens } from '../../apiserver/contract/verified-tokens.ts';
import { beatOf, readInterval, receiptOf } from '../../apiserver/leases/heartbeats.ts';
import { leaseAnswer, readLease, renewalOf, writeOf } from '../../apiserver/leases/leases.ts';
import type { KeysAtOnce } from '../../ports/outside/signing-keys.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { BeatsAtOnce } from '../../ports/store/beats-at-once.ts';
import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import { renewalReader } from './renewal-places.ts';
import type { Shortcuts } from './shortcuts.ts';

export interface RepeatedBeatsDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: ApiServerConfig;
  readonly beats: BeatsAtOnce;
  readonly verified: Pick<VerifiedTokens<TokenPayload>, 'peek'>;
  readonly signingKeys: KeysAtOnce;
  readonly shortcuts: Pick<Shortcuts, 'renewals' | 'pieces'>;
}

/** An answer, cut where its version and its instant are. */
interface Pieces {
  /** For items that have everything else from this one. */
  readonly item: HeartbeatItem;
  readonly headers: HttpResponse['headers'];
  readonly texts: readonly [beforeVersion: string, beforeTime: string, afterTime: string];
}

/** Whether the token is still valid. One of a key that no longer signs is left to the ordinary way, which records its use. */
const isTokenValid = (token: string, { clock, verified, signingKeys }: RepeatedBeatsDeps): boolean => {
  const known = verified.peek(token);
  const { kid, secret } = signingKeys.now();
  return known?.kid === kid && known.key === secret && isValid(known.payload, clock.now());
};

const heartbeatAgain = (call: Call, deps: RepeatedBeatsDeps): Again => {
  const first = Buffer.from(call.request.body);
  const interval = readInterval(call.request);
  return (body) => {
    if (first.compare(body) !== 0) return undefined;
    const beat = beatOf(call, deps);
    const beaten = deps.beats.beat(beat);
    if (beaten.outcome !== 'accepted') return undefined;
    return encodePlainly(ok(receiptOf(beaten.item, interval, beat.at, deps)));
  };
};

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Reads the Lease of a body that came like the one of `call`. */
const decoder = (call: Call) => (body: Uint8Array) => {
  const warnings: string[] = [];
  const lease = readLease({ ...call, request: { ...call.request, body, warnings } });
  if (warnings.length > 0) throw new Error('a body with warnings is read as a whole');
  return lease;
};

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

const wholeAnswer = (item: HeartbeatItem): HttpResponse => encodePlainly(leaseAnswer(200, item));

/**
 * Answers renewals of one Lease as the ordinary way does. The items that were stored for these renewals differ in their version
 * and their instant only.
 */
export const createRenewalAnswers = (): ((item: HeartbeatItem) => HttpResponse) => {
  let known: Pieces | undefined;
  return (item) => {
    if (known && isLike(known, item)) {
      const { headers, texts } = known;
      const body = `${texts[0]}${item.version}${texts[1]}${renewTimeOf(item)}${texts[2]}`;
      return { status: 200, headers, body };
    }
    const response = wholeAnswer(item);
    known = piecesOf(item, response);
    return response;
  };
};

/** Reads, writes and answers renewals like the one of `call`. */
const renewalsLike = (call: Call, deps: RepeatedBeatsDeps) => {
  const decode = decoder(call);
  const { body, headers } = call.request;
  const lease = decode(body);
  const isJson = mediaTypeOf(headers['content-type']) !== PROTOBUF;
  const like = writeOf(call, lease, undefined, deps);
  const answer = deps.shortcuts.pieces ? createRenewalAnswers() : wholeAnswer;
  return { read: renewalReader(body, lease, isJson, decode), like, answer };
};

const renewalAgain = (call: Call, deps: RepeatedBeatsDeps): Again => {
  let renewals: ReturnType<typeof renewalsLike> | undefined;
  return (body) => {
    // Only now: most clients that send one renewal send another one.
    renewals ??= renewalsLike(call, deps);
    const { read, like, answer } = renewals;
    const renewal = read?.(body);
    if (!renewal) return undefined;
    const { resourceVersion, renewTime } = renewal;
    const written = deps.beats.writeLease(renewalOf(like, renewTime, Number(resourceVersion), deps));
    return written.outcome === 'stored' ? answer(written.item) : undefined;
  };
};

/** What answers this request when it comes again. Its like was answered, so that it was permitted. */
const answerOf = (call: Call, deps: RepeatedBeatsDeps): Again | undefined => {
  const { verb, resource } = call.info;
  if (resource === 'nodes') return heartbeatAgain(call, deps);
  return verb === 'update' && deps.shortcuts.renewals ? renewalAgain(call, deps) : undefined;
};

/** How a known beat is answered when its like comes again; never in another way than by the server that has answered it. */
export const createRepeatedBeats =
  (deps: RepeatedBeatsDeps) =>
  (call: Call, token: string): Again | undefined => {
    if (call.request.warnings?.length !== 0) return undefined;
    const answer = answerOf(call, deps);
    return (
      answer &&
      ((body) => {
        try {
          return isTokenValid(token, deps) ? answer(body) : undefined;
        } catch {
          // The ordinary way meets the same error, and tells the client.
          return undefined;
        }
      })
    );
  };
