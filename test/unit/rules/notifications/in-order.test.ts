import { describe, expect, it } from 'vitest';
import { inOrder } from '../../../../shared/rules/notifications/in-order.ts';

const event = (subject: string, id: string) => ({ subject, id });
const node = (name: string, revision: number | string, type = 'NodeLost') =>
  event(`node/${name}`, `u-${name}/${revision}/${type}`);
const zone = (since: number) => event('zone/a', `zone/a/${since}/Normal/ZoneStateChanged`);

describe('stored events (J-279)', () => {
  it.each([
    ['stay as they were stored', [node('a', 1), node('b', 2)], [0, 1]],
    [
      'of one object follow its revisions, in the places of all of them',
      [node('a', 9), node('b', 2), node('a', 4)],
      [2, 1, 0],
    ],
    ['of one revision keep their order', [node('a', 4, 'NodeReady'), node('a', 4, 'NodeReturned')], [0, 1]],
    [
      'that are repeated count once, where the first one is',
      [node('a', 4), node('b', 2), node('a', 4)],
      [0, 1],
    ],
    ['of a zone keep their order: their ids have no revision', [zone(9), node('a', 1), zone(3)], [0, 1, 2]],
    ['with something else in place of a revision keep their order', [node('a', 'x'), node('a', 1)], [0, 1]],
    ['with revisions compare as numbers', [node('a', 10), node('a', 9)], [1, 0]],
  ])('%s', (_, events, places) => {
    expect(inOrder(events)).toEqual(places.map((place) => events[place]));
  });
});
