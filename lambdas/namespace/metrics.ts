import { type LogLine, measured, subsystem, type Telemetry } from '../../shared/ports/process/metrics.ts';
import type { NamespaceReport } from './deps.ts';

const { counter } = subsystem('namespace_controller');

export const NAMESPACE_METRICS = {
  deleted: counter('objects_deleted_total', 'Objects deleted because their namespace is being deleted.'),
  finished: counter('namespaces_finished_total', 'Namespaces that were empty and let go.'),
  failed: counter('sync_error_total', 'Kinds of which a look could not delete all objects.'),
};

const failed = (error: string): LogLine => ({
  level: 'error',
  message: 'could not delete all objects of a namespace',
  fields: { error },
});

export const telemetry: Telemetry<NamespaceReport> = {
  metricsOf: ({ deleted, finished, errors }) => [
    measured(NAMESPACE_METRICS.deleted, deleted),
    measured(NAMESPACE_METRICS.finished, finished),
    measured(NAMESPACE_METRICS.failed, errors.length),
  ],
  linesOf: ({ errors }) => errors.map(failed),
};
