import { describe, expect, it } from 'vitest';
import { nextStart } from '../../../../lambdas/drain/nodes/next-start.ts';
import type { NodeMaintenance, NodeMaintenanceSpec } from '../../../../shared/kube/types/node-maintenance.ts';
import { missedStart, windowAt } from '../../../../shared/rules/drain/maintenance-window.ts';
import { at } from '../../../support/objects/domain-objects.ts';

const HOUR = 3_600;
const maintenance = (
  spec: NodeMaintenanceSpec,
  status: NodeMaintenance['status'] = {},
  created = '2026-01-01T00:00:00Z',
): NodeMaintenance => ({
  apiVersion: 'rollcall.dev/v1',
  kind: 'NodeMaintenance',
  metadata: { name: 'rack-r7', creationTimestamp: created },
  spec: { durationSeconds: 4 * HOUR, ...spec },
  status,
});

const text = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString().replace(':00.000Z', 'Z');

/** State, start of the window, next start. */
const seen = (given: NodeMaintenance, now: string): readonly (string | undefined)[] => {
  const window = windowAt(given, at(now), nextStart);
  return [window.state, 'window' in window ? text(window.window.startAt) : undefined, text(window.nextAt)];
};

describe('the window of a schedule: Sunday 02:00, four hours (E-22)', () => {
  const weekly = maintenance({ schedule: '0 2 * * 0' });
  it.each([
    ['2026-03-07T12:00:00Z', 'closed', undefined, '2026-03-08T02:00Z'],
    ['2026-03-08T01:59:59Z', 'closed', undefined, '2026-03-08T02:00Z'],
    ['2026-03-08T02:00:00Z', 'open', '2026-03-08T02:00Z', '2026-03-15T02:00Z'],
    ['2026-03-08T05:59:59Z', 'open', '2026-03-08T02:00Z', '2026-03-15T02:00Z'],
    ['2026-03-08T06:00:00Z', 'closed', undefined, '2026-03-15T02:00Z'],
  ])('at %s it is %s', (now, ...expected) => {
    expect(seen(weekly, now)).toEqual(expected);
  });

  it('does not open before the object was made', () => {
    expect(
      seen(maintenance({ schedule: '0 2 * * 0' }, {}, '2026-03-08T02:10:00Z'), '2026-03-08T02:10:00Z'),
    ).toEqual(['closed', undefined, '2026-03-15T02:00Z']);
  });

  it('is the earliest one that is open, if windows overlap', () => {
    const hourly = maintenance({ schedule: '@hourly' });
    expect(seen(hourly, '2026-03-08T05:30:00Z')).toEqual(['open', '2026-03-08T02:00Z', '2026-03-08T06:00Z']);
  });
});

describe('a window that could not be begun in time (E-22)', () => {
  const spec = { schedule: '0 2 * * 0', startingDeadlineSeconds: 600 };
  it.each([
    ['before the deadline', '2026-03-08T02:09:59Z', {}, 'open'],
    ['at the deadline', '2026-03-08T02:10:00Z', {}, 'missed'],
    ['although it has begun', '2026-03-08T04:00:00Z', { windowStartTime: '2026-03-08T02:00:00Z' }, 'open'],
    [
      'although an earlier one has begun',
      '2026-03-08T04:00:00Z',
      { windowStartTime: '2026-03-01T02:00:00Z' },
      'missed',
    ],
  ])('%s', (_, now, status, expected) => {
    expect(seen(maintenance(spec, status), now)[0]).toBe(expected);
  });
});

describe('a window that is over, and nobody has looked (E-22)', () => {
  const announced = { nextStartTime: '2026-03-08T02:00:00Z', observedGeneration: 3 };
  const missedIn = (spec: NodeMaintenanceSpec, status: NodeMaintenance['status'], now: string) => {
    const { metadata, ...given } = maintenance({ schedule: '0 2 * * 0', ...spec }, status);
    const one = { ...given, metadata: { ...metadata, generation: 3 } };
    return text(missedStart(one, windowAt(one, at(now), nextStart), at(now)));
  };
  it.each([
    ['that was announced is missed', {}, announced, '2026-03-08T06:00:00Z', '2026-03-08T02:00Z'],
    ['is not missed while it is open', {}, announced, '2026-03-08T05:59:59Z', undefined],
    ['nor before it', {}, announced, '2026-03-08T01:00:00Z', undefined],
    [
      'nor if it has begun',
      {},
      { ...announced, windowStartTime: '2026-03-08T02:00:00Z' },
      '2026-03-08T06:00:00Z',
      undefined,
    ],
    [
      'nor if an earlier spec has announced it',
      {},
      { ...announced, observedGeneration: 2 },
      '2026-03-08T06:00:00Z',
      undefined,
    ],
    ['nor while it is suspended', { suspend: true }, announced, '2026-03-08T06:00:00Z', undefined],
    ['one that was not announced is none', {}, { observedGeneration: 3 }, '2026-03-08T06:00:00Z', undefined],
    [
      'at its starting deadline it is',
      { startingDeadlineSeconds: 60 },
      announced,
      '2026-03-08T02:01:00Z',
      '2026-03-08T02:00Z',
    ],
  ])('%s', (_, spec, status, now, expected) => {
    expect(missedIn(spec, status, now)).toBe(expected);
  });
});

describe('time zones (E-22)', () => {
  const berlin = (schedule: string) =>
    maintenance({ schedule, timeZone: 'Europe/Berlin', durationSeconds: HOUR });
  it.each([
    ['in winter', '0 2 * * 0', '2026-03-21T12:00:00Z', '2026-03-22T01:00Z'],
    ['in summer', '0 2 * * 0', '2026-04-04T12:00:00Z', '2026-04-05T00:00Z'],
    [
      'a local time that is left out is the first instant after it',
      '30 2 * * *',
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:00Z',
    ],
    [
      'a local time that comes twice counts the first time',
      '30 2 * * *',
      '2026-10-24T12:00:00Z',
      '2026-10-25T00:30Z',
    ],
    ['and not the second time', '30 2 * * *', '2026-10-25T01:31:00Z', '2026-10-26T01:30Z'],
  ])('%s', (_, schedule, now, next) => {
    const window = windowAt(berlin(schedule), at(now), nextStart);
    expect(text(window.nextAt)).toBe(next);
  });
});

describe('a single instant (E-22)', () => {
  const once = maintenance({ startTime: '2026-03-08T02:00:00Z' });
  it.each([
    ['2026-03-08T01:00:00Z', 'closed', undefined, '2026-03-08T02:00Z'],
    ['2026-03-08T03:00:00Z', 'open', '2026-03-08T02:00Z', undefined],
    ['2026-03-08T06:00:00Z', 'closed', undefined, undefined],
  ])('at %s it is %s', (now, ...expected) => {
    expect(seen(once, now)).toEqual(expected);
  });
});
