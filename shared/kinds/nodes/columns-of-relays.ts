/** The printer of rollcall.dev Relays: which sites are heard, and since when the others are not. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { column, NAME_COLUMN, NONE, UNKNOWN, wideColumn } from '../fields/column.ts';

interface Relay extends ApiObject {
  readonly status?: {
    readonly state?: string;
    readonly lastTransitionTime?: string;
    readonly lastBatchTime?: string;
    readonly nodes?: number;
    readonly parts?: number;
    readonly zones?: readonly string[];
  };
}

/** The table of `kubectl get relays`. */
export const relayPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column(
      'State',
      'Ready, Silent (no batch for half a grace period), or CutOff (nor any of its nodes is heard).',
    ),
    column('Nodes', 'How many nodes are on its roster.', { type: 'integer' }),
    column('Zones', 'The zones of these nodes.'),
    column('Last Batch', 'The time since its last batch was received.'),
    column('Since', 'The time since it has been in this state.'),
    wideColumn('Parts', 'How many requests it sends in each interval.', { type: 'integer' }),
  ],
  cells: ({ metadata, status }: Relay, now) => [
    metadata.name,
    status?.state ?? '',
    status?.nodes ?? 0,
    status?.zones?.join(',') || NONE,
    status?.lastBatchTime === undefined ? UNKNOWN : ageOf(status.lastBatchTime, now),
    ageOf(status?.lastTransitionTime, now),
    status?.parts ?? 0,
  ],
};
