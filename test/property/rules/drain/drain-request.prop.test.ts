import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DrainRequest,
  drainFrom,
  drainText,
  joined,
} from '../../../../shared/rules/drain/drain-request.ts';

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const flag = fc.constant(true as const);
const request: fc.Arbitrary<DrainRequest> = fc.record(
  {
    id: fc.uuid(),
    requestedAt: instant,
    by: fc.string({ maxLength: 20 }),
    reason: fc.string({ maxLength: 20 }),
    deadlineAt: instant,
    deleteAt: instant,
    gracePeriodSeconds: fc.nat(600),
    force: flag,
    ignoreDaemonSets: flag,
    deleteEmptyDirData: flag,
    podSelectors: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }).map((all) => all.sort()),
  },
  { requiredKeys: ['id', 'requestedAt', 'by', 'reason'] },
);

const effectOf = ({ id: _id, by: _by, reason: _reason, ...effect }: DrainRequest): object => effect;

describe('requests to drain a node', () => {
  it('are read as they were written (E-10)', () => {
    fc.assert(
      fc.property(request, (one) => {
        expect(drainFrom(drainText(one))).toEqual(one);
      }),
    );
  });

  it('ask for the same in any order, and however often they are repeated (E-11)', () => {
    fc.assert(
      fc.property(request, request, request, (a, b, c) => {
        expect(effectOf(joined(a, b))).toEqual(effectOf(joined(b, a)));
        expect(effectOf(joined(joined(a, b), c))).toEqual(effectOf(joined(a, joined(b, c))));
        expect(joined(a, a)).toEqual(a);
      }),
    );
  });
});
