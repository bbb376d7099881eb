/** A fleet that beats from a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { FleetReport, FleetRun } from './fleet-client.ts';

/** Between two beats of a node. */
export const INTERVAL_SECONDS = 10;

export interface BeatingFleet {
  /** Each node beats twice, as fast as answers come. Resolves with the seconds of the first time. */
  warmUp(): Promise<number>;
  /** Each node beats every ten seconds. */
  run(run: Omit<FleetRun, 'rate'>): Promise<FleetReport>;
  stop(): void;
}

/** Starts it, for the host of this folder. */
export const startBeatingFleet = async (folder: string, nodes: number): Promise<BeatingFleet> => {
  const client = fork(join(import.meta.dirname, 'fleet-client.ts'), [folder, String(nodes)]);
  await once(client, 'message');
  const ask = async <T>(message: FleetRun | 'warm'): Promise<T> => {
    const answer = once(client, 'message');
    client.send(message);
    const [first] = (await answer) as [T];
    return first;
  };
  return {
    warmUp: () => ask('warm'),
    run: (run) => ask({ ...run, rate: nodes / INTERVAL_SECONDS }),
    stop: () => void client.kill(),
  };
};
