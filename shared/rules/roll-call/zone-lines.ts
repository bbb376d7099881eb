/** What a roll call shows of a zone: its nodes are counted when it is read; state and rate are those of the last pass. */

import { printable } from '../../kube/text/printable.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { LABEL_REGION, LABEL_ZONE } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import { slotBehind } from '../explain/zone/zone-slot.ts';
import type { ZoneFacts } from '../zones/zone-facts.ts';
import { zoneKeyOf, zoneNameOf } from '../zones/zone-names.ts';
import type { NodeLine } from './node-line.ts';

/** What is stored of a zone, as far as a roll call shows it. */
export type SeenZone = Pick<
  ZoneFacts,
  'id' | 'key' | 'state' | 'limiter' | 'waiting' | 'changedAt' | 'reason'
>;

/** A zone of a roll call. Its texts have no control characters. */
export interface ZoneLine {
  readonly name: string;
  /** The name of its Zone object; absent until a pass has seen it. */
  readonly id?: string;
  readonly state: ZoneFacts['state'];
  /** Number of nodes. */
  readonly size: number;
  /** Number of nodes that are ready. */
  readonly ready: number;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
  /** When the next node may get one. */
  readonly nextAt: EpochMs;
  /** Names of nodes that wait for one, in the order in which they get it as far as that is known. */
  readonly waiting: readonly string[];
  /** When state, rate or policies last changed, and why. */
  readonly changedAt?: EpochMs;
  readonly reason?: string;
}

/** The fields of a Zone, as the API serves it, that are read. */
interface ZoneObject extends ApiObject {
  readonly spec?: { readonly region?: string; readonly zone?: string };
  readonly status?: {
    readonly state?: ZoneFacts['state'];
    readonly evictionRate?: number;
    readonly nextEvictionTime?: string;
    readonly waiting?: readonly string[];
    readonly lastChangeTime?: string;
    readonly reason?: string;
  };
}

/** What a Zone of the API says. */
export const seenZone = ({ metadata, spec, status }: ZoneObject): SeenZone => ({
  id: metadata.name,
  key: zoneKeyOf({ [LABEL_REGION]: spec?.region ?? '', [LABEL_ZONE]: spec?.zone ?? '' }),
  state: status?.state ?? 'Initial',
  limiter: { rate: status?.evictionRate ?? 0, nextAt: parseTime(status?.nextEvictionTime ?? '') ?? 0 },
  waiting: status?.waiting ?? [],
  ...optional('changedAt', parseTime(status?.lastChangeTime ?? '')),
  ...optional('reason', status?.reason),
});

const isWaiting = ({ ready, isEvicting, endsPods }: NodeLine): boolean =>
  (ready === 'Unknown' || ready === 'False') && !isEvicting && !endsPods;

/** Those that the last pass has listed come first, in its order; then those that began to wait since. */
const waitingLine = (
  members: readonly NodeLine[],
  { waiting = [] }: Partial<SeenZone>,
): readonly string[] => {
  const now = new Set(members.filter(isWaiting).map(({ name }) => name));
  const listed = waiting.map(printable).filter((name) => now.has(name));
  return [...new Set([...listed, ...now])];
};

const lineOf = (name: string, members: readonly NodeLine[], seen: SeenZone | undefined): ZoneLine => ({
  name,
  ...optional('id', seen?.id),
  state: seen?.state ?? 'Initial',
  size: members.length,
  ready: members.filter(({ ready }) => ready === 'True').length,
  rate: seen?.limiter.rate ?? 0,
  nextAt: seen?.limiter.nextAt ?? 0,
  waiting: waitingLine(members, seen ?? {}),
  ...optional('changedAt', seen?.changedAt),
  ...optional('reason', seen?.reason === undefined ? undefined : printable(seen.reason)),
});

/** Zones of the existing nodes; a zone that no pass has seen yet is `Initial`. */
export const zoneLines = (nodes: readonly NodeLine[], zones: readonly SeenZone[]): readonly ZoneLine[] => {
  const known = new Map(zones.map((zone) => [printable(zoneNameOf(zone.key)), zone]));
  return [...Map.groupBy(nodes, ({ zone }) => zone)].map(([name, members]) =>
    lineOf(name, members, known.get(name)),
  );
};

/** When the node with `ahead` others before it gets its taint, from `now` (ms) on; `undefined` while the zone taints nobody. */
export const slotOf = (
  { rate, nextAt }: Pick<ZoneLine, 'rate' | 'nextAt'>,
  ahead: number,
  now: EpochMs,
): EpochMs | undefined => slotBehind({ rate, nextAt }, ahead, now);
