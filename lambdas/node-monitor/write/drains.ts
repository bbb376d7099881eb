/** Nodes that are emptied before they are lost, because a policy says so. */

import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import { mayDrain } from '../../../shared/rules/policies/drain-before-lost.ts';
import { withPolicyDrain } from '../../../shared/rules/policies/policy-drain.ts';
import { computeZoneState } from '../../../shared/rules/zones/zone-state.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { ObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Judgement } from '../judge/judgement.ts';
import { countZones } from '../judge/zones.ts';
import type { PassPolicies } from './policies.ts';

/** Nodes of a zone that one pass reads, to find one to drain: an index does not know which nodes flap. */
const MOST_LOOKS = 20;

export interface DrainDeps {
  readonly clock: Clock;
  readonly writer: ObjectWriter;
  readonly config: { readonly writeConcurrency: number };
}

/** A node to look at, and what was known of it: the same need not be looked at twice. */
interface Candidate {
  readonly name: string;
  readonly zone: string;
  readonly isLeaving: boolean;
  readonly known: string;
}

const candidateOf = (
  { row, ready }: Judgement,
  { settings, labelsOf, leavesInOrder }: PassPolicies,
  now: EpochMs,
): readonly Candidate[] => {
  if (ready === undefined || ready === 'Unknown') return [];
  const { name, uid, zone, readyTransitionAt = 0 } = row;
  const own = settings.node(zone, labelsOf(name, uid));
  if (!own.drain) return [];
  const isLeaving = own.drain.whenShuttingDown === true && leavesInOrder(name, uid);
  if (!isLeaving && !mayDrain(row, ready, own, now)) return [];
  return [{ name, zone, isLeaving, known: `${uid} ${readyTransitionAt} ${isLeaving} ${ready}` }];
};

/** The keys of the zones that are disrupted. */
const disruptedZones = (fleet: readonly Judgement[], { settings }: PassPolicies): ReadonlySet<string> =>
  new Set(
    [...countZones(fleet)].flatMap(([zone, count]) =>
      computeZoneState(count, settings.zone(zone)) === 'Normal' ? [] : [zone],
    ),
  );

/** Candidates of one turn: its first drain ends it. A machine that leaves has a turn of its own; other nodes of a zone share one. */
const turnsOf = (
  fleet: readonly Judgement[],
  policies: PassPolicies,
  now: EpochMs,
): readonly (readonly Candidate[])[] => {
  const candidates = fleet
    .flatMap((judged) => candidateOf(judged, policies, now))
    .filter(({ name, known }) => policies.looked.get(name) !== known);
  const others = Map.groupBy(
    candidates.filter(({ isLeaving }) => !isLeaving),
    ({ zone }) => zone,
  );
  const disrupted = others.size === 0 ? new Set() : disruptedZones(fleet, policies);
  return [
    ...candidates.filter(({ isLeaving }) => isLeaving).map((candidate) => [candidate]),
    ...[...others].flatMap(([zone, nodes]) => (disrupted.has(zone) ? [] : [nodes.slice(0, MOST_LOOKS)])),
  ];
};

const requestDrain = async (
  { writer }: DrainDeps,
  { settings }: PassPolicies,
  { name }: Candidate,
): Promise<'written' | 'unchanged' | 'conflict'> => {
  try {
    const { outcome } = await writer.write(nodeKey(name), (row, at) => {
      const stored = liveRow(row);
      const facts = stored?.facts.node;
      if (!stored || !facts) return undefined;
      const node: Node = stored.object;
      const next = withPolicyDrain(node, facts, settings.node(facts.zone, node.metadata.labels), at);
      return next === node ? undefined : { next, writer: 'controller' };
    });
    return outcome === 'checkFailed' ? 'conflict' : outcome;
  } catch (error) {
    // Somebody else is writing the node: the next pass decides again.
    if (error instanceof StatusError) return 'conflict';
    throw error;
  }
};

const takeTurn = async (
  deps: DrainDeps,
  policies: PassPolicies,
  turn: readonly Candidate[],
  until: EpochMs,
): Promise<void> => {
  for (const candidate of turn) {
    if (deps.clock.now() >= until) return;
    const outcome = await requestDrain(deps, policies, candidate);
    if (outcome !== 'conflict') policies.looked.set(candidate.name, candidate.known);
    if (outcome === 'written') return;
  }
};

/**
 * Requests drains, by consistent reads of the nodes: for machines that leave at once, for other nodes one in each zone, and none in a zone that
 * is disrupted. Starts none after `until` (ms): the next pass finds the same.
 */
export const requestDrains = async (
  deps: DrainDeps,
  policies: PassPolicies,
  fleet: readonly Judgement[],
  until: EpochMs,
): Promise<void> => {
  if (!policies.settings.drains) return;
  const turns = turnsOf(fleet, policies, deps.clock.now());
  await inParallel(turns, deps.config.writeConcurrency, (turn) => takeTurn(deps, policies, turn, until));
};
