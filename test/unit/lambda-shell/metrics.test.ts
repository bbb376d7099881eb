import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composeSchedule, type ScheduleEvent } from '../../../shared/lambda/compose-schedule.ts';
import { count, metrics, timed } from '../../../shared/lambda/metrics.ts';
import { logger } from '../../../shared/lambda/observability.ts';
import { contextWith, eventOf } from './events.ts';

const SCHEDULE = eventOf<ScheduleEvent>('schedule');
const published: unknown[] = [];

beforeEach(() => {
  vi.spyOn(logger, 'error').mockImplementation(() => {});
  vi.spyOn(metrics, 'publishStoredMetrics').mockImplementation(() => {
    published.push(metrics.serializeMetrics());
    metrics.clearMetrics();
    return metrics;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  published.length = 0;
});

const run = (work: () => Promise<void>) => composeSchedule(work)(SCHEDULE, contextWith());

describe('metrics', () => {
  it('are written once per invocation, without zero counts', async () => {
    await run(async () => {
      count({ flips: 2, conflicts: 0 });
      timed('pass', 0.25);
    });
    expect(published).toEqual([expect.objectContaining({ flips: 2, pass: 0.25 })]);
    expect(published).not.toEqual([expect.objectContaining({ conflicts: 0 })]);
  });

  it('are written even if the run fails', async () => {
    const failing = run(async () => {
      count({ flips: 1 });
      throw new Error('no table');
    });
    await expect(failing).rejects.toThrow('no table');
    expect(published).toEqual([expect.objectContaining({ flips: 1 })]);
  });

  it('are not written if there are none', async () => {
    await run(async () => {});
    expect(published).toEqual([]);
  });
});
