/** A process in which a fleet beats at its pace: each node every ten seconds, evenly. Called with the folder of the host and the number of nodes. */
import { setTimeout as wait } from 'node:timers/promises';
import { beatRequests, openConnections } from '../beats.ts';

/** What the parent sends: how long to beat (ms), and when every third node falls silent. */
export interface FleetRun {
  readonly ms: number;
  readonly silentAfterMs: number;
  /** Beats a second. */
  readonly rate: number;
}

/** What came of it. */
export interface FleetReport {
  readonly beats: number;
  /** Beats that were not answered with 200. */
  readonly refused: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  /** Milliseconds by which the latest beat was sent after its instant. */
  readonly latestSentMs: number;
  /** The instant (ms) at which the last beat of each silent node was answered, by the number of the node. */
  readonly lastBeats: readonly (readonly [number, number])[];
}

/** Connections that carry the beats of all nodes in turn: a connection for each of 100,000 nodes would be 5 GB of TLS. */
const CONNECTIONS = 128;
const SILENT_SHARE = 3;

const [, , folder = '', count = '0'] = process.argv;
const requests = await beatRequests(folder, Number(count));
const connections = await openConnections(folder, CONNECTIONS);

/** Counts of latencies by tenths of a millisecond, up to ten seconds: millions of samples would not fit. */
const createLatencies = () => {
  const counts = new Uint32Array(100_000);
  let total = 0;
  return {
    add: (ms: number): void => {
      const place = Math.min(counts.length - 1, Math.floor(ms * 10));
      counts[place] = (counts[place] ?? 0) + 1;
      total += 1;
    },
    total: () => total,
    quantile: (share: number): number => {
      let left = Math.ceil(total * share);
      const place = counts.findIndex((one) => {
        left -= one;
        return left <= 0;
      });
      return (place + 1) / 10;
    },
  };
};

const run = async ({ ms, silentAfterMs, rate }: FleetRun): Promise<FleetReport> => {
  const latencies = createLatencies();
  const lastBeats = new Map<number, number>();
  const startedAt = performance.now();
  let [turn, latestSentMs, refused] = [0, 0, 0];
  const next = (): { readonly node: number; readonly dueMs: number } => {
    const found = { node: turn % requests.length, dueMs: (turn * 1_000) / rate };
    turn += 1;
    return found;
  };
  const beat = async (send: (request: Buffer) => Promise<number>, node: number): Promise<void> => {
    try {
      latencies.add(await send(requests[node] as Buffer));
    } catch {
      // As a node does: the next beat comes in its time.
      refused += 1;
      return;
    }
    if (node % SILENT_SHARE === 0) lastBeats.set(node, Date.now());
  };
  const work = async ({ send }: (typeof connections)[number]): Promise<void> => {
    for (let { node, dueMs } = next(); dueMs < ms; { node, dueMs } = next()) {
      if (dueMs >= silentAfterMs && node % SILENT_SHARE === 0) continue;
      const earlyMs = dueMs - (performance.now() - startedAt);
      if (earlyMs > 0) await wait(earlyMs);
      else latestSentMs = Math.max(latestSentMs, -earlyMs);
      await beat(send, node);
    }
  };
  await Promise.all(connections.map(work));
  const [beats, medianMs, p99Ms] = [latencies.total(), latencies.quantile(0.5), latencies.quantile(0.99)];
  return {
    beats,
    refused,
    medianMs,
    p99Ms,
    mostMs: latencies.quantile(1),
    latestSentMs,
    lastBeats: [...lastBeats],
  };
};

/** Every node beats twice, as fast as answers come: its token is verified, and its beats are known. Resolves with the seconds of the first. */
const warmUp = async (): Promise<number> => {
  const round = async (): Promise<number> => {
    const startedAt = performance.now();
    const left = requests.values();
    await Promise.all(
      connections.map(async ({ send }) => {
        for (const request of left) await send(request);
      }),
    );
    return (performance.now() - startedAt) / 1_000;
  };
  const seconds = await round();
  await round();
  return seconds;
};

process.on('message', (message: FleetRun | 'warm') => {
  void (message === 'warm' ? warmUp() : run(message)).then((report) => process.send?.(report));
});
process.send?.('ready');
