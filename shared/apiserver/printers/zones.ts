/** The printer of rollcall.dev Zones: the extent of a disruption, and the response to it. */
import { ageOf } from '../../api/human-duration.ts';
import type { ApiObject } from '../../api/meta.ts';
import type { Printer } from './printer.ts';
import { column, NAME_COLUMN, wideColumn } from './printer.ts';

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
  };
}

const rateOf = ({ status }: Zone): string =>
  status?.evictionRate ? `${Number(status.evictionRate.toPrecision(3))}/s` : '0';

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
    column('Updated', 'The time since the zone was last updated.'),
    wideColumn('Region', 'The region, by the label of the nodes.'),
    wideColumn('Next Eviction', 'When the next taint may be put.', { type: 'date' }),
  ],
  cells: (zone: Zone, now) => [
    zone.metadata.name,
    zone.spec?.zone ?? '',
    zone.status?.state ?? '',
    zone.status?.nodes ?? 0,
    zone.status?.notReadyNodes ?? 0,
    rateOf(zone),
    zone.status?.waitingNodes ?? 0,
    ageOf(zone.status?.updateTime, now),
    zone.spec?.region ?? '',
    zone.status?.nextEvictionTime ?? '',
  ],
};
