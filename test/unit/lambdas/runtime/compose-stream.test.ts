import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composeSchedule, type ScheduleEvent } from '../../../../lambdas/runtime/compose-schedule.ts';
import { composeStream, type StreamRecord } from '../../../../lambdas/runtime/compose-stream.ts';
import { logger } from '../../../../lambdas/runtime/observability.ts';
import { recordsOrSchedule } from '../../../../lambdas/runtime/records-or-schedule.ts';
import { contextWith, eventOf } from './events.ts';

const SCHEDULE = eventOf<ScheduleEvent>('schedule');
const EVENT = {
  Records: ['1', 'bad', '3'].map(
    (SequenceNumber): StreamRecord => ({ eventID: `e${SequenceNumber}`, dynamodb: { SequenceNumber } }),
  ),
};
const error = vi.spyOn(logger, 'error');

beforeEach(() => {
  error.mockImplementation(() => {});
});

afterEach(() => {
  error.mockReset();
});

const decode = ({ dynamodb }: StreamRecord): number => {
  const value = Number(dynamodb?.SequenceNumber);
  if (Number.isNaN(value)) throw new Error('no row');
  return value;
};

describe('a batch of stream records', () => {
  it('is decoded in order; a record that cannot be decoded is logged and skipped', async () => {
    const seen: (readonly number[])[] = [];
    await composeStream(decode, async (changes) => {
      seen.push(changes);
    })(EVENT, contextWith());
    expect(seen).toEqual([[1, 3]]);
    expect(error).toHaveBeenCalledExactlyOnceWith(
      'the stream record is skipped',
      expect.objectContaining({ eventID: 'ebad', sequenceNumber: 'bad' }),
    );
  });

  it('has the same name in each delivery, and another one than other batches', async () => {
    const names: (string | undefined)[] = [];
    const handler = composeStream(decode, async (_, batch) => void names.push(batch));
    const { Records } = EVENT;
    for (const batch of [Records, Records, Records.slice(1), Records.slice(0, 2), [{ dynamodb: {} }], []])
      await handler({ Records: batch }, contextWith());
    expect(names).toEqual(['e1/3', 'e1/3', 'ebad/2', 'e1/2', undefined, undefined]);
  });

  it('is retried as a whole if the handler throws', async () => {
    const failing = composeStream(decode, () => Promise.reject(new Error('no queue')));
    await expect(failing(EVENT, contextWith())).rejects.toThrow('no queue');
    expect(error).toHaveBeenLastCalledWith('the batch failed and will be delivered again', {
      error: new Error('no queue'),
    });
  });
});

describe('a scheduled run', () => {
  it('logs and rethrows an error', async () => {
    const failing = composeSchedule(() => Promise.reject(new Error('no table')));
    await expect(failing(SCHEDULE, contextWith())).rejects.toThrow('no table');
    expect(error).toHaveBeenCalledOnce();
  });
});

describe('a function with two triggers', () => {
  it('sends records and events of a rule to different handlers', async () => {
    const seen: string[] = [];
    const handler = recordsOrSchedule(
      composeStream(decode, async (changes) => {
        seen.push(`${changes.length} records`);
      }),
      composeSchedule(async () => {
        seen.push('schedule');
      }),
    );
    await handler(EVENT, contextWith());
    await handler(SCHEDULE, contextWith());
    expect(seen).toEqual(['2 records', 'schedule']);
  });
});
