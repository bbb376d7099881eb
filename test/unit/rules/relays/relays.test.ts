import { describe, expect, it } from 'vitest';
import { closed, isClosed, isFromBefore } from '../../../../shared/rules/relays/closed-roster.ts';
import { mergedBeats, type ReportedAge } from '../../../../shared/rules/relays/merge-ages.ts';
import { OLDEST_AGE_MS, packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import {
  MOST_IN_PART,
  type RelayBeats,
  type RelayRoster,
  type RosterEntry,
} from '../../../../shared/rules/relays/relay-items.ts';
import { relayedBeats, takeBackReceipt } from '../../../../shared/rules/relays/relayed-beats.ts';
import { enrolled, relayExpiry, speaksFor, withoutGone } from '../../../../shared/rules/relays/roster.ts';
import { isNextSequence, MOST_SEQUENCE_STEP } from '../../../../shared/rules/relays/sequence.ts';

const NOW = 1_000_000;
const DAY = 86_400_000;

const entry = (name: string, rest: Partial<RosterEntry> = {}): RosterEntry => ({
  name,
  uid: `uid-${name}`,
  untilAt: NOW + DAY,
  since: 1,
  ...rest,
});

const rosterOf = (...entries: readonly RosterEntry[]): RelayRoster => ({ revision: 1, entries });

const age = (ageMs: number, isPlain = false) => ({ ageMs, isPlain });

const reported = (name: string, ageMs: number, rest: Partial<ReportedAge> = {}): ReportedAge => ({
  name,
  uid: `uid-${name}`,
  ...age(ageMs),
  ...rest,
});

const beats = (rest: Partial<RelayBeats> = {}): RelayBeats => ({
  sequence: 1,
  receivedAt: NOW,
  roster: 1,
  ages: packAges([]),
  ...rest,
});

describe('the sequence of a batch (J-160)', () => {
  it.each([
    ['the first', 1, undefined, true],
    ['the next', 8, 7, true],
    ['one with a gap', 20, 7, true],
    ['a repeated one', 7, 7, false],
    ['a late one', 6, 7, false],
    ['the furthest', 7 + MOST_SEQUENCE_STEP, 7, true],
    ['one that would use up all numbers', 2 ** 53 - 1, 7, false],
    ['zero', 0, undefined, false],
  ])('%s', (_name, sequence, stored, isNext) => {
    expect(isNextSequence(sequence, stored)).toBe(isNext);
  });
});

describe('who is on the roster (J-161)', () => {
  const roster = rosterOf(entry('a'), entry('b', { untilAt: NOW }));

  it.each([
    ['a node that is new comes last', rosterOf(entry('a')), entry('c'), ['a', 'c']],
    ['or to the place of one whose token has expired', roster, entry('c'), ['a', 'c']],
    ['one that comes back has its place', roster, entry('b'), ['a', 'b']],
    ['the first of all', undefined, entry('a'), ['a']],
  ])('%s', (_name, before, one, names) => {
    expect(enrolled(before, [one], NOW).roster.entries.map(({ name }) => name)).toEqual(names);
  });

  it('a later token of the same Node keeps the age; another Node of the name begins without one', () => {
    const later = { name: 'a', uid: 'uid-a', untilAt: NOW + 2 * DAY };
    expect(enrolled(rosterOf(entry('a')), [later], NOW).roster).toEqual({
      revision: 2,
      entries: [entry('a', { untilAt: NOW + 2 * DAY })],
    });
    const other = { name: 'a', uid: 'other', untilAt: NOW + DAY };
    expect(enrolled(rosterOf(entry('a')), [other], NOW).roster.entries).toEqual([
      entry('a', { uid: 'other', since: 2 }),
    ]);
  });

  it('an older token does not shorten the time', () => {
    const older = { name: 'a', uid: 'uid-a', untilAt: NOW + 1 };
    expect(enrolled(rosterOf(entry('a')), [older], NOW).roster.entries[0]?.untilAt).toBe(NOW + DAY);
  });

  it('a part has room for 100 nodes', () => {
    const full = rosterOf(...Array.from({ length: MOST_IN_PART }, (_, n) => entry(`n${n}`)));
    expect(enrolled(full, [entry('more'), entry('n7')], NOW)).toMatchObject({ full: ['more'] });
  });

  it('a Node that is gone leaves its place', () => {
    const left = withoutGone(rosterOf(entry('a'), entry('b')), ({ name }) => name === 'a');
    expect(left.revision).toBe(2);
    expect(left.entries.map((one) => speaksFor(one, one.uid, NOW))).toEqual([false, true]);
  });
});

describe('for whom a relay speaks (J-162)', () => {
  it.each([
    ['a node of the roster', entry('a'), 'uid-a', true],
    ['a later Node of that name', entry('a'), 'other', false],
    ['one whose token has expired', entry('a', { untilAt: NOW }), 'uid-a', false],
    ['one that has never shown a token', undefined, 'uid-a', false],
  ])('%s', (_name, one, uid, speaks) => {
    expect(speaksFor(one, uid, NOW)).toBe(speaks);
  });

  it('what it says of others counts for nobody', () => {
    const strange = [reported('z', 0), reported('a', 0, { uid: 'other' })];
    const merged = mergedBeats(rosterOf(entry('a')), undefined, { sequence: 1, nodes: strange }, NOW);
    expect(merged).toEqual({ beats: beats({ ages: packAges([null]) }), refused: strange });
  });
});

describe('the ages after a batch (J-163)', () => {
  const merge = (before: RelayBeats | undefined, nodes: readonly ReportedAge[], now = NOW + 10_000) =>
    mergedBeats(rosterOf(entry('a'), entry('b')), before, { sequence: 2, nodes }, now).beats;

  it('count from when it was received; a node that it does not name grows older', () => {
    const before = beats({ ages: packAges([age(3_000), age(4_000)]) });
    expect(merge(before, [reported('a', 1_000)])).toEqual(
      beats({ sequence: 2, receivedAt: NOW + 10_000, ages: packAges([age(1_000), age(14_000)]) }),
    );
  });

  it.each([
    ['an older one than the stored', age(0), 60_000, age(10_000)],
    ['the same instant', age(0), 10_000, age(10_000)],
    ['a younger one', age(0), 9_999, age(9_999)],
    ['none is stored', null, 5_000, age(5_000)],
    ['an age of years', null, 1e15, age(OLDEST_AGE_MS)],
  ])('no instant goes back: %s', (_name, stored, ageMs, next) => {
    expect(merge(beats({ ages: packAges([stored, null]) }), [reported('a', ageMs)]).ages).toEqual(
      packAges([next, null]),
    );
  });

  it('of another Node that had the place are forgotten', () => {
    const roster = { revision: 2, entries: [entry('a', { since: 2 })] };
    const before = beats({ ages: packAges([age(0)]) });
    expect(mergedBeats(roster, before, { sequence: 2, nodes: [] }, NOW).beats.ages).toEqual(packAges([null]));
  });

  it.each([
    ['a Lease replaces a plain heartbeat', age(0, true), reported('a', 20_000), age(20_000)],
    ['a plain heartbeat does not replace a Lease', age(5_000), reported('a', 0, age(0, true)), age(15_000)],
  ])('%s', (_name, stored, report, next) => {
    expect(merge(beats({ ages: packAges([stored, null]) }), [report]).ages).toEqual(packAges([next, null]));
  });

  it('a clock that is behind does not make them older', () => {
    const before = beats({ ages: packAges([age(1_000), null]) });
    expect(merge(before, [], NOW - 500)).toMatchObject({
      receivedAt: NOW,
      ages: packAges([age(1_000), null]),
    });
    expect(merge(before, [reported('a', 0)], NOW - DAY)).toMatchObject({
      receivedAt: NOW,
      ages: packAges([age(0), null]),
    });
  });
});

describe('what the monitor hears of a node (J-164)', () => {
  const roster = rosterOf(entry('a'));
  const record = (receivedAt: number, ageMs: number, isPlain = false) => ({
    roster,
    beats: beats({ receivedAt, ages: packAges([age(ageMs, isPlain)]) }),
  });

  it('is the newest of all relays', () => {
    const two = [record(NOW - 9_000, 0), record(NOW, 20_000)];
    expect(relayedBeats(two, NOW).get('a/uid-a')).toEqual({ uid: 'uid-a', relayAt: NOW - 9_000 });
    expect(relayedBeats(two.toReversed(), NOW).get('a/uid-a')?.relayAt).toBe(NOW - 9_000);
  });

  it('is a plain heartbeat if the node sends those', () => {
    expect(relayedBeats([record(NOW, 5, true)], NOW).get('a/uid-a')).toEqual({
      uid: 'uid-a',
      plainAt: NOW - 5,
    });
  });

  it('is nothing of a Node that came to the place later', () => {
    const later = { revision: 2, entries: [entry('a', { since: 2 })] };
    expect(relayedBeats([{ roster: later, beats: beats({ ages: packAges([age(0)]) }) }], NOW).size).toBe(0);
  });

  it('counts as received now if the batch was stored by a clock that was ahead', () => {
    expect(relayedBeats([record(NOW + DAY, 5_000)], NOW).get('a/uid-a')?.relayAt).toBe(NOW - 5_000);
    expect(takeBackReceipt(beats({ receivedAt: NOW + DAY }), NOW)).toEqual(
      beats({ receivedAt: NOW, aheadAt: NOW + DAY }),
    );
    expect(takeBackReceipt(beats({ receivedAt: NOW + 900 }), NOW)).toBeUndefined();
    const takenBack = [{ roster, beats: beats({ ages: packAges([age(0)]), aheadAt: NOW + DAY }) }];
    expect(relayedBeats(takenBack, NOW).get('a/uid-a')).toMatchObject({ relayAt: NOW, aheadAt: NOW + DAY });
  });
});

describe('a relay that was deleted (J-323)', () => {
  const gone = closed(rosterOf(entry('a')), NOW);

  it('speaks for nobody, and is not there', () => {
    expect(gone).toEqual({ revision: 2, entries: [], closedAt: NOW });
    expect(isClosed(gone)).toBe(true);
    expect(closed(undefined, NOW)).toEqual({ revision: 1, entries: [], closedAt: NOW });
  });

  it.each([
    ['from before', NOW - 1, true],
    ['of the same instant', NOW, true],
    ['that does not say when it was issued', undefined, true],
    ['from after', NOW + 1, false],
  ])('has no use for a token %s', (_name, issuedAt, isVoid) => {
    expect(isFromBefore(gone, issuedAt)).toBe(isVoid);
  });

  it('is there again when a node joins it, but its old tokens stay void', () => {
    const again = enrolled(gone, [entry('b')], NOW + 5).roster;
    expect(isClosed(again)).toBe(false);
    expect(again.entries.map(({ name }) => name)).toEqual(['b']);
    expect(isFromBefore(again, NOW)).toBe(true);
    expect(
      isFromBefore(
        withoutGone(again, () => true),
        NOW,
      ),
    ).toBe(true);
  });

  it.each([
    [undefined, false],
    [rosterOf(entry('a')), false],
  ])('is no relay that was never deleted', (roster, isVoid) => {
    expect(isFromBefore(roster, NOW)).toBe(isVoid);
    expect(roster && isClosed(roster)).not.toBe(true);
  });
});

describe('for how long the items of a relay are kept (J-324)', () => {
  it.each([
    ['30 days after its last batch', rosterOf(), 30],
    [
      'and after its last token has expired',
      rosterOf(entry('a', { untilAt: NOW + 7 * DAY }), entry('b')),
      37,
    ],
    ['whatever has expired before', rosterOf(entry('a', { untilAt: 0 })), 30],
    ['for ten years if it was deleted: no token lasts longer', closed(undefined, NOW), 3_650],
  ])('%s', (_name, roster, days) => {
    expect(relayExpiry(roster, NOW)).toBe(NOW + days * DAY);
  });
});
