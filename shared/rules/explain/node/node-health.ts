/** Why is the node ready, not ready or Unknown, and until when? */
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { awaySince, lastReturn } from '../../absences/absence.ts';
import { readyOf } from '../../nodes/node-conditions.ts';
import {
  decideNodeHealth,
  graceOf,
  intervalOf,
  isDirect,
  lastSignOfLife,
  patienceEndsAt,
} from '../../nodes/node-health.ts';
import { rememberedMs } from '../../patience/adaptive-grace.ts';
import type { Answer, Change, Fact, Next, Verdict } from '../explanation.ts';
import type { KnownNode } from '../known.ts';

/** The pace is for nodes that were ready. */
const isPaced = ({ row, pacedRate }: KnownNode): boolean => pacedRate !== undefined && row.ready === 'True';

/** Whether a silent node keeps its Ready for now, by the state of its zone in the last pass. */
const isHeldBack = (known: KnownNode, now: EpochMs): boolean => {
  const { row, beats, hearing, own, zoneState = 'Normal' } = known;
  const isDisrupted = zoneState === 'PartialDisruption' || zoneState === 'FullDisruption';
  if (!isPaced(known) || !isDisrupted) return false;
  return decideNodeHealth(row, beats, hearing, now, own).action === 'markUnknown';
};

const verdictOf = (known: KnownNode, now: EpochMs): Verdict => {
  const { ready } = known.row;
  if (isHeldBack(known, now)) return 'WaitsForPace';
  if (ready === undefined) return 'NeverReported';
  if (ready === 'Unknown') return 'Unknown';
  return ready === 'True' ? 'Ready' : 'NotReady';
};

const conditionFact = ({ node, row }: KnownNode): readonly Fact[] => {
  const ready = readyOf(node);
  if (!ready) return [];
  const { status, reason = '', message = '' } = ready;
  return [
    {
      fact: 'ReadyCondition',
      ...optional('at', row.readyTransitionAt),
      values: { status, reason, message },
      source: 'status.conditions[Ready]',
      rule: status === 'Unknown' ? 'H-08' : 'H-07',
    },
  ];
};

const signFact = (known: KnownNode, now: EpochMs): Fact => ({
  fact: 'LastSignOfLife',
  at: lastSignOfLife(known.row, known.beats, known.hearing, now),
  source: 'heartbeats',
  rule: 'S-04',
});

const floorFact = ({ hearing: { clockFloor } }: KnownNode, sign: Fact): readonly Fact[] =>
  clockFloor > 0 && sign.at === clockFloor
    ? [{ fact: 'ClockFloor', at: clockFloor, source: 'clock floor of the monitor', rule: 'S-04' }]
    : [];

/** The host could not hear the node for some of its silence, so that this counts for less. */
const absenceFact = ({ hearing: { absences } }: KnownNode, sign: Fact): readonly Fact[] => {
  const awayMs = awaySince(sign.at ?? 0, absences);
  if (awayMs === 0) return [];
  const at = lastReturn(absences);
  return [{ fact: 'HostWasAway', at, values: { ms: awayMs }, source: 'absences of the host', rule: 'G-03' }];
};

/** The longest silence that the node has survived, when its grace period adapts to that. */
const survivedFact = ({ beats, hearing }: KnownNode, { at = 0 }: Fact): Fact => {
  const { patience } = beats ?? {};
  const source = 'heartbeats';
  if (!patience)
    return { fact: 'NoSurvivedSilence', values: { ms: intervalOf(beats, hearing) }, source, rule: 'V-80' };
  const { silentMs, learnedAt } = patience;
  const values = { ms: silentMs, nowMs: Math.round(rememberedMs(patience, at)) };
  return { fact: 'SurvivedSilence', at: learnedAt, values, source, rule: 'V-80' };
};

