/** Lives of an agent that has only a runtime, and what its containers have told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ledgerOf, marksOf } from './options.ts';

const AGENT = new URL('agent.ts', import.meta.url).pathname;
const SLOTS = 3;

/** Programs of any user write their marks. */
export const makeFolders = (folder: string, root: string): void => {
  mkdirSync(root, { recursive: true });
  mkdirSync(marksOf(folder));
  writeFileSync(ledgerOf(folder), '');
  chmodSync(ledgerOf(folder), 0o666);
  chmodSync(marksOf(folder), 0o777);
  chmodSync(folder, 0o755);
};

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

export const containerFolders = (root: string): readonly string[] => {
  const pods = join(root, 'pods');
  if (!existsSync(pods)) return [];
  return readdirSync(pods).flatMap((uid) =>
    readdirSync(join(pods, uid))
      .filter((name) => /_\d+$/.test(name))
      .map((name) => join(pods, uid, name)),
  );
};

export const startAgent = (folder: string, group: string, errors: string[]): ChildProcess => {
  const child = spawn(process.execPath, [AGENT, folder, group, String(SLOTS)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (text.startsWith('error')) errors.push(text);
  });
  return child;
};

/** Agents that die before they have started. */
const EARLY = 0.2;
/** The most time until such a death, ms. */
const EARLY_MS = 400;

/** Resolves when the life of an agent begins to be counted: at its start, however long this machine takes for that, or for some a moment after their birth. */
export const untilStarted = async (agent: ChildProcess, random: () => number): Promise<void> => {
  if (random() < EARLY || !agent.stdout) return await wait(random() * EARLY_MS);
  await Promise.race([once(agent.stdout, 'data'), once(agent, 'exit')]);
};

export const ledgerFaults = (
  folder: string,
): { readonly starts: number; readonly faults: readonly string[] } => {
  const lines = textOf(ledgerOf(folder)).split('\n').filter(Boolean);
  const starts = lines.filter((line) => line.startsWith('start'));
  const seen = new Set<string>();
  const twice = starts.filter((line) => {
    const isTwice = seen.has(line);
    seen.add(line);
    return isTwice;
  });
  return {
    starts: starts.length,
    faults: [...twice.map((line) => `twice: ${line}`), ...lines.filter((line) => line.startsWith('double'))],
  };
};
