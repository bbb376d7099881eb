import { describe, expect, it } from 'vitest';
import { createVisibility } from '../../../../../shared/adapters/sqlite/queues/queues.ts';

const NOW = 1_000;
const QUEUE = 'pods';

describe('what a process knows of the instants of messages', () => {
  it('asks about a queue that it does not know', () => {
    expect(createVisibility(() => undefined).isEmpty(QUEUE, NOW)).toBe(false);
  });

  it('does not ask again about a queue without messages, until one is sent', () => {
    const visibility = createVisibility(() => undefined);
    visibility.taken(QUEUE);
    expect(visibility.isEmpty(QUEUE, NOW)).toBe(true);
    visibility.sent(QUEUE, NOW + 5);
    expect(visibility.isEmpty(QUEUE, NOW + 4)).toBe(true);
    expect(visibility.isEmpty(QUEUE, NOW + 5)).toBe(false);
  });

  it('waits for the earliest of the messages', () => {
    const visibility = createVisibility(() => NOW + 30);
    visibility.taken(QUEUE);
    visibility.sent(QUEUE, NOW + 60);
    expect(visibility.isEmpty(QUEUE, NOW + 29)).toBe(true);
    expect(visibility.isEmpty(QUEUE, NOW + 30)).toBe(false);
  });

  it('keeps queues apart, and asks about all of them when it has forgotten', () => {
    const visibility = createVisibility(() => undefined);
    visibility.taken(QUEUE);
    expect(visibility.isEmpty('nodes', NOW)).toBe(false);
    visibility.forget();
    expect(visibility.isEmpty(QUEUE, NOW)).toBe(false);
  });

  it('does not take a message that is sent to an unknown queue for its earliest', () => {
    const visibility = createVisibility(() => undefined);
    visibility.sent(QUEUE, NOW + 60);
    expect(visibility.isEmpty(QUEUE, NOW)).toBe(false);
  });
});
