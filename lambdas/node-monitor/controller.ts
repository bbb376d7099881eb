import { EVICTION_WAKEUPS } from '../../shared/ports/process/messages.ts';
import type { Controller } from '../contract/controller.ts';
import type { MonitorTick } from './message.ts';
import { TICKS } from './queue.ts';
import { routing } from './routing.ts';

/**
 * Runs a health pass over all nodes for each tick. A schedule queues the ticks of the
 * next two minutes, twice its period: one lost run leaves no gap. A host queues each twice, and a second tick for an instant starts no second pass.
 */
export const nodeMonitor = {
  name: 'node-monitor',
  queue: TICKS,
  routing,
  schedules: { ticks: { everyMinutes: 1, firstAfterSeconds: 0 } },
  access: [
    'nodeHealth',
    'scanHeartbeats',
    'readHeartbeat',
    'takeBackBeats',
    'readRelays',
    'writeRelays',
    'writeNode',
    'runPass',
    'readPass',
    'readZone',
    'readZones',
    'writeZones',
    'paceZone',
    'listObjects',
    'followLog',
    'sightings',
  ],
  sendsTo: [EVICTION_WAKEUPS],
  load: async () => (await import('./work.ts')).work,
} as const satisfies Controller<MonitorTick, 'ticks'>;
