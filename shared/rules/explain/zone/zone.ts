/** In which state is the zone, which rate follows from it, and who is tainted next? */
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { LifecycleSettings } from '../../nodes/policy-settings.ts';
import type { ZoneFacts } from '../../zones/zone-facts.ts';
import type { ZoneRules } from '../../zones/zone-rules.ts';
import { computeZoneState, type ZoneState } from '../../zones/zone-state.ts';
import type { Answer, Fact, Next } from '../explanation.ts';
import { isAllDown } from '../known.ts';
import { ALL_ZONES_DOWN, rateFact } from './zone-rate.ts';
import { slotBehind } from './zone-slot.ts';

const RULE_OF: Readonly<Record<ZoneState | 'Initial', string>> = {
  FullDisruption: 'Z-01',
  PartialDisruption: 'Z-02',
  Normal: 'Z-03',
  Initial: 'Z-15',
};

/** The least number from 1 to `most` for which the state changes as wanted, for a change that stays; `undefined`: none. */
const firstWhere = (most: number, isReached: (count: number) => boolean): number | undefined => {
  if (most < 1 || !isReached(most)) return undefined;
  let [low, high] = [1, most];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** How many nodes have to come back, or to fail, until the zone is in another state. */
const distance = ({ state, size, notReady }: ZoneFacts, config: ZoneRules): readonly Fact[] => {
  const at = (missing: number): ZoneState =>
    computeZoneState({ ready: size - missing, notReady: missing }, config);
  const source = 'setting unhealthyZoneThreshold';
  if (state === 'Normal') {
    const nodes = firstWhere(size - notReady, (failed) => at(notReady + failed) !== 'Normal');
    return nodes === undefined ? [] : [{ fact: 'UntilDisrupted', values: { nodes }, source, rule: 'Z-02' }];
  }
  const nodes = firstWhere(notReady, (back) => at(notReady - back) === 'Normal');
  return nodes === undefined ? [] : [{ fact: 'UntilNormal', values: { nodes }, source, rule: 'Z-03' }];
};

const nextOf = ({ limiter, waitingCount }: ZoneFacts, periodMs: number, now: EpochMs): Next | undefined => {
  const at = waitingCount > 0 ? slotBehind(limiter, 0, now) : undefined;
  return at === undefined ? undefined : { verdict: 'NodeTainted', at, withinMs: periodMs };
};

/** The most names of waiting nodes that an answer has. */
const MOST_NAMES = 5;

const waitingFact = ({ waiting, waitingCount }: ZoneFacts): readonly Fact[] => {
  if (waitingCount === 0) return [];
  const names = waiting.slice(0, MOST_NAMES).join(', ');
  return [
    {
      fact: 'WaitingNodes',
      values: { waiting: waitingCount, names },
      source: 'status.waiting',
      rule: 'A-11',
    },
  ];
};

/** The pace of a zone that is disrupted, and who waits for it. */
const paceFacts = (
  { state, heldBack = 0 }: ZoneFacts,
  { pacedNotReadyRate: rate }: ZoneRules,
): readonly Fact[] => {
  if (rate === undefined) return [];
  const source = 'nodelifecyclepolicies';
  if (state === 'Normal' || state === 'Initial' || heldBack === 0)
    return [{ fact: 'PacedNotReady', values: { rate }, source, rule: 'Z-33' }];
  return [{ fact: 'HeldByPace', values: { rate, nodes: heldBack }, source: 'zone record', rule: 'Z-33' }];
};

const policyFacts = ({ policies }: ZoneFacts): readonly Fact[] =>
  policies === undefined
    ? []
    : [{ fact: 'Policies', values: { names: policies }, source: 'status.policies', rule: 'Z-21' }];

const changeFacts = ({ changedAt, reason }: ZoneFacts): readonly Fact[] =>
  changedAt === undefined
    ? []
    : [
        {
          fact: 'ZoneChange',
          at: changedAt,
          values: { reason: reason ?? '' },
          source: 'zone record',
          rule: 'Z-29',
        },
      ];

/** Explains a zone at `now` (ms). `zones`: all of them, because full disruption is a matter of all. `periodMs`: from pass to pass. */
export const explainZone = (
  zone: ZoneFacts,
  zones: readonly ZoneFacts[],
  settings: LifecycleSettings,
  periodMs: number,
  now: EpochMs,
): Answer => {
  const { state, size, notReady, limiter, waitingCount, updatedAt } = zone;
  const isStopped = isAllDown(zones, settings);
  const slot: Fact = {
    fact: 'NextSlot',
    at: limiter.nextAt,
    source: 'status.nextEvictionTime',
    rule: 'L-01',
  };
  return {
    question: 'zone',
    verdict: state,
    ...optional('since', zone.changedAt),
    because: [
      {
        fact: 'ZoneCount',
        at: updatedAt,
        values: { size, notReady },
        source: 'status.notReadyNodes',
        rule: RULE_OF[state],
      },
      ...(isStopped ? [ALL_ZONES_DOWN] : []),
      rateFact(zone, isStopped, 'status.evictionRate'),
      ...(limiter.rate > 0 && waitingCount > 0 ? [slot] : []),
      ...waitingFact(zone),
      ...distance(zone, settings.zone(zone.key)),
      ...changeFacts(zone),
      ...policyFacts(zone),
      ...paceFacts(zone, settings.zone(zone.key)),
    ],
    ...optional('next', nextOf(zone, periodMs, now)),
    wouldChange: ['NodesOfZone', 'Policies'],
  };
};
