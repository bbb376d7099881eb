/** Reads the zones, and answers what is asked about one of them. */
import type { Answer } from '../../rules/explain/explanation.ts';
import { explainZone as explain } from '../../rules/explain/zone/zone.ts';
import type { ExplainDeps } from './explain-deps.ts';
import { readZones } from './read-zone.ts';

/** The answers about the zone with this id; `undefined` if there is none. */
export const explainZone = async (deps: ExplainDeps, id: string): Promise<readonly Answer[] | undefined> => {
  const { zones, settings } = await readZones(deps);
  const periodMs = deps.config.nodeLifecycle.nodeMonitorPeriodMs;
  const zone = zones.find((one) => one.id === id);
  return zone && [explain(zone, zones, settings, periodMs, deps.clock.now())];
};
