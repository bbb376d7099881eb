/** Computes which heartbeats of which machines the faults of a scenario remove. */
import type { Chance } from '../../shared/adapters/hostile/chance.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Machine } from '../plane/machine.ts';
import type { Gap, Loss } from '../plane/schedule.ts';
import type { Fault } from './scenario.ts';
import { ScenarioError } from './yaml-fields.ts';

/** Later than the end of every run, and a number that JSON can hold. */
export const FOREVER: EpochMs = Number.MAX_SAFE_INTEGER;

type Cutting = Extract<Fault, { kind: 'silence' | 'loss' | 'flap' }>;
interface Run {
  readonly startAt: EpochMs;
  readonly endAt: EpochMs;
}
interface Cut {
  readonly gaps: readonly Gap[];
  readonly losses: readonly Loss[];
}

const isCutting = (fault: Fault): fault is Cutting => ['silence', 'loss', 'flap'].includes(fault.kind);

const poolOf = ({ zone, nodes, kind, where }: Cutting, fleet: readonly Machine[]): readonly Machine[] => {
  const names = nodes && new Set(nodes);
  const pool = fleet.filter(
    (machine) => (zone === undefined || machine.zone === zone) && (names?.has(machine.name) ?? true),
  );
  if (pool.length > 0 && pool.length >= (names?.size ?? 0)) return pool;
  throw new ScenarioError(
    `${where}: ${kind}: no such nodes; zones are ${zonesOf(fleet)}, nodes ${zonesOf(fleet, '-1, …')}`,
  );
};

const zonesOf = (fleet: readonly Machine[], suffix = ''): string =>
  [...new Set(fleet.map(({ zone }) => `${zone}${suffix}`))].slice(0, 8).join(', ');

/** The machines that a fault hits: all of its pool, or as many as its `count` or `share` says, by chance. */
const chosen = (fault: Cutting, fleet: readonly Machine[], chance: Chance): readonly Machine[] => {
  const pool = [...poolOf(fault, fleet)];
  const count = fault.count ?? Math.round((fault.share ?? 1) * pool.length);
  if (count >= pool.length) return pool;
  const drawn: Machine[] = [];
  for (let left = count; left > 0; left -= 1) {
    const index = Math.floor(chance.upTo(pool.length));
    const last = pool.pop();
    const machine = index < pool.length ? pool[index] : last;
    if (machine) drawn.push(machine);
    if (last && index < pool.length) pool[index] = last;
  }
  return drawn;
};

const flaps = (
  { every, silentFor }: Extract<Cutting, { kind: 'flap' }>,
  from: EpochMs,
  to: EpochMs,
): readonly Gap[] =>
  Array.from({ length: Math.ceil((to - from) / every) }, (_, index) => {
    const start = from + index * every;
    return { from: start, to: Math.min(start + silentFor, to) };
  });

const cutOf = (fault: Cutting, { startAt, endAt }: Run, chance: Chance): Cut => {
  const over = fault.kind === 'silence' ? fault.over : 0;
  const from = startAt + fault.at + Math.floor(chance.upTo(over));
  const to = fault.for === undefined ? FOREVER : from + fault.for;
  switch (fault.kind) {
    case 'silence':
      return { gaps: [{ from, to }], losses: [] };
    case 'flap':
      return {
        gaps: flaps(fault, from + Math.floor(chance.upTo(fault.every)), Math.min(to, endAt)),
        losses: [],
      };
    case 'loss':
      return { gaps: [], losses: [{ from, to, first: fault.from, last: fault.to }] };
  }
};

/** The gaps in order. Gaps that overlap or touch become one. */
const merged = (gaps: readonly Gap[]): readonly Gap[] => {
  const apart: Gap[] = [];
  for (const gap of gaps.toSorted((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (!last || last.to < gap.from) apart.push(gap);
    else apart[apart.length - 1] = { from: last.from, to: Math.max(last.to, gap.to) };
  }
  return apart;
};

const together = (a: Cut | undefined, b: Cut): Cut =>
  a ? { gaps: merged([...a.gaps, ...b.gaps]), losses: [...a.losses, ...b.losses] } : b;

/** The removed heartbeats by name of the machine. Throws a `ScenarioError` for nodes that do not exist. */
export const silencesByMachine = (
  faults: readonly Fault[],
  fleet: readonly Machine[],
  run: Run,
  chance: Chance,
): ReadonlyMap<string, Cut> => {
  const cuts = new Map<string, Cut>();
  for (const fault of faults.filter(isCutting)) {
    const own = chance.fork();
    for (const { name } of chosen(fault, fleet, own))
      cuts.set(name, together(cuts.get(name), cutOf(fault, run, own)));
  }
  return cuts;
};
