import { createWork } from '../contract/controller.ts';
import type { NamespaceReport } from './deps.ts';
import { NamespaceMessage } from './message.ts';
import { NAMESPACE_METRICS, telemetry } from './metrics.ts';
import { reconcile } from './reconcile.ts';
import { sweep } from './sweep.ts';

export const work = createWork<NamespaceMessage, NamespaceReport, 'namespace-sweep'>({
  message: NamespaceMessage,
  reconcile,
  runs: { 'namespace-sweep': sweep },
  metrics: NAMESPACE_METRICS,
  telemetry,
});
