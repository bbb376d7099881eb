/** The cloud of simulated machines: all run until an action ends or stops them, which an event tells. */
import { toTime } from '../../shared/kube/values/time.ts';
import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { InstanceState } from '../../shared/rules/cloud/instance.ts';
import { CLOUD_EVENTS } from '../../shared/settings/events/cloud-events.ts';
import { machineNameOf, providerIdOf } from '../fleet/fleet.ts';

const STATES: Readonly<Partial<Record<string, InstanceState>>> = { terminate: 'terminated', stop: 'stopped' };

export interface SimulatedCloud {
  readonly provider: CloudProvider;
  /** Ends or stops a machine, or warns that it will end, and sends the event. */
  say(what: 'terminate' | 'stop' | 'interrupt', machine: string): Promise<void>;
}

/** `send`: puts an event into the queue of cloud-node. */
export const createSimulatedCloud = (
  clock: Clock,
  send: (event: unknown) => Promise<void>,
): SimulatedCloud => {
  const states = new Map<string, InstanceState>();
  return {
    provider: {
      instances: async (queries) =>
        queries.map(({ providerId }) => ({
          providerId,
          state: states.get(providerId) ?? 'running',
          nodeName: machineNameOf(providerId),
        })),
    },
    say: async (what, machine) => {
      const id = providerIdOf(machine);
      const state = STATES[what];
      if (state) states.set(id, state);
      const { source, type } = state ? CLOUD_EVENTS.state : CLOUD_EVENTS.spot;
      const detail = { 'instance-id': id, ...(state ? { state } : {}) };
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
