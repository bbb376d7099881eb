import { describe, expect, it } from 'vitest';
import { claimOf } from '../../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import {
  countersOff,
  rightCounters,
  withoutFreePorts,
} from '../../../../shared/rules/scheduling/node-counters.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';

const CLAIM = claimOf(aPod({ nodeName: 'n1' }), 0);
const counted = (pods: number) => new Map([['pods', pods]]);

describe('what should be stored of a node (O-12)', () => {
  it.each([
    [
      'the sums of the claims and its digest',
      counted(7),
      'd',
      [CLAIM],
      true,
      { counters: counted(1), digest: 'd' },
    ],
    ['no digest without a Node', counted(1), 'd', [CLAIM], false, { counters: counted(1) }],
    ['no digest where none was stored', counted(1), undefined, [CLAIM], true, { counters: counted(1) }],
    ['a digest alone for an empty Node', counted(0), 'd', [], true, { counters: new Map(), digest: 'd' }],
    ['nothing without Node and claims', counted(0), 'd', [], false, undefined],
  ])('is %s', (_, counters, digest, claims, hasNode, right) => {
    const stored = { counters, ...(digest === undefined ? {} : { digest }) };
    expect(rightCounters(stored, claims, hasNode)).toEqual(right);
  });
});

it('names what has to be added to be right, and takes an absent counter as 0 (O-12)', () => {
  const stored = {
    counters: new Map([
      ['pods', 3],
      ['r/cpu', 0],
      ['r/memory', 5],
    ]),
  };
  const right = {
    counters: new Map([
      ['pods', 1],
      ['r/memory', 5],
      ['r/gpu', 2],
    ]),
  };
  expect(countersOff(stored, right)).toEqual(
    new Map([
      ['pods', -2],
      ['r/gpu', 2],
    ]),
  );
  expect(countersOff(stored, undefined)).toEqual(
    new Map([
      ['pods', -3],
      ['r/memory', -5],
    ]),
  );
});

it('drops counters of free ports, and nothing else (O-13)', () => {
  const kept = new Map([
    ['pods', 0],
    ['p/TCP/80', 1],
  ]);
  expect(withoutFreePorts(new Map([...kept, ['p/TCP/81', 0], ['p/TCP/81/10.0.0.1', 0]]))).toEqual(kept);
  expect(withoutFreePorts(kept)).toBe(kept);
});
