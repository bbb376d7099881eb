import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { composeSqs, type QueueEvent } from '../../../../lambdas/runtime/compose-sqs.ts';
import { logger } from '../../../../lambdas/runtime/observability.ts';
import { EvictionWakeup } from '../../../../shared/ports/process/messages.ts';
import { contextWith, eventOf } from './events.ts';

const BATCH = eventOf<QueueEvent>('sqs-batch');
const [GOOD, NOT_JSON, OTHER_VERSION] = BATCH.Records.map(({ messageId }) => messageId);
const error = vi.spyOn(logger, 'error');

beforeEach(() => {
  error.mockImplementation(() => {});
});

afterEach(() => {
  error.mockReset();
});

const failuresOf = async (handle: (wakeup: EvictionWakeup) => Promise<void>): Promise<readonly string[]> => {
  const { batchItemFailures } = await composeSqs(EvictionWakeup, handle)(BATCH, contextWith());
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted();
};

describe('a batch of messages', () => {
  it('fails only for bodies that are not JSON or do not match the schema', async () => {
    const zones: string[] = [];
    const failed = await failuresOf(async ({ zone }) => {
      zones.push(zone);
    });
    expect(zones).toEqual(['eu-west-1a', 'eu-west-1c']);
    expect(failed).toEqual([NOT_JSON, OTHER_VERSION]);
  });

  it('fails only for a message whose handler throws', async () => {
    const failed = await failuresOf(async ({ zone }) => {
      if (zone === 'eu-west-1a') throw new Error('throttled');
    });
    expect(failed).toEqual([GOOD, NOT_JSON, OTHER_VERSION]);
  });

  it('reports every message when all of them fail, instead of failing as a whole', async () => {
    const failed = await failuresOf(async () => {
      throw new Error('no table');
    });
    expect(failed).toEqual(BATCH.Records.map(({ messageId }) => messageId));
  });

  it('logs a failed message with its body and receive count', async () => {
    await failuresOf(async () => {});
    expect(error).toHaveBeenCalledTimes(2);
    expect(error.mock.calls[1]).toEqual([
      'the message failed',
      expect.objectContaining({
        messageId: OTHER_VERSION,
        receiveCount: 5,
        body: expect.stringContaining('"v":2'),
      }),
    ]);
  });

  it('is handled concurrently, because some messages wait', async () => {
    const arrived: string[] = [];
    let release = (): void => {};
    const bothArrived = new Promise<void>((resolve) => {
      release = resolve;
    });
    await failuresOf(async ({ zone }) => {
      arrived.push(zone);
      if (arrived.length === 2) release();
      await bothArrived;
    });
    expect(arrived).toHaveLength(2);
  });
});
