import { describe, expect, it } from 'vitest';
import { parseRecord, recordText } from '../../../../../agent/rules/shutdown/record.ts';

const AT = Date.parse('2026-01-02T03:04:05.060Z');

describe('the record of a shutdown', () => {
  it.each([
    [
      { startedAt: AT, endedAt: AT + 1000 },
      '{"startTime":"2026-01-02T03:04:05.06Z","endTime":"2026-01-02T03:04:06.06Z"}',
    ],
    [{ startedAt: AT - 60 }, '{"startTime":"2026-01-02T03:04:05Z","endTime":"0001-01-01T00:00:00Z"}'],
    [{}, '{"startTime":"0001-01-01T00:00:00Z","endTime":"0001-01-01T00:00:00Z"}'],
  ])('is written and read: %j', (record, text) => {
    expect(recordText(record)).toBe(text);
    expect(parseRecord(text)).toEqual(record);
  });

  it.each(['', '{', 'null'])('is not there when the file is %j', (text) => {
    expect(parseRecord(text)).toBeUndefined();
  });

  it('lacks what the file does not say as a time', () => {
    expect(parseRecord('{"startTime":5,"endTime":"soon"}')).toEqual({});
  });
});
