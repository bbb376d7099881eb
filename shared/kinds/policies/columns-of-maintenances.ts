/** The printer of rollcall.dev NodeMaintenances: when they work, and how far they are. */

import { selectorText } from '../../kube/selector/object-selector.ts';
import { ageOf } from '../../kube/text/human-duration.ts';
import type { NodeMaintenance } from '../../kube/types/node-maintenance.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, UNKNOWN, UNSET, wideColumn } from '../fields/column.ts';

const count = (name: string, description: string) => column(name, description, { type: 'integer' });

/** The table of `kubectl get nodemaintenances`. */
export const nodeMaintenancePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Schedule', 'When its windows open.'),
    column('Next', 'When the next window opens.'),
    column('State', 'What it does, or why it does nothing.'),
    count('In Progress', 'Nodes that are being drained or maintained.'),
    count('Waiting', 'Nodes that have not begun.'),
    count('Done', 'Nodes whose maintenance is done.'),
    count('Failed', 'Nodes that were not drained, or whose drain was cancelled.'),
    AGE_COLUMN,
    wideColumn('Selector', 'The labels of the nodes.'),
    wideColumn('Max Concurrent', 'How many nodes may be in progress at the same time.'),
    wideColumn('Planned', 'Nodes to which it is announced.'),
  ],
  cells: ({ metadata, spec = {}, status = {} }: NodeMaintenance, now) => [
    metadata.name,
    spec.schedule ?? spec.startTime ?? UNSET,
    status.nextStartTime ?? UNSET,
    status.conditions?.[0]?.reason ?? UNKNOWN,
    status.inProgress ?? 0,
    status.waiting ?? 0,
    status.done ?? 0,
    status.failed ?? 0,
    ageOf(metadata.creationTimestamp, now),
    spec.nodeSelector ? selectorText(spec.nodeSelector) : UNSET,
    String(spec.maxConcurrent ?? 1),
    String(status.planned ?? 0),
  ],
};
