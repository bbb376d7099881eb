import { describe, expect, it } from 'vitest';
import {
  type DrainRequest,
  drainFrom,
  drainText,
  joined,
  WHOLE_NODE,
} from '../../../../shared/rules/drain/drain-request.ts';
import { at } from '../../../support/objects/domain-objects.ts';

const T = at('2026-02-03T04:05:06Z');
const ONE: DrainRequest = { id: 'one', requestedAt: T, by: 'alice', reason: 'kernel' };
const TWO: DrainRequest = { id: 'two', requestedAt: T + 5000, by: 'cloud', reason: 'spot interruption' };

describe('two requests for one node', () => {
  it('keep the first instant, and have the name, author and reason of the later one (E-11)', () => {
    expect(joined(ONE, TWO)).toEqual({ ...TWO, requestedAt: T });
  });

  type Parts = Partial<DrainRequest>;
  const rows: readonly [string, Parts, Parts, Parts][] = [
    [
      'give up at the later deadline (E-11)',
      { deadlineAt: T + 1 },
      { deadlineAt: T + 9 },
      { deadlineAt: T + 9 },
    ],
    ['never give up if one of them never does (E-11)', { deadlineAt: T + 1 }, {}, {}],
    [
      'delete from the earlier instant on (E-11)',
      { deleteAt: T + 9 },
      { deleteAt: T + 1 },
      { deleteAt: T + 1 },
    ],
    ['delete if one of them does (E-11)', {}, { deleteAt: T + 1 }, { deleteAt: T + 1 }],
    [
      'take the shorter grace period (E-11)',
      { gracePeriodSeconds: 60 },
      { gracePeriodSeconds: 5 },
      { gracePeriodSeconds: 5 },
    ],
    ['take the only grace period (E-11)', { gracePeriodSeconds: 0 }, {}, { gracePeriodSeconds: 0 }],
    [
      'permit what either permits (E-11)',
      { force: true },
      { ignoreDaemonSets: true, deleteEmptyDirData: true },
      WHOLE_NODE,
    ],
    [
      'empty what either selects (E-11)',
      { podSelectors: ['b'] },
      { podSelectors: ['a', 'b'] },
      { podSelectors: ['a', 'b'] },
    ],
    ['empty everything if one of them does (E-11)', { podSelectors: ['a'] }, {}, {}],
    ['remember that the node was cordoned (E-12)', { foundCordoned: true }, {}, { foundCordoned: true }],
  ];
  it.each(rows)('%s', (_, first, later, both) => {
    expect(joined({ ...ONE, ...first }, { ...TWO, ...later })).toEqual({ ...TWO, requestedAt: T, ...both });
  });
});

describe('the text of the annotation', () => {
  const FULL: DrainRequest = {
    ...ONE,
    deadlineAt: T + 60_250,
    deleteAt: T + 30_000,
    gracePeriodSeconds: 0,
    force: true,
    ignoreDaemonSets: true,
    deleteEmptyDirData: true,
    podSelectors: ['app in (a, b)'],
    foundCordoned: true,
  };

  it('has instants that people can read (E-10)', () => {
    expect(JSON.parse(drainText({ ...ONE, deadlineAt: T + 60_250 }))).toEqual({
      id: 'one',
      by: 'alice',
      reason: 'kernel',
      requestedAt: '2026-02-03T04:05:06.000Z',
      deadline: '2026-02-03T04:06:06.250Z',
    });
  });

  it.each([ONE, FULL])('is read as it was written (E-10)', (request) => {
    expect(drainFrom(drainText(request))).toEqual(request);
  });

  it('has at most 256 characters of author and reason (E-10)', () => {
    const long = drainFrom(drainText({ ...ONE, by: 'b'.repeat(1000), reason: 'r'.repeat(1000) }));
    expect(long).toEqual({ ...ONE, by: 'b'.repeat(256), reason: 'r'.repeat(256) });
  });

  const requestedAt = '"requestedAt":"2026-02-03T04:05:06Z"';
  it.each([
    ['no JSON', 'yes'],
    ['no object', '[]'],
    ['no id', `{${requestedAt}}`],
    ['an empty id', `{"id":"",${requestedAt}}`],
    ['no instant', '{"id":"one"}'],
    ['an instant that is none', '{"id":"one","requestedAt":"yesterday"}'],
    ['a deadline that cannot be read', `{"id":"one",${requestedAt},"deadline":"soon"}`],
    ['a negative grace period', `{"id":"one",${requestedAt},"gracePeriodSeconds":-1}`],
    ['selectors that are no texts', `{"id":"one",${requestedAt},"podSelectors":[1]}`],
  ])('that is %s is no request (E-10)', (_, text) => {
    expect(drainFrom(text)).toBeUndefined();
  });

  it('needs only an id and an instant (E-10)', () => {
    expect(drainFrom(`{"id":"one",${requestedAt}}`)).toEqual({
      id: 'one',
      requestedAt: T,
      by: '',
      reason: '',
    });
  });
});
