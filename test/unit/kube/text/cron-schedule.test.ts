import { describe, expect, it } from 'vitest';
import { scheduleFault } from '../../../../shared/kube/text/cron-schedule.ts';

describe('a schedule', () => {
  it.each([
    '* * * * *',
    '*/5 1-3,7 ? jan-MAR sun',
    '0-30/10 0 1 12 6',
    '5/15 * * * *',
    '@hourly',
    '@every 1h30m',
    'CRON_TZ=Europe/Berlin 0 0 * * *',
  ])('%s is valid', (schedule) => {
    expect(scheduleFault(schedule)).toBe(undefined);
  });

  it.each([
    ['', 'expected exactly 5 fields, found 0: []'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@often', 'unrecognized descriptor: @often'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ])('%s is refused', (schedule, fault) => {
    expect(scheduleFault(schedule)).toBe(fault);
  });
});
