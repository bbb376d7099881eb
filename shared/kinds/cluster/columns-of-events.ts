import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject, ObjectReference } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Printer } from '../fields/column.ts';
import { column, NAME_COLUMN, wideColumn } from '../fields/column.ts';

type Time = string | null | undefined;

interface Source {
  readonly component?: string;
  readonly host?: string;
}

/** An Event of either API: `events.k8s.io` and `v1` name the same fields differently. */
interface PrintedEvent extends ApiObject {
  readonly type?: string;
  readonly reason?: string;
  readonly eventTime?: Time;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: Time };
  readonly reportingController?: string;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly involvedObject?: ObjectReference;
  readonly message?: string;
  readonly count?: number;
  readonly source?: Source;
  readonly firstTimestamp?: Time;
  readonly lastTimestamp?: Time;
  readonly regarding?: ObjectReference;
  readonly note?: string;
  readonly deprecatedCount?: number;
  readonly deprecatedSource?: Source;
  readonly deprecatedFirstTimestamp?: Time;
  readonly deprecatedLastTimestamp?: Time;
}

const firstSeen = (event: PrintedEvent): Time =>
  event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime;

const lastSeen = (event: PrintedEvent): Time =>
  event.series
    ? event.series.lastObservedTime
    : (event.lastTimestamp ?? event.deprecatedLastTimestamp ?? firstSeen(event));

const countOf = ({ series, count, deprecatedCount }: PrintedEvent): number =>
  series ? (series.count ?? 0) : count || deprecatedCount || 1;

const objectOf = ({ involvedObject, regarding }: PrintedEvent): string => {
  const { kind = '', name } = involvedObject ?? regarding ?? {};
  return name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase();
};

const sourceOf = (event: PrintedEvent): string => {
  const source = event.source ?? event.deprecatedSource;
  const component = source?.component || event.reportingComponent || event.reportingController || '';
  const instance = source?.host || event.reportingInstance;
  return instance ? `${component}, ${instance}` : component;
};

const cellsOf = (event: PrintedEvent, now: EpochMs) => [
  ageOf(lastSeen(event), now),
  event.type ?? '',
  event.reason ?? '',
  objectOf(event),
  (event.involvedObject ?? event.regarding)?.fieldPath ?? '',
  sourceOf(event),
  (event.message ?? event.note ?? '').trim(),
  ageOf(firstSeen(event), now),
  countOf(event),
  event.metadata.name,
];

/** The table of `kubectl get events`. */
export const eventPrinter: Printer = {
  columns: [
    column('Last Seen', 'The time since this was observed last.'),
    column('Type', 'Normal or Warning.'),
    column('Reason', 'Why it happened, in one word.'),
    column('Object', 'What it happened to.'),
    wideColumn('Subobject', 'The part of the object that it happened to.'),
    wideColumn('Source', 'Who reports it.'),
    column('Message', 'What happened.'),
    wideColumn('First Seen', 'The time since this was observed first.'),
    wideColumn('Count', 'How often it was observed.'),
    { ...NAME_COLUMN, priority: 1 },
  ],
  cells: cellsOf,
};
