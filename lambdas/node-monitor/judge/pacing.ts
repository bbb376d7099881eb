/** Nodes of a disrupted zone that keep their Ready for a while, although they are silent, because a policy says so. */
import { byText } from '../../../shared/kube/text/compare-text.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { LifecycleSettings } from '../../../shared/rules/nodes/policy-settings.ts';
import { isSilencedBy } from '../../../shared/rules/pods/pod-readiness.ts';
import { flipsAllowed } from '../../../shared/rules/policies/paced-flips.ts';
import { isAhead } from '../../../shared/rules/zones/future-instants.ts';
import { computeZoneState } from '../../../shared/rules/zones/zone-state.ts';
import { byUrgency, type Judgement, type Viewpoint, withoutFlip } from './judgement.ts';
import { countZones } from './zones.ts';

const isFlip = ({ row, ready }: Judgement): boolean => isSilencedBy(row.ready, ready);

const byTurn = (a: Judgement, b: Judgement): number => byUrgency(a, b) || byText(a.row.name, b.row.name);

const lastFlipAt = (nodes: readonly Judgement[], now: EpochMs): EpochMs | undefined => {
  let last: EpochMs | undefined;
  for (const { row } of nodes) {
    const { ready, readyTransitionAt: at } = row;
    if (ready !== 'Unknown' || at === undefined || isAhead(at, now)) continue;
    last = Math.max(last ?? at, at);
  }
  return last;
};

/** The nodes of a zone that have to wait. */
const waitingIn = (
  nodes: readonly Judgement[],
  rate: number,
  { now, config }: Viewpoint,
): readonly Judgement[] => {
  const allowed = flipsAllowed(rate, lastFlipAt(nodes, now), now, config.nodeMonitorPeriodMs);
  return nodes.filter(isFlip).toSorted(byTurn).slice(allowed);
};

/** Zones with a pace that are disrupted, if those that wait count as not ready. */
const disruptedOf = (
  judged: readonly Judgement[],
  settings: LifecycleSettings,
): ReadonlyMap<string, number> => {
  const paced = new Map<string, number>();
  for (const [zone, count] of countZones(judged)) {
    const rules = settings.zone(zone);
    const { pacedNotReadyRate: rate } = rules;
    if (rate !== undefined && computeZoneState(count, rules) !== 'Normal') paced.set(zone, rate);
  }
  return paced;
};

/**
 * In zones with a pace that are disrupted, only so many nodes become Unknown in this pass, those first that have been silent longest. The
 * others count as not ready, and nothing else happens to them. The same array if nobody waits.
 */
export const holdBack = (judged: readonly Judgement[], view: Viewpoint): readonly Judgement[] => {
  if (!view.settings.paces) return judged;
  const paced = disruptedOf(judged, view.settings);
  if (paced.size === 0) return judged;
  const byZone = Map.groupBy(
    judged.filter(({ row }) => paced.has(row.zone)),
    ({ row }) => row.zone,
  );
  const waiting = new Set(
    [...byZone].flatMap(([zone, nodes]) => waitingIn(nodes, paced.get(zone) ?? 0, view)),
  );
  return waiting.size === 0
    ? judged
    : judged.map((one) =>
        waiting.has(one) ? { ...withoutFlip(one), noExecute: { action: 'none' }, isHeldBack: true } : one,
      );
};
