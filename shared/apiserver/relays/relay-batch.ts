/** Batches of relays: POST /apis/rollcall.dev/v1/heartbeats. */
import { isAdmin, relayNameOf, type User } from '../../kinds/contract/user.ts';
import { forbidden, StatusError } from '../../kube/errors/status-error.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { BATCH_VERSIONS } from '../../rules/relays/batch-versions.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';
import type { Handle } from '../contract/call.ts';
import type { HeartbeatServerDeps } from '../contract/deps.ts';
import { type Answer, ok } from '../contract/http.ts';
import { nextHeartbeatSeconds } from '../leases/heartbeats.ts';
import { acceptPart, type Step } from './accept-part.ts';
import { BATCH_KIND } from './batch-kind.ts';
import { type FaultyPart, readBatch, type SentPart } from './read-batch.ts';

/** Header of a 409: the sequence that is stored. The next batch must have a higher one. */
export const SEQUENCE_HEADER = 'rollcall-relay-sequence';

const checkSender = (user: User, relay: string): void => {
  if (isAdmin(user) || relayNameOf(user) === relay) return;
  throw forbidden(
    { resource: BATCH_KIND.resource, group: BATCH_KIND.group, name: relay },
    `user "${user.name}" may not speak for relay "${relay}"`,
  );
};

/** What a receipt says whatever the number of its parts. */
const headOf = (now: EpochMs, { config }: HeartbeatServerDeps) => ({
  kind: 'RelayReceipt',
  apiVersion: 'rollcall.dev/v1',
  observedAt: toTime(now),
  graceSeconds: config.nodeMonitorGracePeriodMs / 1000,
  nextBatchSeconds: nextHeartbeatSeconds(config.heartbeatIntervalSeconds, config.nodeMonitorGracePeriodMs),
  batchVersions: BATCH_VERSIONS,
});

const answerPart = async (user: User, step: Step, sent: SentPart): Promise<Answer> => {
  const accepted = await acceptPart(user, step, sent);
  if (!('stored' in accepted)) return ok({ ...headOf(step.now, step.deps), ...step.part, ...accepted });
  const { stored, error } = accepted;
  return { status: error.code, headers: { [SEQUENCE_HEADER]: String(stored) }, body: error.toStatus() };
};

const refusalOf = (part: number, { code, reason, message }: StatusError) => ({ part, code, reason, message });

/** The answer to one of several parts: with a `code` as if it had been a request of its own (J-327). */
const answerAmong = async (user: User, step: Step, sent: SentPart | FaultyPart): Promise<object> => {
  const { part } = sent;
  if ('fault' in sent) return refusalOf(part, sent.fault);
  try {
    const accepted = await acceptPart(user, step, sent);
    if (!('stored' in accepted)) return { part, code: 200, ...accepted };
    return { ...refusalOf(part, accepted.error), sequence: accepted.stored };
  } catch (error) {
    if (error instanceof StatusError) return refusalOf(part, error);
    throw error;
  }
};

/** Parts of one batch that are read and written at the same time. */
const CONCURRENCY = 16;

/**
 * POST of a batch, of one part or of several. Throws 400, 403, 409 and 413; a part that is out of turn changes nothing, and gets 409 with the
 * stored sequence: in a header, or, among several parts, in its own answer.
 */
export const relayBatch: Handle<HeartbeatServerDeps> = async ({ request, user }, deps) => {
  const batch = readBatch(request);
  const { relay } = batch;
  checkSender(user, relay);
  // Taken before anything else: ages count from when the batch was received.
  const now = deps.clock.now();
  const stepOf = ({ part }: Pick<SentPart, 'part'>): Step => ({ part: { relay, part }, now, deps });
  if (batch.version === 1) return answerPart(user, stepOf(batch.part), batch.part);
  const parts = await inParallel(batch.parts, CONCURRENCY, (sent) => answerAmong(user, stepOf(sent), sent));
  return ok({ ...headOf(now, deps), relay, parts });
};
