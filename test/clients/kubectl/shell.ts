/** A shell in which `kubectl` is one certain kubectl, with a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Kubectl } from './versions.ts';

export type Variables = Readonly<Record<string, string>>;

export interface Printed {
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly code: number;
}

export interface Running {
  /** So far, whole lines only: kubectl writes the cells of a row one by one. */
  printed(): Pick<Printed, 'out' | 'err'>;
  readonly ended: Promise<Printed>;
  /** Ends the command and everything that it started. */
  stop(): void;
}

export interface Shell {
  run(command: string, variables: Variables): Running;
}

const linesOf = (text: string): readonly string[] => {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
};

const collected = (stream: ChildProcess['stdout']) => {
  let text = '';
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return {
    all: (): readonly string[] => linesOf(text),
    whole: (): readonly string[] => linesOf(text.slice(0, text.lastIndexOf('\n') + 1)),
  };
};

const start = (command: string, cwd: string, env: NodeJS.ProcessEnv): Running => {
  const child = spawn('bash', ['-c', `set -o pipefail\n${command}`], { cwd, env, detached: true });
  child.stdin.end();
  const [out, err] = [collected(child.stdout), collected(child.stderr)];
  const ended = once(child, 'close').then(([code]) => ({
    out: out.all(),
    err: err.all(),
    code: Number(code ?? -1),
  }));
  return {
    printed: () => ({ out: out.whole(), err: err.whole() }),
    ended,
    stop: () => {
      // The group: bash does not hand a signal on.
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    },
  };
};

/** `folder` is for the home and lives as long as the shell. */
export const createShell = (kubectl: Kubectl, kubeconfig: string, folder: string): Shell => {
  const home = mkdtempSync(join(folder, `kubectl-${kubectl.version}-`));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(kubectl.path, join(bin, 'kubectl'));
  const path = `${bin}:${process.env['PATH'] ?? ''}`;
  const base = { PATH: path, HOME: home, KUBECONFIG: kubeconfig, TZ: 'UTC', LANG: 'C', TMPDIR: home };
  return { run: (command, variables) => start(command, home, { ...base, ...variables }) };
};
