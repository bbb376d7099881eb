/** The printer of rollcall.dev Holds: what is stopped, for which nodes, and whether it is. */

import { selectorText } from '../../kube/selector/object-selector.ts';
import { ageOf } from '../../kube/text/human-duration.ts';
import { DEFAULT_STOPS, type Hold, type HoldSpec } from '../../kube/types/hold.ts';
import { holdState } from '../../rules/holds/hold-state.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, UNKNOWN, UNSET, wideColumn } from '../fields/column.ts';

/** Zones that are named; the others are counted. */
const NAMED_ZONES = 3;
const MOST_SELECTOR = 40;

const zonesText = (zones: readonly string[]): string =>
  [
    ...zones.slice(0, NAMED_ZONES),
    ...(zones.length > NAMED_ZONES ? [`+${zones.length - NAMED_ZONES}`] : []),
  ].join(',');

const shortened = (text: string): string =>
  text.length > MOST_SELECTOR ? `${text.slice(0, MOST_SELECTOR - 1)}…` : text;

const scopeOf = ({ zones = [], nodeSelector = {} }: HoldSpec): string => {
  const parts = [zonesText(zones), shortened(selectorText(nodeSelector))].filter((text) => text !== '');
  return parts.length === 0 ? 'all' : parts.join(' & ');
};

const stopsOf = ({ stops = DEFAULT_STOPS }: HoldSpec): string => {
  const isDefault =
    stops.length === DEFAULT_STOPS.length && DEFAULT_STOPS.every((one) => stops.includes(one));
  return isDefault ? 'default' : stops.join(',');
};

/** The table of `kubectl get holds`. */
export const holdPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Scope', 'The zones and labels of the nodes that it covers.'),
    column('Stops', 'What the control plane does not do to these nodes.'),
    column(
      'State',
      'Closing: some of it may still happen. Held: none of it happens. Expired: its time is over.',
    ),
    column('By', 'The user who made it.'),
    column('Held Nodes', 'How many nodes it covers.'),
    column('Until', 'When it ends.'),
    AGE_COLUMN,
    wideColumn('Reason', 'Why it was made.'),
    wideColumn('Epoch', 'The book of holds in which it stands.'),
  ],
  cells: (hold: Hold, now) => {
    const { metadata, spec = {}, status = {} } = hold;
    return [
      metadata.name,
      scopeOf(spec),
      stopsOf(spec),
      holdState(hold, now),
      status.by ?? UNKNOWN,
      String(status.heldNodes ?? UNKNOWN),
      spec.until ?? 'resumed',
      ageOf(metadata.creationTimestamp, now),
      spec.reason ?? UNSET,
      String(status.epoch ?? UNKNOWN),
    ];
  },
};
