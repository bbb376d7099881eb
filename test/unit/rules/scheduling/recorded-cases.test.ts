/** The recorded cases except those about waking, on the rules alone. */
import { describe, expect, it } from 'vitest';
import { recordedCases } from '../../../support/scheduling/recorded-cases.ts';
import { replayCase } from '../../../support/scheduling/replay-case.ts';

const SIZE_BY_CHANCE =
  'nodes report other sizes of one image, and the recorded cluster took that of the node that it heard of first';

/** Cases that differ, each with the reason. */
const DIFFERING: Readonly<Record<string, string>> = {
  'score-g10': SIZE_BY_CHANCE,
  'score-g24': SIZE_BY_CHANCE,
};

const COUNTS = [
  ['taints', 29, 29],
  ['resources', 34, 34],
  ['affinity', 31, 31],
  ['ports', 12, 12],
  ['gates', 3, 3],
  ['volumes', 5, 5],
  ['messages', 21, 21],
  ['score', 18, 20],
  ['spread', 31, 31],
  ['podaffinity', 33, 33],
  ['preemption', 24, 24],
] as const;

const cases = recordedCases();
const faultsById = new Map(cases.map((recorded) => [recorded.id, replayCase(recorded)]));

describe.each(COUNTS)('the recorded group %s (M-05, P-03, F-08, X-01, Y-01, U-12)', (group, exact, total) => {
  const own = cases.filter((one) => one.group === group);

  it(`is exact in ${exact} of ${total} cases: bound or not, message, feasible nodes, winner, scores by plugin, victims`, () => {
    expect(own).toHaveLength(total);
    expect(own.filter(({ id }) => faultsById.get(id)?.length === 0)).toHaveLength(exact);
  });

  it('differs only in the cases that are named', () => {
    const faults = own.filter(({ id }) => !(id in DIFFERING)).flatMap(({ id }) => faultsById.get(id) ?? []);
    expect(faults).toEqual([]);
  });
});

describe('the cases that are named as differing', () => {
  it.each(Object.entries(DIFFERING))('%s: %s', (id) => {
    expect(faultsById.get(id)).not.toEqual([]);
  });

  it.each(Object.keys(DIFFERING).filter((id) => DIFFERING[id] === SIZE_BY_CHANCE))(
    '%s has the recorded nodes and winner nevertheless',
    (id) => {
      const faults = faultsById.get(id) ?? [];
      expect(faults.filter((fault) => !fault.includes('ImageLocality'))).toEqual([]);
    },
  );
});
