/** A host on this machine in the place of the server whose answers were recorded. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.ts';
import { reportOf } from './parts.ts';

export interface RecordedHost extends HostProcess {
  readonly folder: string;
}

/** Lives for as long as `work` runs, in a folder of its own. */
export const withHost = async <T>(
  args: readonly string[],
  work: (host: RecordedHost) => Promise<T>,
): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-recorded-'));
  const host = await startHostProcess(folder, ...args);
  try {
    return await work({ ...host, folder });
  } finally {
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Whether this is an option with a token, or its value. */
const isSecret = (_: string, at: number, args: readonly string[]): boolean =>
  [args[at], args[at - 1]].some((arg) => arg?.startsWith('--token'));

/** Runs one of the recorder's own programs to its end. It gets tokens by its environment, which other users cannot read. */
export const runRecorder = async (script: string, ...args: readonly string[]): Promise<Ran> => {
  const path = resolve('test/conformance', script);
  const open = args.filter((...one) => !isSecret(...one));
  const env = { ...process.env, RECORDER_SECRETS: JSON.stringify(args.filter(isSecret)) };
  const child = spawn(process.execPath, [path, ...open], { stdio: ['ignore', 'pipe', 'inherit'], env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
};

/** What one recorded case or timeline came to; `problem`: it failed, and why. */
export interface Verdict {
  readonly name: string;
  readonly problem?: string;
}

/** Prints the failures, leaves the counts for the whole run's closing line, and sets the exit code. */
export const report = (script: string, verdicts: readonly Verdict[], skipped: number): void => {
  const failures = verdicts.filter(({ problem }) => problem !== undefined);
  for (const { name, problem } of failures) console.log(`FAILED ${name}: ${problem}`);
  const counts = { numPassedTests: verdicts.length - failures.length, numFailedTests: failures.length };
  mkdirSync('test-results', { recursive: true });
  writeFileSync(reportOf(script), JSON.stringify({ ...counts, numPendingTests: skipped, numTodoTests: 0 }));
  console.log(`${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${skipped} skipped`);
  process.exitCode = failures.length === 0 ? 0 : 1;
};
