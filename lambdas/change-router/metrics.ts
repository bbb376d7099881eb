import { measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { ChangeRouterReport } from './route-changes.ts';

const { counter } = subsystem('rollcall');

export const CHANGE_ROUTER_METRICS = {
  changes: counter('changes_routed_total', 'Committed changes routed.'),
  badRecords: counter('bad_records_total', 'Changes that could not be read.'),
};

/** Metrics of a batch, and a log line for each change that could not be read. */
export const telemetry: Telemetry<ChangeRouterReport> = {
  metricsOf: ({ changes, badRecords }) => [
    measured(CHANGE_ROUTER_METRICS.changes, changes),
    measured(CHANGE_ROUTER_METRICS.badRecords, badRecords.length),
  ],
  linesOf: ({ badRecords, unnoted }) => [
    ...badRecords.map(({ change, error }) => ({
      level: 'error' as const,
      message: 'the change is skipped',
      fields: { key: (change.after ?? change.before)?.key, error },
    })),
    ...(unnoted === undefined
      ? []
      : [
          {
            level: 'error' as const,
            message: 'it is not noted until when changes are announced; the next batch tries again',
            fields: { error: unnoted },
          },
        ]),
  ],
};
