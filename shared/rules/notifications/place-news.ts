/** What is told of zones and of the sites behind relays: their states, each once. */
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { Severity } from '../../settings/events/event-types.ts';
import type { ZoneState } from '../zones/zone-state.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';

/** A state that was told, or is to be told next. `since` (ms) is when it was told. */
export interface ToldState {
  readonly state: string;
  readonly since: EpochMs;
}

/** The state of a zone by its newest pass. */
export interface ZoneNow {
  readonly zone: string;
  readonly state: ZoneState;
  readonly size: number;
  readonly notReady: number;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
}

/** An event, and what is remembered of it once it is published. */
export interface PlaceNews {
  /** `zone/<name>` or `site/<relay>`. */
  readonly name: string;
  /** `undefined`: nothing is told, only remembered. */
  readonly event?: LifecycleEvent;
  /** `undefined`: there is nothing to remember. */
  readonly next: ToldState | undefined;
}

/** States by name, as told. */
export type Told = ReadonlyMap<string, ToldState>;

const SEVERITY_OF: Readonly<Record<ZoneState, Severity>> = {
  FullDisruption: 'critical',
  PartialDisruption: 'warning',
  Normal: 'resolved',
};

/** A crash between publication and memory repeats the event with this id, because the state that was told before is still the same. */
const idOf = (name: string, told: ToldState | undefined, state: string): string =>
  `${name}/${told?.since ?? 0}/${state}`;

const messageOf = ({ zone, state, size, notReady }: ZoneNow): string =>
  `zone ${zone}: ${state}, ${size - notReady} of ${size} nodes are ready`;

/** What is remembered of a zone that began in a disruption. */
const NEW = 'New';
/** For so long machines of a new zone may come up before its disruption is one, ms. */
const NEW_ZONE_MS = 60_000;

/** Nodes of a new fleet are not ready before their first reports, and nobody has to do anything about it. A clock that was set back ends it. */
const isComingUp = (state: ZoneState, before: ToldState | undefined, at: EpochMs): boolean => {
  if (state === 'Normal') return false;
  if (before === undefined) return true;
  return before.state === NEW && at >= before.since && at - before.since < NEW_ZONE_MS;
};

const zoneNews = (now: ZoneNow, told: Told, at: EpochMs): readonly PlaceNews[] => {
  const { zone, state, size, notReady, rate } = now;
  const name = `zone/${zone}`;
  const before = told.get(name);
  if (before?.state === state) return [];
  if (isComingUp(state, before, at)) return before ? [] : [{ name, next: { state: NEW, since: at } }];
  const was = before?.state === NEW ? undefined : before?.state;
  const severity = was === undefined && state === 'Normal' ? 'info' : SEVERITY_OF[state];
  const detail = {
    id: idOf(name, before, state),
    severity,
    message: messageOf(now),
    time: toTime(at),
    zone,
    state,
    ...(was ? { was } : {}),
    size,
    notReady,
    rate,
  };
  return [{ name, event: { detailType: 'ZoneStateChanged', detail }, next: { state, since: at } }];
};

/** A site that is cut off: its relay, when its last batch came (ms), and how many nodes it has. */
export interface SiteNow {
  readonly relay: string;
  readonly lastBatchAt: EpochMs;
  readonly nodes: number;
}

const CUT_OFF = 'CutOff';
const SITE_PREFIX = 'site/';

/** Name under which a site is remembered. */
export const siteName = (relay: string): string => `${SITE_PREFIX}${relay}`;

const partitioned = ({ relay, lastBatchAt, nodes }: SiteNow, at: EpochMs): PlaceNews => {
  const name = siteName(relay);
  const message = `relay ${relay} and all its ${nodes} nodes have fallen silent together: the site seems to have lost its uplink`;
  const detail = {
    id: `${name}/${lastBatchAt}/${CUT_OFF}`,
    severity: 'critical' as const,
    message,
    time: toTime(at),
    relay,
    nodes,
    lastBatch: toTime(lastBatchAt),
  };
  return { name, event: { detailType: 'SitePartitioned', detail }, next: { state: CUT_OFF, since: at } };
};

const returned = (name: string, { since }: ToldState, at: EpochMs): PlaceNews => {
  const relay = name.slice(SITE_PREFIX.length);
  const message = `the site of relay ${relay} is cut off no longer`;
  const seconds = Math.max(0, Math.round((at - since) / 1000));
  const detail = {
    id: `${name}/${since}/Returned`,
    severity: 'resolved' as const,
    message,
    time: toTime(at),
    relay,
    cutOffSeconds: seconds,
  };
  return { name, event: { detailType: 'SiteReturned', detail }, next: undefined };
};

/**
 * What has to be told at `at` (ms), and remembered after that. A pass that is repeated before it has remembered tells the same again, with the same ids.
 * A zone that is gone is told nothing of.
 */
export const placeNews = (
  zones: readonly ZoneNow[],
  cutOff: readonly SiteNow[],
  told: Told,
  at: EpochMs,
): readonly PlaceNews[] => {
  const away = new Set(cutOff.map(({ relay }) => siteName(relay)));
  return [
    ...zones.flatMap((zone) => zoneNews(zone, told, at)),
    ...cutOff.filter(({ relay }) => !told.has(siteName(relay))).map((site) => partitioned(site, at)),
    ...[...told]
      .filter(([name]) => name.startsWith(SITE_PREFIX) && !away.has(name))
      .map(([name, before]) => returned(name, before, at)),
  ];
};

/** What is remembered of zones that no pass finds any more. */
export const forgottenZones = (zones: readonly ZoneNow[], told: Told): readonly string[] => {
  const there = new Set(zones.map(({ zone }) => `zone/${zone}`));
  return [...told.keys()].filter((name) => name.startsWith('zone/') && !there.has(name));
};
