/** The dashboard's server over a fleet in memory, as a process of its own, so that its memory is its own. `ARGV: NODES`. */
import { createLiveFleet } from '../../../dashboard/server/live/live-fleet.ts';
import { createSource } from '../../../dashboard/server/live/source.ts';
import { pageFiles } from '../../../dashboard/server/page-files.ts';
import { startServer } from '../../../dashboard/server/server.ts';
import { createFakeFleet } from './fake-fleet.ts';

/** What the bench asks of it. */
export type Ask = 'link' | 'outage' | 'memory' | 'processor' | 'forget';

/** All nodes renew their Leases as often as kubelets do, so that few of them are late. */
const RENEWALS_MS = 10_000;

const unused = (): never => {
  throw new Error('nobody asks for the history here');
};
const fake = createFakeFleet(Number(process.argv[2]));
const source = createSource({
  probe: async () => undefined,
  now: Date.now,
  elapsed: () => performance.now(),
});
const fleet = createLiveFleet({ api: fake.api, source, now: Date.now, hasBeats: true });
const server = await startServer({
  port: 0,
  files: await pageFiles(),
  api: fake.api,
  fleet,
  epoch: 'bench',
  now: Date.now,
  history: { asked: unused, isCaughtUp: unused, problem: unused, close: unused },
  whatIf: unused,
  onError: (error) => process.stderr.write(`${String(error)}\n`),
});

const ANSWERS: Readonly<Record<Ask, () => unknown>> = {
  link: server.link,
  memory: () => {
    globalThis.gc?.();
    return process.memoryUsage().rss;
  },
  /** Milliseconds so far. */
  processor: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  outage: () => {
    const at = Date.now();
    fake.outage();
    return at;
  },
  forget: fleet.stop,
};
process.on('message', (ask: Ask) => process.send?.(ANSWERS[ask]() ?? ''));
setInterval(fake.renewals, RENEWALS_MS);
process.send?.('ready');
