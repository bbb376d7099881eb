/** What a pass can say about the fleet to somebody who watches it. It is too much for a line of the log, and for a metric that is paid by its series. */
import { zoneNameOf } from '../../shared/rules/zones/zone-names.ts';
import type { Judgement } from './judge/judgement.ts';
import type { FleetFigures } from './report.ts';
import type { Outcomes } from './write/write-nodes.ts';

type Statuses = Map<string, number>;

const countStatuses = (fleet: readonly Judgement[]): ReadonlyMap<string, Statuses> => {
  const zones = new Map<string, Statuses>();
  for (const { row, ready = 'Unreported' } of fleet) {
    const statuses = zones.get(row.zone) ?? new Map<string, number>();
    zones.set(row.zone, statuses);
    statuses.set(ready, (statuses.get(ready) ?? 0) + 1);
  }
  return zones;
};

const silencesOf = (outcomes: Outcomes): readonly number[] =>
  [...outcomes.values()].flatMap((outcome) =>
    outcome.outcome === 'written' && outcome.judgement.health.action === 'markUnknown'
      ? [outcome.judgement.health.silentForMs]
      : [],
  );

/** Figures of the nodes that are left after the writes, and of those writes. */
export const fleetFigures = (fleet: readonly Judgement[], outcomes: Outcomes): FleetFigures => ({
  statuses: [...countStatuses(fleet)].flatMap(([key, statuses]) =>
    [...statuses].map(([ready, nodes]) => ({ zone: zoneNameOf(key), ready, nodes })),
  ),
  silencesMs: silencesOf(outcomes),
});
