/** A host as a process of its own, with some shortcuts of beats switched off. Called with its folder and their names. */
import { startHost } from '../../../../host/host.ts';
import { createHostLog } from '../../../../shared/serving/machine/host-log.ts';
import { ALL_SHORTCUTS } from '../../../../shared/serving/repeats/shortcuts.ts';
import { parseHostConfiguration } from '../../../../shared/settings/host/host-configuration.ts';

const [, , folder = '', ...off] = process.argv;
const shortcuts = { ...ALL_SHORTCUTS, ...Object.fromEntries(off.map((name) => [name, false])) };
const write = (line: string): void => void process.stderr.write(`${line}\n`);
const hostLog = createHostLog({ format: 'text', clock: Date, write });
const silent = { ...hostLog, info: () => undefined };
await startHost(parseHostConfiguration({ folder, listen: '127.0.0.1:0' }), silent, shortcuts);

/** What the parent asks for: the processor time so far. */
export interface HostCpu {
  readonly cpuMs: number;
}

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1_000 } satisfies HostCpu);
});
process.send?.('ready');
