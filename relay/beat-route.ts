/** Answers the beats of nodes that the relay knows, and lets all others through to the API. */

import { forward } from '../gateway/forward/forward.ts';
import type { Route } from '../gateway/forward/gateway.ts';
import type { Upstream } from '../gateway/upstream/upstream.ts';
import type { Again, HttpRequest, HttpResponse } from '../shared/apiserver/contract/http.ts';
import { nextHeartbeatSeconds } from '../shared/apiserver/leases/heartbeats.ts';
import { serviceUnavailable } from '../shared/kube/errors/status-error.ts';
import { WORK_REVISION_HEADER } from '../shared/kube/types/well-known.ts';
import { toMicroTime } from '../shared/kube/values/time.ts';
import type { Clock } from '../shared/ports/process/clock.ts';
import { type BeatRequest, beatRequest } from './beat-request.ts';
import { type ShownToken, shownToken } from './shown-token.ts';
import type { Site } from './site.ts';
import type { SiteNode } from './site-node.ts';

export interface BeatRouteDeps {
  readonly site: Site;
  /** The address for heartbeats. */
  readonly upstream: Upstream;
  readonly clock: Clock;
}

const receiptFor = (
  node: SiteNode,
  { intervalSeconds }: BeatRequest,
  { site, clock }: BeatRouteDeps,
): object => ({
  kind: 'HeartbeatReceipt',
  apiVersion: 'rollcall.dev/v1',
  node: node.name,
  observedAt: new Date(clock.now()).toISOString(),
  graceSeconds: site.graceMs() / 1000,
  nextHeartbeatSeconds: nextHeartbeatSeconds(intervalSeconds ?? site.intervalMs() / 1000, site.graceMs()),
  workRevision: node.workRevision,
});

/** The Lease as the API last showed it, renewed now: its version is still the one that is stored there. */
const renewed = (lease: object, { clock }: BeatRouteDeps): object => ({
  ...lease,
  spec: { ...('spec' in lease ? (lease.spec as object) : {}), renewTime: toMicroTime(clock.now()) },
});

const answerFor = (node: SiteNode, beat: BeatRequest, deps: BeatRouteDeps): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', [WORK_REVISION_HEADER]: node.workRevision },
  body: JSON.stringify(beat.isPlain ? receiptFor(node, beat, deps) : renewed(node.lease ?? {}, deps)),
});

/** The node, if the relay can answer this beat of it. */
const answerable = (shown: ShownToken, beat: BeatRequest, { site }: BeatRouteDeps): SiteNode | undefined => {
  const node = site.find(shown);
  return node && (beat.isPlain || node.lease) ? node : undefined;
};

/** How the beat is answered when it comes again. A plain heartbeat is the same only with the same body. */
const againFor =
  (shown: ShownToken, beat: BeatRequest, first: Uint8Array, deps: BeatRouteDeps): Again =>
  (body) => {
    const node =
      beat.isPlain && Buffer.compare(body, first) !== 0 ? undefined : answerable(shown, beat, deps);
    if (!node || deps.site.isCutOff(node)) return undefined;
    deps.site.heard(node.name, beat.isPlain);
    return answerFor(node, beat, deps);
  };

const parsed = (body: HttpResponse['body']): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString()) as Record<
      string,
      unknown
    >;
  } catch {
    return {};
  }
};

const toldBy = ({ headers, body }: HttpResponse, { isPlain }: BeatRequest) => {
  const answer = parsed(body);
  const revision = isPlain ? answer['workRevision'] : headers[WORK_REVISION_HEADER];
  const lease = isPlain || answer['kind'] !== 'Lease' ? {} : { lease: answer };
  return { workRevision: typeof revision === 'string' ? revision : '0', ...lease };
};

/** Lets a beat through. If the API accepts it, its token is valid. */
const letThrough = async (
  request: HttpRequest,
  beat: BeatRequest,
  shown: ShownToken,
  { site, upstream }: BeatRouteDeps,
): Promise<HttpResponse> => {
  const answer = await forward(request, upstream);
  if (answer.status >= 300) return answer;
  site.accepted(shown, toldBy(answer, beat));
  site.heard(shown.name, beat.isPlain);
  return answer;
};

const cutOff = (): Error =>
  serviceUnavailable('the relay does not reach the control plane; it keeps the age of this heartbeat', {
    retryAfterSeconds: 10,
  });

const answerBeat = async (
  request: HttpRequest,
  beat: BeatRequest,
  shown: ShownToken,
  deps: BeatRouteDeps,
): Promise<HttpResponse> => {
  const node = answerable(shown, beat, deps);
  if (!node) return letThrough(request, beat, shown, deps);
  deps.site.heard(node.name, beat.isPlain);
  // Its node must learn that the control plane takes it for silent.
  if (deps.site.isCutOff(node)) throw cutOff();
  return { ...answerFor(node, beat, deps), again: againFor(shown, beat, request.body, deps) };
};

/** The route for beats. A beat with a token of another node goes to the API, which refuses it. */
export const createBeatRoute =
  (deps: BeatRouteDeps): Route =>
  (request) => {
    const beat = beatRequest(request);
    if (!beat) return undefined;
    const shown = shownToken(request.headers['authorization']);
    if (shown?.name !== beat.node) return forward(request, deps.upstream);
    return answerBeat(request, beat, shown, deps);
  };
