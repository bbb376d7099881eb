import { describe, expect, it } from 'vitest';
import { joinBuses } from '../../../../host/queues/event-bus.ts';
import type { EventBus } from '../../../../shared/ports/outside/event-bus.ts';
import type { LifecycleEvent } from '../../../../shared/rules/notifications/lifecycle-event.ts';
import { parseSinkFilters } from '../../../../shared/settings/events/sink-filters.ts';
import { createOutboxBus, createSinkBuses } from '../../../../shared/store/events/outbox-bus.ts';

const EVENT: LifecycleEvent = {
  detailType: 'NodeLost',
  detail: { id: 'u/1', node: 'n1', uid: 'u', zone: 'a', severity: 'critical', message: 'lost' },
};

/** Sinks `s` and `t`; the outbox of one of them may fail. */
const sinksWith = (broken: string) => {
  const stored: string[] = [];
  const add = async (sink: string): Promise<void> => {
    if (sink === broken) throw new Error('no table');
    stored.push(sink);
  };
  const deps = {
    outbox: { add },
    queues: { send: async () => undefined },
    clock: { now: () => 0 },
    sinks: parseSinkFilters('s#group=off t#group=off'),
  };
  return { stored, deps };
};

const failing: EventBus = { publish: () => Promise.reject(new Error('no bus')) };

describe('a bus with sinks', () => {
  it.each([
    ['s', ['t']],
    ['t', ['s']],
  ])('stores events for the others if it cannot for %s, and fails', async (broken, others) => {
    const { stored, deps } = sinksWith(broken);
    const bus = createOutboxBus({ ...deps, bus: failing });
    await expect(bus.publish([EVENT])).rejects.toThrow(
      `2 of 3 parts failed: event bus: no bus; sink ${broken}: no table`,
    );
    expect(stored).toEqual(others);
  });

  it('has one bus for each sink', async () => {
    const { stored, deps } = sinksWith('');
    const buses = createSinkBuses(deps);
    expect(buses.map(({ name }) => name)).toEqual(['sink s', 'sink t']);
    await buses[1]?.publish([EVENT]);
    expect(stored).toEqual(['t']);
  });
});

describe('joined buses', () => {
  it('publish on the others if one fails, and fail', async () => {
    const published: LifecycleEvent[] = [];
    const works: EventBus = { publish: async (events) => void published.push(...events) };
    await expect(joinBuses([failing, works]).publish([EVENT])).rejects.toThrow('bus 1: no bus');
    expect(published).toEqual([EVENT]);
  });
});
