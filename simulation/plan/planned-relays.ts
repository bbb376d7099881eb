/** Which machines beat through relays, and when batches of these arrive. */
import type { Chance } from '../../shared/adapters/hostile/chance.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';
import type { Machine } from '../plane/machine.ts';
import type { Gap } from '../plane/schedule.ts';
import { lastBeat, type Schedule, silences } from '../plane/schedule.ts';
import type { Scenario } from './scenario.ts';
import { ScenarioError } from './yaml-fields.ts';

/** A relay. Its schedule is that of its batches; the gaps are those of its uplink. */
export interface PlannedRelay {
  readonly name: string;
  readonly nodes: readonly string[];
  readonly schedule: Schedule;
}

/** A relay sends a batch as often as a node beats. */
const BATCH_MS = DEFAULTS.heartbeatIntervalSeconds * 1000;

type Cut = Extract<Scenario['faults'][number], { kind: 'cutUplink' }>;

const cutsOf = ({ faults }: Scenario): readonly Cut[] =>
  faults.flatMap((fault) => (fault.kind === 'cutUplink' ? [fault] : []));

const gapsOf = (cuts: readonly Cut[], startAt: EpochMs): readonly Gap[] =>
  cuts
    .map(({ at, for: lasts }) => ({
      from: startAt + at,
      to: lasts === undefined ? Number.MAX_SAFE_INTEGER : startAt + at + lasts,
    }))
    .toSorted((a, b) => a.from - b.from);

const checkNamed = ({ relay, where }: Cut, names: readonly string[]): void => {
  if (!names.includes(relay))
    throw new ScenarioError(
      `${where}: cutUplink: there is no relay ${relay}; there are ${names.join(', ') || 'none'}`,
    );
};

/** The relays of a run that starts at `startAt` (ms). Throws a `ScenarioError` if a zone or a relay is named that is not there. */
export const relaysOf = (
  scenario: Scenario,
  machines: readonly Machine[],
  startAt: EpochMs,
  chance: Chance,
): readonly PlannedRelay[] => {
  const { relays } = scenario.fleet;
  const cuts = cutsOf(scenario);
  for (const cut of cuts)
    checkNamed(
      cut,
      relays.map(({ name }) => name),
    );
  return relays.map(({ name, zone }) => {
    const nodes = machines.filter((machine) => machine.zone === zone).map((machine) => machine.name);
    if (nodes.length === 0) throw new ScenarioError(`fleet: relays: ${name}: there is no zone ${zone}`);
    const gaps = gapsOf(
      cuts.filter(({ relay }) => relay === name),
      startAt,
    );
    const schedule = {
      startAt: startAt + Math.floor(chance.upTo(BATCH_MS)),
      intervalMs: BATCH_MS,
      jitterMs: 0,
      seed: 1,
      gaps,
      losses: [],
    };
    return { name, nodes, schedule };
  });
};

/** When batches came again after a silence of the relay: its nodes then know that they have to write their statuses. */
export const returnsOf = (
  { schedule, nodes }: PlannedRelay,
  startAt: EpochMs,
  endAt: EpochMs,
): readonly { readonly at: EpochMs; readonly node: string }[] =>
  silences(schedule, startAt, endAt, 2 * schedule.intervalMs).flatMap(({ to }) =>
    to === undefined ? [] : nodes.map((node) => ({ at: to, node })),
  );

/** The last beat of a machine that the control plane knew of at an instant; behind a relay that of its last batch. */
export const createArrivals = (
  relays: readonly PlannedRelay[] = [],
): ((machine: Machine, at: EpochMs) => EpochMs | undefined) => {
  const byNode = new Map(relays.flatMap(({ nodes, schedule }) => nodes.map((node) => [node, schedule])));
  return ({ name, beating }, at) => {
    const batches = byNode.get(name);
    const until = batches ? lastBeat(batches, at, 0) : at;
    return until === undefined ? undefined : lastBeat(beating.schedule, until, 0);
  };
};
