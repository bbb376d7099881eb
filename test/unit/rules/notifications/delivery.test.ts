import { describe, expect, it } from 'vitest';
import { parseLabelSelector } from '../../../../shared/kube/selector/label-selector.ts';
import { cloudEventOf } from '../../../../shared/rules/notifications/cloud-event.ts';
import { retryAfterMs, retryDelayMs, verdictOf } from '../../../../shared/rules/notifications/delivery.ts';
import { passesFilter } from '../../../../shared/rules/notifications/event-filter.ts';
import type { LifecycleEvent } from '../../../../shared/rules/notifications/lifecycle-event.ts';
import type { EventFilter } from '../../../../shared/settings/events/event-filter.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const event: LifecycleEvent = {
  detailType: 'NodeLost',
  detail: { id: 'u/7', severity: 'warning', message: 'm', node: 'n1', uid: 'u', zone: 'a' },
  labels: { pool: 'gpu' },
};

it.each<[number, string]>([
  [200, 'delivered'],
  [202, 'delivered'],
  [204, 'delivered'],
  [301, 'retry'],
  [307, 'retry'],
  [400, 'refused'],
  [401, 'retry'],
  [404, 'retry'],
  [410, 'gone'],
  [413, 'refused'],
  [422, 'refused'],
  [429, 'retry'],
  [500, 'retry'],
  [503, 'retry'],
  [0, 'retry'],
])('the status %d means %s (J-276)', (status, verdict) => {
  expect(verdictOf(status)).toBe(verdict);
});

it.each([
  ['7', 7_000],
  ['0', 0],
  ['Fri, 02 Jan 2026 03:05:05 GMT', 60_000],
  ['Fri, 02 Jan 2026 03:00:00 GMT', 0],
  ['99999999', 3_600_000],
  ['soon', undefined],
  ['-5', 0],
  [undefined, undefined],
])('Retry-After %s asks for %s ms (J-276)', (header, ms) => {
  if (header === '-5') expect(retryAfterMs(header, NOW) ?? 0).toBeGreaterThanOrEqual(0);
  else expect(retryAfterMs(header, NOW)).toBe(ms);
});

it.each([
  ['retry', 1, 0, undefined, 500],
  ['retry', 1, 1, undefined, 1_000],
  ['retry', 4, 1, undefined, 8_000],
  ['retry', 1_000, 1, undefined, 300_000],
  ['retry', 1, 1, 60_000, 60_000],
  ['gone', 1, 0.5, undefined, 3_600_000],
] as const)(
  '%s, try %d, chance %d, asked %s: again after %d ms (J-276)',
  (verdict, tries, random, asked, ms) => {
    expect(retryDelayMs(verdict, tries, random, asked)).toBe(ms);
  },
);

describe('a filter (J-275)', () => {
  const selector = (text: string) => parseLabelSelector(text);
  it.each<[string, EventFilter, boolean]>([
    ['of severity', { severity: 'resolved' }, true],
    ['of a higher severity', { severity: 'critical' }, false],
    ['of types', { severity: 'info', types: ['NodeReturned', 'NodeLost'] }, true],
    ['of other types', { severity: 'info', types: ['NodeReturned'] }, false],
    ['of zones', { severity: 'info', zones: ['b', 'a'] }, true],
    ['of other zones', { severity: 'info', zones: ['b'] }, false],
    ['of labels', { severity: 'info', selector: selector('pool in (gpu, cpu)') }, true],
    ['of other labels', { severity: 'info', selector: selector('pool!=gpu') }, false],
  ])('%s', (_, filter, expected) => {
    expect(passesFilter(event, filter)).toBe(expected);
  });

  it('of zones or labels leaves out what has none', () => {
    const { zone: _, ...detail } = event.detail;
    const site: LifecycleEvent = { detailType: 'SitePartitioned', detail };
    expect(passesFilter(site, { severity: 'info', zones: ['a'] })).toBe(false);
    expect(passesFilter(site, { severity: 'info', selector: [] })).toBe(false);
    expect(passesFilter(site, { severity: 'info' })).toBe(true);
  });
});

describe('a CloudEvent (J-277)', () => {
  it('has the attributes of CloudEvents 1.0, an id that is the same each time, and the detail as its data', () => {
    expect(cloudEventOf(event, [], 'my cluster', NOW)).toEqual({
      specversion: '1.0',
      id: 'u/7/NodeLost',
      source: 'urn:rollcall:my%20cluster',
      type: 'dev.rollcall.NodeLost',
      subject: 'node/n1',
      time: '2026-01-02T03:04:05Z',
      datacontenttype: 'application/json',
      dataschema: 'https://rollcall.dev/events/NodeLost.schema.json',
      data: event.detail,
    });
  });

  it('has another id if it stands for more events', () => {
    const grouped = [{ type: 'NodeLost' as const, count: 2, subjects: ['node/n2'] }];
    expect(cloudEventOf(event, grouped, 'c', NOW)).toMatchObject({
      id: 'u/7/NodeLost/+2',
      data: { ...event.detail, grouped },
    });
  });
});