const adaptiveFacts = (known: KnownNode, sign: Fact, now: EpochMs): readonly Fact[] => {
  const { row, beats, hearing, own } = known;
  const { floorMs = 0, ceilingMs = 0 } = own.adaptiveGrace ?? {};
  const values = { ms: graceOf(row, beats, hearing, now, own), floorMs, ceilingMs };
  return [
    survivedFact(known, sign),
    { fact: 'AdaptiveGracePeriod', values, source: 'nodelifecyclepolicies', rule: 'V-80' },
  ];
};

const graceFacts = (known: KnownNode, sign: Fact, now: EpochMs): readonly Fact[] => {
  const { row, own } = known;
  if (row.ready !== undefined && own.adaptiveGrace) return adaptiveFacts(known, sign, now);
  return [
    row.ready === undefined
      ? {
          fact: 'StartupGracePeriod',
          values: { ms: own.nodeStartupGracePeriodMs },
          source: 'setting nodeStartupGracePeriod',
          rule: 'H-01',
        }
      : {
          fact: 'GracePeriod',
          values: { ms: own.nodeMonitorGracePeriodMs },
          source: 'setting nodeMonitorGracePeriod',
          rule: 'H-03',
        },
  ];
};

const policyFacts = (known: KnownNode, now: EpochMs): readonly Fact[] => {
  const { policies, pacedRate: rate = 0, zoneState: state = 'Normal' } = known;
  const source = 'nodelifecyclepolicies';
  const paced: Fact = { fact: 'PacedNotReady', values: { rate }, source, rule: 'Z-33' };
  const names: Fact = { fact: 'Policies', values: { names: policies.join(', ') }, source, rule: 'Z-21' };
  const holds: Fact = { fact: 'PaceHolds', values: { state }, source: 'zone record', rule: 'Z-33' };
  return [
    ...(policies.length > 0 ? [names] : []),
    ...(isPaced(known) ? [paced] : []),
    ...(isHeldBack(known, now) ? [holds] : []),
  ];
};

const nextOf = (known: KnownNode, now: EpochMs): Next | undefined => {
  const { row, beats, hearing, own, config } = known;
  const withinMs = config.nodeMonitorPeriodMs;
  const { action } = decideNodeHealth(row, beats, hearing, now, own);
  if (action === 'markReady') return { verdict: 'Ready', at: now, withinMs };
  // In a disrupted zone with a pace nobody knows how many come before it.
  const within = isPaced(known) ? {} : { withinMs };
  if (action === 'markUnknown') return { verdict: 'Unknown', at: now, ...within };
  if (row.ready === 'Unknown') return undefined;
  return { verdict: 'Unknown', at: patienceEndsAt(row, beats, hearing, now, own), ...within };
};

/** A node whose kubelet writes Ready stays Unknown until the kubelet writes it again, however often it beats. */
const changesOf = (known: KnownNode): readonly Change[] => {
  const { row, beats, own } = known;
  if (row.ready === 'Unknown' && !isDirect(row, beats)) return ['NodeStatus', 'NodeDeleted'];
  const learns: readonly Change[] = own.adaptiveGrace ? ['SurvivedSilence'] : [];
  const always: readonly Change[] = ['Heartbeat', ...learns, 'NodeStatus', 'Policies', 'NodeDeleted'];
  return isPaced(known) ? [...always, 'ZoneState'] : always;
};

/** Explains the Ready condition of a node at `now` (ms). */
export const explainHealth = (known: KnownNode, now: EpochMs): Answer => {
  const { row, beats } = known;
  const sign = signFact(known, now);
  const direct: Fact = isDirect(row, beats)
    ? { fact: 'Direct', source: 'heartbeats, Lease', rule: 'S-01' }
    : { fact: 'NotDirect', source: 'heartbeats, Lease', rule: 'S-03' };
  return {
    question: 'health',
    verdict: verdictOf(known, now),
    ...optional('since', row.readyTransitionAt),
    because: [
      ...conditionFact(known),
      sign,
      ...floorFact(known, sign),
      ...absenceFact(known, sign),
      ...graceFacts(known, sign, now),
      direct,
      ...policyFacts(known, now),
    ],
    ...optional('next', nextOf(known, now)),
    wouldChange: changesOf(known),
  };
};
