/** What users install: its size, and how long they wait from the start of the process for the first answer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { diskUsage, type Installed, installPackage, ownEnvironment } from '../../package/installed.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { processorMs } from '../figures/processor-time.ts';
import { median, spread } from '../figures/statistics.ts';

const STARTS = 5;
const MOST_MB = 40;
const MOST_MS = 1_000;
const MB = 1e6;
/** Milliseconds between two looks whether somebody answers. */
const LOOK_MS = 5;

interface Start {
  readonly installed: Installed;
  readonly command: readonly [string, ...string[]];
  readonly folder: string;
  /** Where Node keeps compiled modules. */
  readonly compiled: string;
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
};

const isAnswered = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const asked = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false };
    const sent = request(asked, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.on('error', () => resolve(false));
    sent.end();
  });

const pidOf = (folder: string): number => {
  const { pid } = JSON.parse(readFileSync(join(folder, 'host.json'), 'utf8')) as { readonly pid: number };
  return pid;
};

const end = async (child: ChildProcess, pid: number): Promise<void> => {
  const closed = once(child, 'close');
  process.kill(pid, 'SIGTERM');
  await closed;
};

interface Answered {
  /** From the start of the process to the first answer. */
  readonly ms: number;
  /** Processor time of the host until then. */
  readonly cpuMs: number;
}

const timeToAnswer = async ({ installed, command, folder, compiled }: Start): Promise<Answered> => {
  const port = await freePort();
  const [program, ...first] = command;
  const args = [...first, 'serve', '--folder', folder, '--listen', `127.0.0.1:${port}`];
  const env = { ...ownEnvironment(), NODE_COMPILE_CACHE: compiled };
  const startedAt = performance.now();
  const child = spawn(program, args, { cwd: installed.folder, env, stdio: 'ignore' });
  while (!(await isAnswered(port))) {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended with ${child.exitCode}`);
    await wait(LOOK_MS);
  }
  const ms = performance.now() - startedAt;
  const pid = pidOf(folder);
  const cpuMs = processorMs(pid);
  await end(child, pid);
  return { ms, cpuMs };
};

const starts = async (name: string, start: () => Promise<Start>, target = true): Promise<Figure> => {
  const took: Answered[] = [];
  for (let count = 0; count < STARTS; count += 1) took.push(await timeToAnswer(await start()));
  const times = spread(took.map(({ ms }) => ms));
  const note = `${median(took.map(({ cpuMs }) => cpuMs))} ms of processor time`;
  return { name, unit: 'ms', ...times, note, ...(target ? { target: { atMost: MOST_MS } } : {}) };
};

const coldStarts = async (installed: Installed): Promise<readonly Figure[]> => {
  const fresh = (name: string): string => mkdtempSync(join(installed.folder, name));
  const program = join(installed.folder, 'node_modules', '.bin', 'rollcall');
  const [folder, compiled] = [fresh('state-'), fresh('compiled-')];
  const first = { installed, command: [program], compiled } as const;
  return [
    await starts('first start ever: no folder, nothing compiled', async () => ({
      ...first,
      folder: fresh('state-'),
      compiled: fresh('compiled-'),
    })),
    await starts('first start in an empty folder', async () => ({ ...first, folder: fresh('state-') })),
    await starts('start again', async () => ({ ...first, folder })),
    await starts(
      'start again, by npx',
      async () => ({ ...first, folder, command: ['npx', '--offline', 'rollcall'] }),
      false,
    ),
  ];
};

export const packageBench: Bench = async () => {
  const installed = installPackage();
  try {
    const bytes = diskUsage(join(installed.folder, 'node_modules'));
    return [
      { name: 'archive', unit: 'MB', value: statSync(installed.archive).size / MB },
      { name: 'installed', unit: 'MB', value: bytes / MB, target: { atMost: MOST_MB } },
      ...(await coldStarts(installed)),
    ];
  } finally {
    installed.remove();
  }
};
