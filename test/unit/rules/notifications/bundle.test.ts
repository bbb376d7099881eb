import { describe, expect, it } from 'vitest';
import {
  bundleOf,
  groupedBehind,
  leadOf,
  nextBundle,
  nextSingle,
  subjectOf,
  type WaitingEvent,
} from '../../../../shared/rules/notifications/bundle.ts';
import type { LifecycleEvent } from '../../../../shared/rules/notifications/lifecycle-event.ts';
import type { EventType, Severity } from '../../../../shared/settings/events/event-types.ts';

const NOW = 1_700_000_000_000;

const event = (detailType: EventType, severity: Severity, more: object): LifecycleEvent => ({
  detailType,
  detail: { id: 'i', severity, message: 'm', ...more },
});

const lost = (node: string, zone = 'a') => event('NodeLost', 'warning', { node, zone });
const returned = (node: string, zone = 'a') => event('NodeReturned', 'resolved', { node, zone });
const outage = event('ZoneStateChanged', 'critical', { zone: 'a', state: 'FullDisruption' });
const partial = event('ZoneStateChanged', 'warning', { zone: 'a', state: 'PartialDisruption' });
const over = event('ZoneStateChanged', 'resolved', { zone: 'a', state: 'Normal' });
const cutOff = event('SitePartitioned', 'critical', { relay: 'r' });
const evicted = event('PodEvicted', 'info', { namespace: 'd', pod: 'p', node: 'n1' });

/** Stored a second after one another. */
const waiting = (...events: readonly LifecycleEvent[]): readonly WaitingEvent[] =>
  events.map((one, place) => ({
    position: place + 1,
    subject: subjectOf(one),
    bundle: bundleOf(one),
    severity: one.detail.severity,
    type: one.detailType,
    storedAt: NOW + place * 1_000,
  }));

it.each([
  [lost('n1'), 'node/n1', 'a|problem'],
  [returned('n1'), 'node/n1', 'a|resolved'],
  [outage, 'zone/a', 'a|problem'],
  [over, 'zone/a', 'a|resolved'],
  [cutOff, 'site/r', 'site/r|problem'],
  [evicted, 'pod/d/p', 'pods|info/PodEvicted'],
  [event('NodeTainted', 'info', { node: 'n1', zone: 'a' }), 'node/n1', 'a|info/NodeTainted'],
])('an event is about something, and belongs to a bundle (J-272)', (one, subject, bundle) => {
  expect([subjectOf(one), bundleOf(one)]).toEqual([subject, bundle]);
});

describe('the next bundle (J-273)', () => {
  const positions = (events: readonly WaitingEvent[] | undefined) => events?.map(({ position }) => position);
  it.each<[string, readonly LifecycleEvent[], readonly number[]]>([
    ['all problems of a zone', [lost('n1'), outage, lost('n2'), lost('n1', 'b')], [1, 2, 3]],
    ['not what came back after it was lost', [lost('n1'), returned('n1'), lost('n2')], [1, 3]],
    ['not a second loss behind a return', [lost('n1'), returned('n1'), lost('n1'), lost('n2')], [1, 4]],
    ['returns together', [returned('n1'), over, returned('n2')], [1, 2, 3]],
  ])('has %s', (_, events, expected) => {
    expect(positions(nextBundle(waiting(...events), new Map())?.events)).toEqual(expected);
  });

  it('is none if nothing waits, or if all is being told', () => {
    expect(nextBundle([], new Map())).toBeUndefined();
    expect(nextBundle(waiting(lost('n1')), new Map(), new Set(['node/n1']))).toBeUndefined();
  });

  const told = (severity: Severity, agoMs: number) => new Map([['a|problem', { at: NOW - agoMs, severity }]]);
  it.each([
    ['ten seconds after its first event', new Map(), [lost('n1'), lost('n2')], 10],
    ['five minutes after it, if it was told just now', told('warning', 60_000), [lost('n1')], 300],
    [
      'ten seconds after it, if something worse has happened since',
      told('warning', 1),
      [lost('n1'), outage],
      10,
    ],
    ['ten seconds after it, if it was told long ago', told('critical', 300_000), [lost('n1')], 10],
    [
      'ten seconds after it, if the end of what was told was told since',
      new Map([
        ...told('critical', 60_000),
        ['a|resolved', { at: NOW - 30_000, severity: 'resolved' as const }],
      ]),
      [lost('n1')],
      10,
    ],
    [
      'five minutes after it, if the end was told before',
      new Map([
        ...told('critical', 30_000),
        ['a|resolved', { at: NOW - 60_000, severity: 'resolved' as const }],
      ]),
      [lost('n1')],
      300,
    ],
    [
      'five minutes after it at most, if the clock was set back',
      told('warning', -9_000_000),
      [lost('n1')],
      300,
    ],
  ])('is due %s', (_, before, events, seconds) => {
    expect(nextBundle(waiting(...events), before)?.dueAt).toBe(NOW + seconds * 1_000);
  });

  it('is that of another zone, if it is due earlier', () => {
    const events = waiting(lost('n1'), lost('n2', 'b'));
    expect(nextBundle(events, told('warning', 1))?.key).toBe('b|problem');
  });
});

it('without bundles the next event is the first whose subject is free, at once (J-273)', () => {
  const events = waiting(lost('n1'), lost('n2'));
  expect(nextSingle(events, new Set(['node/n1']))).toMatchObject({
    events: [{ position: 2 }],
    dueAt: NOW + 1_000,
  });
  expect(nextSingle(events, new Set(['node/n1', 'node/n2']))).toBeUndefined();
});

describe('what is told of a bundle (J-274)', () => {
  it.each<[string, readonly LifecycleEvent[], number]>([
    ['the only one', [lost('n1')], 1],
    ['the first of equals', [lost('n1'), lost('n2')], 1],
    ['the zone before its nodes', [returned('n1'), over, returned('n2')], 2],
    ['the worst', [lost('n1'), partial, outage], 3],
    ['the newest state of the zone', [over, over], 2],
    ['the worst state, also if a lesser one follows', [outage, partial], 1],
  ])('speaks for all: %s', (_, events, position) => {
    expect(leadOf(waiting(...events))?.position).toBe(position);
  });

  it('counts all others by type, and names ten', () => {
    const nodes = Array.from({ length: 1_000 }, (_, n) => lost(`n${n}`));
    const all = waiting(outage, ...nodes);
    const lead = leadOf(all);
    const grouped = lead && groupedBehind(lead, all);
    expect(grouped).toEqual([
      { type: 'NodeLost', count: 1_000, subjects: nodes.slice(0, 10).map(subjectOf) },
    ]);
  });
});
