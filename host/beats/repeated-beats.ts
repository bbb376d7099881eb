/** How a beat is answered when it comes again on a connection: in the same turn, and as the ordinary way answers it (J-300). */

import { encodePlainly } from '../../shared/apiserver/answer/encode.ts';
import type { Call } from '../../shared/apiserver/contract/call.ts';
import type { ApiServerConfig } from '../../shared/apiserver/contract/deps.ts';
import { type Again, mediaTypeOf, ok } from '../../shared/apiserver/contract/http.ts';
import type { TokenPayload } from '../../shared/apiserver/contract/token-user.ts';
import { isValid, type VerifiedTokens } from '../../shared/apiserver/contract/verified-tokens.ts';
import { beatOf, readInterval, receiptOf } from '../../shared/apiserver/leases/heartbeats.ts';
import { readLease, renewalOf, writeOf } from '../../shared/apiserver/leases/leases.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { BeatsAtOnce } from '../../shared/ports/store/beats-at-once.ts';
import type { KeysAtOnce } from '../folder/signing-keys.ts';
import { createRenewalAnswers } from './renewal-answers.ts';
import { renewalReader } from './renewal-places.ts';

export interface RepeatedBeatsDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly config: ApiServerConfig;
  readonly beats: BeatsAtOnce;
  readonly verified: Pick<VerifiedTokens<TokenPayload>, 'peek'>;
  readonly signingKeys: KeysAtOnce;
}

/** Whether the token is still valid. One of a key that no longer signs is left to the ordinary way, which records its use. */
const isTokenValid = (token: string, { clock, verified, signingKeys }: RepeatedBeatsDeps): boolean => {
  const known = verified.peek(token);
  const { kid, secret } = signingKeys.now();
  return known?.kid === kid && known.secret === secret && isValid(known.payload, clock.now());
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

/** Reads, writes and answers renewals like the one of `call`. */
const renewalsLike = (call: Call, deps: RepeatedBeatsDeps) => {
  const decode = decoder(call);
  const { body, headers } = call.request;
  const lease = decode(body);
  const isJson = mediaTypeOf(headers['content-type']) !== PROTOBUF;
  const like = writeOf(call, lease, undefined, deps);
  return { read: renewalReader(body, lease, isJson, decode), like, answer: createRenewalAnswers() };
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
  return verb === 'update' ? renewalAgain(call, deps) : undefined;
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
