import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { eventually } from '../clocks/eventually.ts';

/** A real relay of the checkout. */
export interface RelayProcess {
  readonly pid: number;
  readonly output: () => string;
  /** Resolves with the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
  /** SIGSTOP and SIGCONT. */
  suspend(): void;
  resume(): void;
}

export interface RelayLaunch {
  readonly name: string;
  /** Address of the host, and its folder. */
  readonly url: string;
  readonly hostFolder: string;
  readonly folder: string;
  readonly tokenFile: string;
  readonly port: number;
}

const ready = (child: ChildProcess, output: () => string): Promise<unknown> =>
  eventually('the relay is ready', 20_000, async () => {
    if (child.exitCode !== null) throw new Error(output());
    return / ready /.test(output()) || undefined;
  });

export const startRelayProcess = async (launch: RelayLaunch): Promise<RelayProcess> => {
  const args = ['relay', '--name', launch.name, '--server', launch.url];
  const files = ['--ca', join(launch.hostFolder, 'ca.crt'), '--token-file', launch.tokenFile];
  const own = ['--port', String(launch.port), '--folder', launch.folder];
  const child = spawn(process.execPath, [resolve('cli/rollcall.js'), ...args, ...files, ...own], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'close');
  await ready(child, () => output);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      return (await ended)[0] as number | null;
    },
    suspend: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  };
};
