import { describe, expect, it } from 'vitest';
import type { ControllerPorts, RunReport, Work } from '../../../../lambdas/contract/controller.ts';
import {
  type GroupController,
  messageHandler,
  scheduleHandler,
} from '../../../../lambdas/group/group-handler.ts';

const PORTS = {} as ControllerPorts;
const EMPTY: RunReport = { measurements: [], lines: [] };

/** Two controllers; `done` tells what they did. */
const groupOfTwo = () => {
  const done: unknown[] = [];
  const workOf = (name: string, ...schedules: readonly string[]): Work => ({
    handle: async (_ports, body) => {
      done.push([name, body]);
      return EMPTY;
    },
    runs: Object.fromEntries(
      schedules.map((schedule) => [
        schedule,
        async () => {
          done.push([name, schedule]);
          return EMPTY;
        },
      ]),
    ),
    metrics: [],
  });
  const controllers: readonly GroupController[] = [
    { queue: 'drain', work: workOf('drain', 'drain-sweep') },
    { queue: 'garbage', work: workOf('garbage-collector', 'garbage-sweep') },
  ];
  return { done, controllers };
};

describe('a message of a group', () => {
  it.each([
    ['drain', 'drain'],
    ['garbage', 'garbage-collector'],
    // Sent by another AWS service, or by the release before.
    [undefined, 'drain'],
  ])('for the queue %s is for %s', async (queue, name) => {
    const { done, controllers } = groupOfTwo();
    await messageHandler(controllers, PORTS)({ queue, body: { v: 1 } });
    expect(done).toEqual([[name, { v: 1 }]]);
  });

  it('for a queue of another group fails, and names it', async () => {
    const { done, controllers } = groupOfTwo();
    await expect(messageHandler(controllers, PORTS)({ queue: 'job', body: 1 })).rejects.toThrow('"job"');
    expect(done).toEqual([]);
  });
});

describe('an event of a rule', () => {
  it('runs the schedule that it names', async () => {
    const { done, controllers } = groupOfTwo();
    await scheduleHandler(controllers, PORTS)({ schedule: 'garbage-sweep' });
    expect(done).toEqual([['garbage-collector', 'garbage-sweep']]);
  });

  it('hands a message over', async () => {
    const { done, controllers } = groupOfTwo();
    await scheduleHandler(controllers, PORTS)({ message: { queue: 'garbage', body: { kind: 'sweep' } } });
    expect(done).toEqual([['garbage-collector', { kind: 'sweep' }]]);
  });

  it.each(['job-resync', 'constructor', undefined])('of the schedule %s fails', async (schedule) => {
    const { controllers } = groupOfTwo();
    const event = schedule === undefined ? {} : { schedule };
    await expect(scheduleHandler(controllers, PORTS)(event)).rejects.toThrow('has the schedule');
  });
});
