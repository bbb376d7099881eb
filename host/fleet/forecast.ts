/** Predicts how an outage of some machines affects evictions, by the rules of the zones. */

import { decideDisruption, type ZoneDecision } from '../../shared/rules/zones/zone-disruption.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import type { MachineId } from './outage.ts';

/** Maximum number of zones in a forecast, the most affected ones first. */
const MOST_ZONES = 6;

const countsOf = (machines: readonly MachineId[], isSilent: (machine: MachineId) => boolean) =>
  new Map(
    [...Map.groupBy(machines, ({ zone }) => zone)].map(([zone, all]) => {
      const notReady = all.filter(isSilent).length;
      return [zone, { ready: all.length - notReady, notReady }] as const;
    }),
  );

const zoneLine = (zone: string, { size, notReady, rate }: ZoneDecision): string =>
  rate === 0
    ? `Evictions stop in zone ${zone}: ${notReady} of ${size} machines are down, a partial disruption.`
    : `In zone ${zone} one node gets a NoExecute taint each ${Number((1 / rate).toPrecision(3))} s, and its pods leave as their tolerations end.`;

/** The forecast as sentences for people. `machines`: the whole fleet. */
export const evictionForecast = (
  machines: readonly MachineId[],
  isSilent: (machine: MachineId) => boolean,
  config: NodeLifecycleConfig,
): readonly string[] => {
  const { mode, zones } = decideDisruption(new Map(), countsOf(machines, isSilent), () => config, true);
  if (mode === 'enterFullDisruption')
    return [
      'No pod is evicted: with every zone down it may be the network, so NoExecute taints are removed, and no new ones are added.',
    ];
  const affected = [...zones].filter(([, { notReady }]) => notReady > 0);
  const left = affected.length - MOST_ZONES;
  return [
    ...affected.slice(0, MOST_ZONES).map(([zone, decision]) => zoneLine(zone, decision)),
    ...(left > 0 ? [`… and so on in ${left} more zones.`] : []),
  ];
};
