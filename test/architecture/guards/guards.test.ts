import { describe, expect, it } from 'vitest';
import { complaintOf, lowered, readNumbers } from './guard.ts';
import { GUARDS } from './guards.ts';

const numbers = readNumbers();

/** Reading all of the source takes seconds on a busy machine. */
const TIMEOUT_MS = 60_000;

describe('the stored number', { timeout: TIMEOUT_MS }, () => {
  it.each(GUARDS)('holds: $name', ({ name, find }) => {
    const complaint = complaintOf(name, find().length, numbers[name]);
    // The message shows all of it.
    expect(complaint, complaint).toBeUndefined();
  });

  it('belongs to a guard, in the order of the guards', () => {
    expect(Object.keys(numbers)).toEqual(GUARDS.map(({ name }) => name));
  });
});

describe('a guard', () => {
  const CEILING = { today: 3, isCeiling: true };

  it.each([
    [3, { today: 3 }, undefined],
    [4, { today: 3 }, 'x: 4, but at most 3 are allowed'],
    [2, { today: 3 }, 'x: 2 instead of 3: lower it to 2 in this commit'],
    [2, CEILING, undefined],
    [4, CEILING, 'x: 4, but at most 3 are allowed'],
    [2, undefined, 'has no number; it is 2'],
  ])('that measures %j where %j is stored', (measured, stored, complaint) => {
    const found = complaintOf('x', measured, stored);
    if (complaint === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(complaint);
  });

  it('is lowered but never raised, and keeps its target', () => {
    const stored = {
      fell: { today: 3, target: 0 },
      rose: { today: 3 },
      unmeasured: { today: 3 },
      ceiling: CEILING,
    };
    expect(lowered(stored, new Map(Object.entries({ fell: 1, rose: 9, ceiling: 1 })))).toEqual({
      ...stored,
      fell: { today: 1, target: 0 },
    });
  });
});
