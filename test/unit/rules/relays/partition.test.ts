import { describe, expect, it } from 'vitest';
import { packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import { partsByRelay, relayView, siteBehind } from '../../../../shared/rules/relays/partition.ts';

const SECOND = 1_000;
const NOW = 1_000 * SECOND;
const config = { nodeMonitorGracePeriodMs: 40 * SECOND };

interface Given {
  /** Seconds since the last batch. */
  readonly batch: number;
  /** Ages of the nodes at that batch, seconds; `null`: never heard. */
  readonly ages: readonly (number | null)[];
  readonly relay?: string;
  readonly part?: number;
}

const partOf = ({ batch, ages, relay = 'a', part = 0 }: Given) => ({
  part: { relay, part },
  roster: {
    revision: 1,
    entries: ages.map((_, place) => ({ name: `n${part}${place}`, uid: 'u', untilAt: NOW, since: 1 })),
  },
  beats: {
    sequence: 1,
    receivedAt: NOW - batch * SECOND,
    roster: 1,
    ages: packAges(ages.map((age) => (age === null ? null : { ageMs: age * SECOND, isPlain: false }))),
  },
});

/** `heard`: seconds since each node was heard, long ago if it is not given; `null`: there is no such Node. */
const view = (given: readonly Given[], heard: Readonly<Record<string, number | null>> = {}, floor = 0) => {
  const relays = partsByRelay(given.map(partOf));
  const heardAt = ({ roster }: ReturnType<typeof partOf>, place: number) => {
    const node = `${roster.entries[place]?.name}/u`;
    return heard[node] === null ? undefined : NOW - (heard[node] ?? 500) * SECOND;
  };
  const sites = relays.flatMap(([relay, parts]) => siteBehind(relay, parts, heardAt, NOW, config) ?? []);
  return relayView(relays, sites, floor, NOW, config);
};

const cutOffOf = (...given: Parameters<typeof view>) =>
  view(...given).cutOff.map(({ relay, nodes }) => [relay, ...nodes]);

describe('a relay is silent (J-166)', () => {
  it.each([
    ['after half a grace period without a batch', 20.001, ['a']],
    ['not before', 20, []],
  ])('%s', (_name, batch, silent) => {
    expect(view([{ batch, ages: [0, 0] }]).silent).toEqual(silent);
  });

  it('only if all its parts are', () => {
    const other = { batch: 1, ages: [0], part: 1 };
    expect(view([{ batch: 30, ages: [0, 0] }, other]).silent).toEqual([]);
  });

  it('not by a time in which nobody could have heard it', () => {
    expect(view([{ batch: 30, ages: [0, 0] }], {}, NOW - 10 * SECOND).silent).toEqual([]);
  });
});

describe('a site is cut off (J-167)', () => {
  it.each([
    [
      'if its relay and all its nodes are silent',
      [{ batch: 30, ages: [0, 10] }],
      {},
      [['a', 'n00/u', 'n01/u']],
    ],
    [
      'with those nodes that lived at the last batch',
      [{ batch: 30, ages: [0, 10, 41, null] }],
      {},
      [['a', 'n00/u', 'n01/u']],
    ],
    ['not while its relay speaks', [{ batch: 20, ages: [0, 10] }], {}, []],
    [
      'not if only one node lived: its machine may be that of the relay',
      [{ batch: 30, ages: [0, 41] }],
      {},
      [],
    ],
    [
      'not if one of its nodes was heard since, straight or by another relay',
      [{ batch: 30, ages: [0, 10] }],
      { 'n01/u': 29 },
      [],
    ],
    [
      'though one was heard just before',
      [{ batch: 30, ages: [0, 10] }],
      { 'n01/u': 30 },
      [['a', 'n00/u', 'n01/u']],
    ],
    [
      'with those Nodes that still exist',
      [{ batch: 30, ages: [0, 10, 10] }],
      { 'n01/u': null, 'n02/u': null },
      [['a', 'n00/u']],
    ],
    [
      'not any more when all of them were deleted',
      [{ batch: 30, ages: [0, 10] }],
      { 'n00/u': null, 'n01/u': null },
      [],
    ],
    [
      'with the nodes of all its parts',
      [
        { batch: 30, ages: [0] },
        { batch: 25, ages: [5], part: 1 },
      ],
      {},
      [['a', 'n00/u', 'n10/u']],
    ],
  ] as const)('%s', (_name, parts, heard, cutOff) => {
    expect(cutOffOf(parts, heard)).toEqual(cutOff);
  });

  it('unless nobody could have heard it since: that is not sure, in either way', () => {
    const away = { batch: 400, ages: [0, 10] };
    const found = view([away], {}, NOW - 10 * SECOND);
    expect(found).toMatchObject({ silent: [], cutOff: [], unsure: [{ relay: 'a' }] });
    expect([...(found.unsure[0]?.nodes ?? [])]).toEqual(['n00/u', 'n01/u']);
    expect(view([away], {}, NOW - 21 * SECOND)).toMatchObject({ cutOff: [{ relay: 'a' }], unsure: [] });
    expect(view([away], { 'n01/u': 5 }, NOW - 10 * SECOND)).toMatchObject({ cutOff: [], unsure: [] });
    expect(view([{ ...away, batch: 1 }], {}, NOW - 10 * SECOND).unsure).toEqual([]);
  });
});
