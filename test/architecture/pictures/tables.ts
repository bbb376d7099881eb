/** Tables of the documentation that are rules of the code. */
import type { Condition } from '../../../shared/kube/types/meta.ts';
import { reconcileConditionTaints } from '../../../shared/rules/nodes/condition-taints.ts';
import { evictionRate } from '../../../shared/rules/zones/eviction-rate.ts';
import type { ZoneState } from '../../../shared/rules/zones/zone-state.ts';

const table = (rows: readonly (readonly string[])[]): string => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...others] = rows;
  return [
    line(head),
    `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`,
    ...others.map(line),
  ].join('\n');
};

const STATUSES = ['True', 'False', 'Unknown'] as const;
const TYPES = [
  'Ready',
  'MemoryPressure',
  'DiskPressure',
  'PIDPressure',
  'NetworkUnavailable',
  'GracefulNodeShutdownInProgress',
];

const taintsOf = (condition: Pick<Condition, 'type' | 'status'>): readonly string[] => {
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    status: { conditions: [condition] },
  } as const;
  return (reconcileConditionTaints(node, 0).spec?.taints ?? []).map(({ key }) => key);
};

/** Which taint follows from which condition: every condition that a node may have is asked for. */
export const conditionTaintsTable = (): string =>
  table([
    ['condition', 'taint'],
    ...TYPES.flatMap((type) =>
      STATUSES.flatMap((status) =>
        taintsOf({ type, status }).map((key) => [`\`${type}=${status}\``, `\`${key}:NoSchedule\``]),
      ),
    ),
    ['`spec.unschedulable: true` (a cordon)', '`node.kubernetes.io/unschedulable:NoSchedule`'],
  ]);

const SIZES = { 'up to 50 nodes': 50, 'more than 50 nodes': 51 } as const;
const STATES: readonly ZoneState[] = ['Normal', 'PartialDisruption', 'FullDisruption'];

const paceOf = (rate: number): string => (rate === 0 ? 'none' : `one node per ${Math.round(1 / rate)} s`);

/** The rates of zones with the default settings. */
export const zoneRatesTable = (rates: Parameters<typeof evictionRate>[2]): string =>
  table([
    ['state', ...Object.keys(SIZES)],
    ...STATES.map((state) => [
      `\`${state}\``,
      ...Object.values(SIZES).map((size) => paceOf(evictionRate(state, size, rates))),
    ]),
  ]);
