/** Is the node tainted with NoExecute, by whom and since when? When does a node that waits get its taint? */

import { TAINT_UNREACHABLE } from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, earliest } from '../../../kube/values/time.ts';
import { damped, keepsTaint, type Loss } from '../../nodes/flapping.ts';
import { decideNoExecuteFor, type NoExecuteDecision } from '../../nodes/no-execute.ts';
import type { Damping } from '../../nodes/policy-settings.ts';
import { isHealthTaint } from '../../zones/health-taints.ts';
import type { Answer, Change, Fact, Next, Verdict } from '../explanation.ts';
import type { KnownNode } from '../known.ts';
import { type CountedZone, queueFacts, slotOf, type ZoneOfNode } from './node-queue.ts';

const taintFacts = ({ row }: KnownNode): readonly Fact[] =>
  row.noExecute.map(({ key, value = '', since }) => ({
    fact: 'NoExecuteTaint',
    at: since,
    values: { key, value, by: isHealthTaint({ key }) ? 'the control plane' : 'a client' },
    source: 'spec.taints',
    ...(isHealthTaint({ key }) ? { rule: key === TAINT_UNREACHABLE ? 'R-02' : 'R-01' } : {}),
  }));

/** Whether its site is cut off, so that it does not even wait for its taint (J-168). */
const isHeld = ({ cutOff, own }: KnownNode, { action }: Pick<NoExecuteDecision, 'action'>): boolean =>
  action === 'queue' && cutOff !== undefined && own.onPartition !== 'Evict';

const partitionFacts = (
  { cutOff, own, policies }: KnownNode,
  { action }: NoExecuteDecision,
): readonly Fact[] => {
  if (!cutOff || action !== 'queue') return [];
  const { relay, lastBatchAt } = cutOff;
  const by = policies.length > 0 ? `policies ${policies.join(', ')}` : 'the default';
  const values = { says: own.onPartition ?? 'Hold', by };
  return [
    { fact: 'SiteCutOff', at: lastBatchAt, values: { relay }, source: 'stored batches', rule: 'J-167' },
    { fact: 'OnPartition', values, source: 'spec.onPartition', rule: 'J-168' },
  ];
};

const verdictInZone = (
  { row: { noExecute } }: KnownNode,
  { action }: NoExecuteDecision,
  of: CountedZone | undefined,
): Verdict => {
  if (action === 'queue')
    return of !== undefined && of.zone.limiter.rate <= 0 ? 'HeldByZone' : 'WaitsForTaint';
  return noExecute.length > 0 ? 'Tainted' : 'NotTainted';
};

const verdictOf = (known: KnownNode, decision: NoExecuteDecision, of: CountedZone | undefined): Verdict =>
  isHeld(known, decision) ? 'HeldByPartition' : verdictInZone(known, decision, of);

/** When a node that flaps loses its taint, if it stays ready: the first instant of those that can end it. */
const endOfDamping = (
  losses: readonly Loss[],
  readySince: EpochMs | undefined,
  damping: Damping | undefined,
  now: EpochMs,
): EpochMs | undefined => {
  if (!damping) return undefined;
  const ends = [
    (readySince ?? now) + damping.stableMs,
    ...losses.map(({ lostAt }) => lostAt + damping.withinMs + 1),
  ];
  return ends
    .filter((at) => at > now)
    .toSorted((a, b) => a - b)
    .find((at) => !keepsTaint(losses, readySince, damping, at));
};

const keptFacts = (losses: readonly Loss[], at: EpochMs | undefined): readonly Fact[] =>
  at === undefined
    ? []
    : [
        {
          fact: 'KeepsTaint',
          at,
          values: { losses: losses.length },
          source: 'stored losses of readiness',
          rule: 'Z-32',
        },
      ];

const keptNext = (known: KnownNode, at: EpochMs | undefined): Next | undefined =>
  at === undefined
    ? undefined
    : { verdict: afterRemoval(known), at, withinMs: known.config.nodeMonitorPeriodMs };

/** The verdict after the next pass has removed the control plane's own taints. */
const afterRemoval = ({ row: { noExecute } }: KnownNode): Verdict =>
  noExecute.every(isHealthTaint) ? 'NotTainted' : 'Tainted';

const nextOf = (
  known: KnownNode,
  { action }: NoExecuteDecision,
  of: CountedZone | undefined,
  now: EpochMs,
): Next | undefined => {
  const withinMs = known.config.nodeMonitorPeriodMs;
  const isStripped = of?.isAllDown === true && known.row.noExecute.some(isHealthTaint);
  if (action === 'remove') return { verdict: afterRemoval(known), at: now, withinMs };
  if (isStripped) return { verdict: 'HeldByZone', at: now, withinMs };
  if (action === 'swap') return { verdict: 'Tainted', at: now, withinMs };
  return action === 'queue' && of && !isHeld(known, { action })
    ? slotOf(of, known.config.nodeMonitorPeriodMs, now)
    : undefined;
};

const decisionFacts = (known: KnownNode, decision: NoExecuteDecision, of: ZoneOfNode): readonly Fact[] => {
  const partition = partitionFacts(known, decision);
  if (isHeld(known, decision)) return partition;
  if (decision.action === 'swap')
    return [
      { fact: 'SwapsTaint', values: { key: decision.add }, source: 'status.conditions[Ready]', rule: 'R-02' },
    ];
  return decision.action === 'queue' ? [...partition, ...queueFacts(of)] : [];
};

const changesOf = (known: KnownNode, decision: NoExecuteDecision): readonly Change[] => {
  const { action } = decision;
  const taints = known.row.noExecute;
  const always: readonly Change[] = ['ReadyCondition', 'ClientTaints', 'Policies', 'NodeDeleted'];
  if (isHeld(known, decision)) return ['Heartbeat', ...always];
  if (action === 'queue') return [...always, 'ZoneState', 'NodesAhead'];
  return taints.some(isHealthTaint) ? [...always, 'ZoneState'] : always;
};

/**
 * Explains the NoExecute taints of a node at `now` (ms), and its wait for one. `of`: its zone.
 */
export const explainTaint = (known: KnownNode, of: ZoneOfNode, now: EpochMs): Answer => {
  const { row } = known;
  const counted = of === 'hidden' ? undefined : of;
  const { damping } = known.own;
  const losses = row.losses ?? [];
  const raw = decideNoExecuteFor(row.ready, row.noExecute);
  const decision = damped(raw, losses, row.readyTransitionAt, damping, now);
  const keptUntil = decision === raw ? undefined : endOfDamping(losses, row.readyTransitionAt, damping, now);
  const since = earliest(row.noExecute.map(({ since: at }) => at));
  return {
    question: 'taint',
    verdict: verdictOf(known, decision, counted),
    ...optional('since', decision.action === 'queue' ? row.readyTransitionAt : since),
    because: [...taintFacts(known), ...decisionFacts(known, decision, of), ...keptFacts(losses, keptUntil)],
    ...optional('next', nextOf(known, decision, counted, now) ?? keptNext(known, keptUntil)),
    wouldChange: changesOf(known, decision),
  };
};
