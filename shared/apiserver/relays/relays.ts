/** rollcall.dev/v1 Relays: what the monitor's passes find of each relay, with the age of its last batch. */

import { notFound } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import type { RelayRecord } from '../../rules/relays/relay-items.ts';
import { stateNow } from '../../rules/relays/relay-summary.ts';
import {
  RELAY_PREFIX,
  RELAY_TOPIC,
  type RelayFound,
  readRelayFound,
  relayFound,
} from '../../store/beats/relay-records.ts';
import { inParallel } from '../../store/turns/in-parallel.ts';
import type { Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import { readListOptions } from '../request/list-options.ts';
import { listOf } from '../verbs/list.ts';
import { RELAY_KIND } from './relay-kind.ts';

/** Parts whose last batches one answer reads, unless its only relay has more. */
const MOST_PARTS_READ = 1_000;
const CONCURRENCY = 16;

/** The records of all parts of a relay, from part 0 on. */
export const recordsOf = (
  { heartbeats }: Pick<ApiServerDeps, 'heartbeats'>,
  { relay, parts }: Pick<RelayFound, 'relay' | 'parts'>,
): Promise<readonly RelayRecord[]> =>
  inParallel(
    Array.from({ length: parts }, (_, part) => part),
    CONCURRENCY,
    (part) => heartbeats.readRelay({ relay, part }),
  );

/** When the last batch of a relay was received (ms); `undefined`: none is stored. */
export const lastBatchIn = (records: readonly RelayRecord[]): EpochMs | undefined => {
  const latest = records.reduce((last, { beats }) => Math.max(last, beats?.receivedAt ?? 0), 0);
  return latest === 0 ? undefined : latest;
};

type RelayObject = ApiObject & { readonly status: object };

/** A relay as an API object. Its uid is its name, as in the Events about it. */
const relayObject = (
  found: RelayFound,
  lastBatchAt: EpochMs | undefined,
  { clock, config }: Pick<ApiServerDeps, 'clock' | 'config'>,
): RelayObject => {
  const { relay: name, parts, nodes, zones } = found;
  const state =
    lastBatchAt === undefined ? found.state : stateNow(found.state, lastBatchAt, clock.now(), config);
  const since = state === found.state ? found.since : Math.max(found.since, lastBatchAt ?? 0);
  const version = Math.max(found.since, lastBatchAt ?? 0);
  return {
    kind: RELAY_KIND.kind,
    apiVersion: 'rollcall.dev/v1',
    metadata: { name, uid: name, resourceVersion: String(version) },
    status: {
      state,
      lastTransitionTime: toTime(since),
      ...optional('lastBatchTime', lastBatchAt === undefined ? undefined : toTime(lastBatchAt)),
      nodes,
      parts,
      zones,
    },
  };
};

const readObject = async (found: RelayFound, deps: ApiServerDeps): Promise<RelayObject> =>
  relayObject(found, lastBatchIn(await recordsOf(deps, found)), deps);

/** The first of these relays, as many as one answer may read. */
const pageOf = (relays: readonly RelayFound[], limit: number): readonly RelayFound[] => {
  let room = MOST_PARTS_READ;
  const end = relays.findIndex(({ parts }, index) => {
    room -= parts;
    return index >= limit || (room < 0 && index > 0);
  });
  return end < 0 ? relays : relays.slice(0, end);
};

const allFound = async ({ control }: ApiServerDeps): Promise<readonly RelayFound[]> =>
  (await control.sightings(RELAY_TOPIC, RELAY_PREFIX))
    .map(relayFound)
    .sort((a, b) => (a.relay < b.relay ? -1 : 1));

/** All relays, with the ages of their last batches. */
export const readRelays = async (deps: ApiServerDeps): Promise<readonly RelayObject[]> =>
  inParallel(await allFound(deps), 2, (found) => readObject(found, deps));

/** GET of the collection, in pages. */
export const listRelays: Handle<ApiServerDeps> = async ({ request }, deps) => {
  const now = deps.clock.now();
  const {
    matches,
    continueAt,
    limit = Number.POSITIVE_INFINITY,
  } = readListOptions(request.query, RELAY_KIND, () => ({}));
  const after = continueAt?.after ?? '';
  const left = (await allFound(deps)).filter(
    (found) => found.relay > after && matches(relayObject(found, undefined, deps)),
  );
  const page = pageOf(left, limit);
  const objects = await inParallel(page, 2, (found) => readObject(found, deps));
  const last = page.at(-1);
  const more =
    last && page.length < left.length
      ? { next: { after: last.relay }, remaining: left.length - page.length }
      : {};
  return ok(listOf(RELAY_KIND, { revision: now, objects, ...more }, now));
};

/** GET of one Relay. Throws 404. */
export const getRelay: Handle<ApiServerDeps> = async (call, deps) => {
  const stored = await readRelayFound(deps.control, call.info.name);
  if (!stored) throw notFound(subjectOf(call));
  return ok(await readObject(stored.found, deps));
};
