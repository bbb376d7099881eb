/** A host that is killed and started again, while a large fleet beats over shared connections: who is found silent meanwhile? */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, Figure } from '../../figures/figures.ts';
import { type BenchHost, FLIPS, inHostFolder, startBenchHost } from '../bench-host.ts';
import { storeHostFleet } from '../stored-fleet.ts';
import { type BeatingFleet, startBeatingFleet } from './beating-fleet.ts';

interface Plan {
  readonly nodes: number;
  /** How long the fleet beats before and after. */
  readonly beforeMs: number;
  readonly afterMs: number;
}

const SECOND_MS = 1_000;
/** For so long there is no host. */
const AWAY_MS = 3_000;
const QUICK: Plan = { nodes: 5_000, beforeMs: 20_000, afterMs: 60_000 };
/** As many tokens as a host remembers: the last ones come after the grace period. */
const LARGE: Plan = { nodes: 130_000, beforeMs: 60_000, afterMs: 120_000 };

/** Work with a host that is killed afterwards, and a fleet that beats to it. */
const withHost = async <T>(
  folder: string,
  nodes: number,
  work: (host: BenchHost, fleet: BeatingFleet) => Promise<T>,
): Promise<T> => {
  const host = await startBenchHost(folder);
  const fleet = await startBeatingFleet(folder, nodes);
  try {
    return await work(host, fleet);
  } finally {
    fleet.stop();
    await host.kill();
  }
};

const measure = async (folder: string, { nodes, beforeMs, afterMs }: Plan): Promise<readonly Figure[]> => {
  await storeHostFleet(join(folder, 'state'), { nodes, pods: 0 });
  const silentAfterMs = Number.MAX_SAFE_INTEGER;
  await withHost(folder, nodes, async (_, fleet) => {
    await fleet.warmUp();
    await fleet.run({ silentAfterMs, ms: beforeMs });
  });
  await wait(AWAY_MS);
  return withHost(folder, nodes, async (host, fleet) => {
    const report = await fleet.run({ silentAfterMs, ms: afterMs });
    return [
      { name: 'false Unknown', unit: 'nodes', value: await host.metric(FLIPS), target: { atMost: 0 } },
      { name: 'beats refused', unit: 'beats', value: report.refused, target: { atMost: 0 } },
      {
        name: `first beats of ${nodes} nodes, at most late`,
        unit: 's',
        value: report.latestSentMs / SECOND_MS,
        note: `killed, and started again ${AWAY_MS / SECOND_MS} s later`,
      },
    ];
  });
};

export const hostRestart: Bench = ({ large }) =>
  inHostFolder((folder) => measure(folder, large ? LARGE : QUICK));
