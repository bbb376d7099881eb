/**
 * Tells subscribers the states of zones and sites, each once: what was told is remembered beside the zones. What was found of relays is remembered there, too,
 * for those who list them.
 */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { ControlStore, Sighting } from '../../shared/ports/store/control-store.ts';
import {
  forgottenZones,
  type PlaceNews,
  placeNews,
  type SiteNow,
  siteName,
  type Told,
} from '../../shared/rules/notifications/place-news.ts';
import type { RelayView } from '../../shared/rules/relays/partition.ts';
import type { RelaySummary } from '../../shared/rules/relays/relay-summary.ts';
import { nextSighting, RELAY_PREFIX, relayFound } from '../../shared/store/beats/relay-records.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { Pause } from './judge/slices.ts';
import type { ZoneReport } from './report.ts';

interface TellDeps {
  readonly control: Pick<ControlStore, 'sightings' | 'replaceSighting'>;
  readonly bus: EventBus;
  /** Lets requests be answered between two writes: of a thousand relays something may be new at once. */
  readonly pause?: Pause;
}

const topic = 'told';
const CONCURRENCY = 16;

/** Those of which nobody can know that they are back, and that were told, are still cut off. */
const sitesOf = ({ cutOff, unsure }: RelayView, told: Told): readonly SiteNow[] =>
  [...cutOff, ...unsure.filter(({ relay }) => told.has(siteName(relay)))].map(
    ({ relay, lastBatchAt, nodes }) => ({ relay, lastBatchAt, nodes: nodes.size }),
  );

const remember = (
  { control }: TellDeps,
  { name, next }: Pick<PlaceNews, 'name' | 'next'>,
  read: Sighting | undefined,
): Promise<boolean> =>
  control.replaceSighting({ topic, name }, read, next && { topic, name, uid: next.state, since: next.since });

type Read = ReadonlyMap<string, Sighting>;

interface FoundRelays extends RelayView {
  readonly summaries: readonly RelaySummary[];
}

/** What to remember of a relay: it is cut off until somebody could have heard that it is not. */
const sightingOf = (
  summary: RelaySummary,
  unsure: ReadonlySet<string>,
  read: Read,
  now: EpochMs,
): Sighting => {
  const before = read.get(`${RELAY_PREFIX}${summary.relay}`);
  const stays = unsure.has(summary.relay) && before !== undefined && relayFound(before).state === 'CutOff';
  return nextSighting(stays ? { ...summary, state: 'CutOff' } : summary, before, now);
};

/** Stores what is new of relays, and forgets those that are gone. */
const rememberRelays = async (
  { control, pause }: TellDeps,
  relays: FoundRelays,
  read: Read,
  now: EpochMs,
): Promise<void> => {
  // After an absence of the host these are all.
  const unsure = new Set(relays.unsure.map(({ relay }) => relay));
  const next = relays.summaries.map((summary) => sightingOf(summary, unsure, read, now));
  const there = new Set(next.map(({ name }) => name));
  const gone = [...read.values()].filter(({ name }) => name.startsWith(RELAY_PREFIX) && !there.has(name));
  const changes = [
    ...next.map((one) => ({ name: one.name, next: one })),
    ...gone.map(({ name }) => ({ name, next: undefined })),
  ].filter((one) => one.next !== read.get(one.name));
  await inParallel(changes, CONCURRENCY, async (one) => {
    await pause?.();
    return control.replaceSighting({ topic, name: one.name }, read.get(one.name), one.next);
  });
};

/**
 * Publishes first and remembers then: a crash in between repeats the event, with the same id. Throws if the bus or the table fails; the next pass
 * tells it then.
 */
export const tellPlaces = async (
  deps: TellDeps,
  zones: readonly ZoneReport[],
  relays: FoundRelays,
  now: EpochMs,
): Promise<void> => {
  const read = new Map((await deps.control.sightings(topic)).map((one) => [one.name, one]));
  const told = new Map([...read].map(([name, { uid: state, since }]) => [name, { state, since }]));
  const news = placeNews(zones, sitesOf(relays, told), told, now);
  const gone = forgottenZones(zones, told).map((name) => ({ name, next: undefined }));
  const events = news.flatMap(({ event }) => event ?? []);
  if (events.length > 0) await deps.bus.publish(events);
  await inParallel([...news, ...gone], CONCURRENCY, (one) => remember(deps, one, read.get(one.name)));
  await rememberRelays(deps, relays, read, now);
};
