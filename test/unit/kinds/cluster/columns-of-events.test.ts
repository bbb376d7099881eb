import { describe, expect, it } from 'vitest';
import { objectWith, printed } from '../../../support/objects/printed.ts';

const at = (minutes: number): string => `2026-03-01T11:${String(60 - minutes).padStart(2, '0')}:00Z`;

const V1 = {
  involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec.containers{c}' },
  type: 'Warning',
  reason: 'Tested',
  message: '  two\nlines ',
  source: { component: 'suite', host: 'h' },
  firstTimestamp: at(50),
  lastTimestamp: at(20),
  count: 7,
};

/** The same event in the words of events.k8s.io. */
const NEW = {
  regarding: V1.involvedObject,
  type: V1.type,
  reason: V1.reason,
  note: V1.message,
  deprecatedSource: V1.source,
  deprecatedFirstTimestamp: V1.firstTimestamp,
  deprecatedLastTimestamp: V1.lastTimestamp,
  deprecatedCount: V1.count,
};

describe('an event', () => {
  it.each([
    ['of v1', 'events', V1],
    ['of events.k8s.io', 'events.events.k8s.io', NEW],
  ])('%s', (_what, key, fields) => {
    expect(printed(key, objectWith(fields))).toEqual({
      'Last Seen': '20m',
      Type: 'Warning',
      Reason: 'Tested',
      Object: 'pod/p',
      Subobject: 'spec.containers{c}',
      Source: 'suite, h',
      Message: 'two\nlines',
      'First Seen': '50m',
      Count: 7,
      Name: 'x',
    });
  });

  it.each([
    ['of nothing', {}, ['<unknown>', '<unknown>', 1]],
    [
      'with null times',
      { firstTimestamp: null, lastTimestamp: null, eventTime: null },
      ['<unknown>', '<unknown>', 1],
    ],
    ['with one time', { firstTimestamp: at(50) }, ['50m', '50m', 1]],
    [
      'with the time of a reporter',
      { eventTime: '2026-03-01T11:30:00.000006Z', firstTimestamp: null },
      ['30m', '30m', 1],
    ],
    [
      'in a series',
      { eventTime: at(50), lastTimestamp: at(40), count: 2, series: { count: 4, lastObservedTime: at(10) } },
      ['10m', '50m', 4],
    ],
    ['counted zero times', { ...V1, count: 0 }, ['20m', '50m', 1]],
  ])('%s has its times and count', (_what, fields, [last, first, count]) => {
    expect(printed('events', objectWith(fields))).toMatchObject({
      'Last Seen': last,
      'First Seen': first,
      Count: count,
    });
  });

  it.each([
    [{ source: { component: 'only' } }, 'only'],
    [{ source: {}, reportingComponent: 'example.com/c', reportingInstance: 'i-1' }, 'example.com/c, i-1'],
    [{ reportingController: 'example.com/c' }, 'example.com/c'],
    [{ source: { component: 'a' }, reportingComponent: 'b', reportingInstance: 'i-1' }, 'a, i-1'],
    [{}, ''],
  ])('of %j comes from %j', (fields, source) => {
    expect(printed('events', objectWith(fields))['Source']).toBe(source);
  });

  it.each([
    [{ kind: 'Node', name: 'n1' }, 'node/n1'],
    [{ kind: 'Node' }, 'node'],
    [{}, ''],
  ])('about %j shows %j', (involvedObject, object) => {
    expect(printed('events', objectWith({ involvedObject }))['Object']).toBe(object);
  });
});
