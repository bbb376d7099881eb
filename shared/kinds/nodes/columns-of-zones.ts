/** The printer of rollcall.dev Zones: the extent of a disruption, and the response to it. */
import { ageOf, humanDuration } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import type { Printer } from '../fields/column.ts';
import { column, NAME_COLUMN, NONE, wideColumn } from '../fields/column.ts';

interface Zone extends ApiObject {
  readonly spec?: { readonly region?: string; readonly zone?: string };
  readonly status?: {
    readonly state?: string;
    readonly nodes?: number;
    readonly notReadyNodes?: number;
    readonly evictionRate?: number;
    readonly nextEvictionTime?: string;
    readonly waitingNodes?: number;
    readonly updateTime?: string;
    readonly lastChangeTime?: string;
    readonly reason?: string;
    readonly policies?: readonly string[];
  };
}

const rateOf = ({ status }: Zone): string =>
  status?.evictionRate ? `${Number(status.evictionRate.toPrecision(3))}/s` : '0';

const NEVER = 'never';

/** `now`: a token is there for the next node that needs one. */
const nextSlotOf = ({ status }: Zone, now: EpochMs): string => {
  const at = parseTime(status?.nextEvictionTime ?? '');
  if (!status?.evictionRate || at === undefined) return NEVER;
  return at <= now ? 'now' : `in ${humanDuration(at - now)}`;
};

/** The table of `kubectl get zones`. */
export const zonePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Zone', 'The zone, by the label of the nodes.'),
    column('State', 'How much of the zone is disrupted.'),
    column('Nodes', 'How many nodes the zone has.', { type: 'integer' }),
    column('Not Ready', 'How many of them are not ready.', { type: 'integer' }),
    column('Rate', 'How many nodes may be tainted for eviction per second.'),
    column('Waiting', 'How many nodes wait for their taint.', { type: 'integer' }),
    column('Next Slot', 'When the next node may be tainted for eviction.'),
    column('Last Change', 'The time since state, rate or policies last changed.'),
    column('Why', 'Why they changed.'),
    wideColumn('Region', 'The region, by the label of the nodes.'),
    wideColumn('Policies', 'The policies that hold for the whole zone.'),
    wideColumn('Next Eviction', 'When the next taint may be put.', { type: 'date' }),
    wideColumn('Updated', 'The time since the zone was last updated.'),
  ],
  cells: (zone: Zone, now) => [
    zone.metadata.name,
    zone.spec?.zone ?? '',
    zone.status?.state ?? '',
    zone.status?.nodes ?? 0,
    zone.status?.notReadyNodes ?? 0,
    rateOf(zone),
    zone.status?.waitingNodes ?? 0,
    nextSlotOf(zone, now),
    ageOf(zone.status?.lastChangeTime, now),
    zone.status?.reason ?? '',
    zone.spec?.region ?? '',
    zone.status?.policies?.join(',') ?? NONE,
    zone.status?.nextEvictionTime ?? '',
    ageOf(zone.status?.updateTime, now),
  ],
};
