/** The cloud of simulated machines: all run until an action ends them, which an event tells. */
import { toTime } from '../../shared/api/time.ts';
import { CLOUD_EVENTS } from '../../shared/config/cloud-events.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CloudProvider } from '../../shared/ports/cloud-provider.ts';
import { providerIdOf } from './fleet.ts';

export interface SimulatedCloud {
  readonly provider: CloudProvider;
  /** Ends a machine, or warns that it will end, and sends the event. */
  say(what: 'terminate' | 'interrupt', machine: string): Promise<void>;
}

/** `send`: puts an event into the queue of cloud-node. */
export const createSimulatedCloud = (
  clock: Clock,
  send: (event: unknown) => Promise<void>,
): SimulatedCloud => {
  const ended = new Set<string>();
  return {
    provider: {
      instances: async (queries) =>
        queries.map(({ providerId }) => ({
          providerId,
          state: ended.has(providerId) ? 'terminated' : 'running',
        })),
    },
    say: async (what, machine) => {
      const id = providerIdOf(machine);
      if (what === 'terminate') ended.add(id);
      const { source, type } = what === 'terminate' ? CLOUD_EVENTS.state : CLOUD_EVENTS.spot;
      const detail = { 'instance-id': id, ...(what === 'terminate' ? { state: 'terminated' } : {}) };
      await send({
        id: `${what}-${machine}`,
        source,
        'detail-type': type,
        time: toTime(clock.now()),
        detail,
      });
    },
  };
};
