/** DELETE of a Relay that was retired: nobody is on its roster any more, its tokens are void, and it is listed no longer. */
import { conflict, notFound } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import { closed, isClosed } from '../../rules/relays/closed-roster.ts';
import { isSilent } from '../../rules/relays/partition.ts';
import type { RelayRecord } from '../../rules/relays/relay-items.ts';
import { relayExpiry } from '../../rules/relays/roster.ts';
import { type RelayFound, readRelayFound } from '../../store/beats/relay-records.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import { readDeleteOptions } from '../request/options.ts';
import { checkPreconditions, deletedStatus } from '../verbs/delete.ts';
import { RELAY_KIND } from './relay-kind.ts';
import { lastBatchIn, recordsOf } from './relays.ts';

const CONCURRENCY = 16;

/** Throws 409 for a relay that works, and for one whose site is cut off: without it, pods that may run would be evicted (J-323). */
const checkRetired = (
  call: Call,
  { relay, state, nodes }: RelayFound,
  records: readonly RelayRecord[],
  { clock, config }: ApiServerDeps,
): void => {
  const lastBatchAt = lastBatchIn(records);
  if (lastBatchAt !== undefined && !isSilent(lastBatchAt, clock.now(), config))
    throw conflict(
      subjectOf(call),
      `the relay sends batches, and its nodes would fall silent with it: stop it first; ${config.nodeMonitorGracePeriodMs / 2_000} s after its last batch it may be deleted`,
    );
  if (state === 'CutOff')
    throw conflict(
      subjectOf(call),
      `its site is cut off, and pods of its ${nodes} nodes would be evicted although they may run: if it is lost for good, delete those Nodes first ("rollcall explain node NAME" names the relay "${relay}"), or wait for the site`,
    );
};

const close = async (
  call: Call,
  { relay }: RelayFound,
  records: readonly RelayRecord[],
  { heartbeats, clock }: ApiServerDeps,
): Promise<void> => {
  const now = clock.now();
  const outcomes = await inParallel([...records.entries()], CONCURRENCY, ([part, { roster }]) => {
    if (roster && isClosed(roster)) return Promise.resolve(true);
    const next = closed(roster, now);
    return heartbeats.replaceRoster({ relay, part }, roster?.revision, next, relayExpiry(next, now));
  });
  if (outcomes.includes(false)) throw conflict(subjectOf(call), 'nodes have joined it meanwhile');
};

/** DELETE of one Relay. Throws 404 and 409. A deletion that is broken off is finished by the next one. */
export const deleteRelay: Handle<ApiServerDeps> = async (call, deps) => {
  const { dryRun, preconditions } = readDeleteOptions(call.request);
  const stored = await readRelayFound(deps.control, call.info.name);
  if (!stored) throw notFound(subjectOf(call));
  const { found, sighting } = stored;
  checkPreconditions(
    { ...optional('uid', preconditions.uid) },
    {
      apiVersion: 'rollcall.dev/v1',
      kind: RELAY_KIND.kind,
      metadata: { name: found.relay, uid: found.relay },
    },
    RELAY_KIND.kind,
  );
  const records = await recordsOf(deps, found);
  checkRetired(call, found, records, deps);
  if (!dryRun) {
    await close(call, found, records, deps);
    await deps.control.replaceSighting(sighting, sighting, undefined);
  }
  return ok(deletedStatus(call, found.relay));
};
