/**
 * An agent that does nothing but shut down: `node shutdown-agent.ts BUS FOLDER SECONDS`. It has a pod of priority 0 and a critical
 * one, which end after SECONDS, and prints what happens, one word list a line.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogind } from '../../../agent/adapters/logind/logind.ts';
import { LOGIND_SETTINGS } from '../../../agent/adapters/logind/settings.ts';
import { shutdownRecordFile } from '../../../agent/adapters/shutdown-record-file.ts';
import { createLinuxShutdown } from '../../../agent/shutdown/linux-shutdown.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';

const [busAddress = '', folder = '', seconds = ''] = process.argv.slice(2);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const podOf = (name: string, priority: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { priority },
  status: { phase: 'Running' },
});

const running = new Map(
  [podOf('critical', 2_000_000_000), podOf('web', 0)].map((pod) => [pod.metadata.name, pod]),
);

const shutdown = createLinuxShutdown({
  clock: { now: Date.now, uptime: () => performance.now(), sleep: (ms) => sleep(ms) },
  entries: [
    { priority: 0, shutdownGracePeriodSeconds: 5 },
    { priority: 2_000_000_000, shutdownGracePeriodSeconds: 4 },
  ],
  logind: createLogind({
    settings: { ...LOGIND_SETTINGS, configFolder: '/run/systemd/logind.conf.d', busAddress },
    sleep: (ms) => sleep(ms),
  }),
  pods: {
    active: () => [...running.values()],
    end: async ({ metadata: { name } }, { graceSeconds }) => {
      say(`end ${name} ${graceSeconds}`);
      await sleep(Number(seconds) * 1000);
      running.delete(name);
      say(`ended ${name}`);
    },
    unmounted: async () => {},
    reported: async () => {},
  },
  delaySeconds: 9,
  decide: async () => {},
  node: {
    event: (reason, message) => say(`event ${reason} ${message}`),
    sync: async () => say(`sync ${shutdown.readyError() ?? 'ready'}`),
    progressed: (progress) => say(progress ? `phase ${progress.phase} of ${progress.phases}` : 'no phase'),
  },
  record: shutdownRecordFile(folder),
  gauges: { startedAt: () => {}, endedAt: () => {} },
  log: (message, error) => say(`log ${message}: ${String(error)}`),
});

await shutdown.start().then(
  () => say('started'),
  (error: unknown) => say(`not started: ${String(error)}`),
);
process.on('SIGTERM', () => void shutdown.stop().then(() => process.exit(0)));
process.on('SIGUSR2', () => say(`admit ${shutdown.admit().admit} ${shutdown.progress()?.phase ?? '-'}`));
// A lock and a monitor alone do not keep the process alive while logind is away.
setInterval(() => {}, 60_000);
