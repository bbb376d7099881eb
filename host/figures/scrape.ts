/** What is measured only when somebody asks for the page of metrics. */
import type { SqliteState } from '../../shared/adapters/sqlite/state.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import { recordStore } from './store-series.ts';
import { recordZones } from './zone-series.ts';

export interface ScrapeDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly state: Pick<SqliteState, 'control' | 'figures'>;
  /** Where the state is. */
  readonly folder: string;
  readonly metrics: MetricsRegistry;
}

/** Measures zones, queues and files. */
export const createScrape =
  ({ clock, state, folder, metrics }: ScrapeDeps) =>
  async (): Promise<void> => {
    await recordZones(metrics, state.control, clock.now());
    recordStore(metrics, await state.figures(clock.now()), folder);
  };
