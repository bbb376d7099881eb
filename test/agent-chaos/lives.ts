/** Kills an agent, its shims and its programs at random points, and looks whether the runtime still tells the truth. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findTrees } from '../../agent/adapters/linux/groups/cgroup-trees.ts';
import { createProcessRuntime } from '../../agent/adapters/process-runtime/process-runtime.ts';
import { claimIn, mainIn } from '../../agent/rules/runtime/container-state.ts';
import {
  type ContainerProcess,
  containerOf,
  containerProcesses,
} from '../support/agent/machines/container-processes.ts';
import { chaosOptions, ledgerOf, marksOf } from './options.ts';

const AGENT = new URL('agent.ts', import.meta.url).pathname;
const SLOTS = 3;

/** What a run did, and what was wrong. */
export interface ChaosReport {
  readonly violations: readonly string[];
  readonly agents: number;
  readonly shims: number;
  readonly programs: number;
  readonly starts: number;
}

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

/** Folders of containers, with those of their processes that are no shims. */
const liveFolders = (root: string): ReadonlyMap<string, readonly ContainerProcess[]> => {
  const programs = containerProcesses(root).filter(({ isShim }) => !isShim);
  return Map.groupBy(programs, ({ folder }) => folder);
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

const killOne = (root: string, which: 'claim' | 'main', random: () => number): boolean => {
  const marks = containerFolders(root).flatMap((folder) => {
    if (existsSync(join(folder, 'exit'))) return [];
    const text = textOf(join(folder, which));
    const mark = which === 'claim' ? claimIn(text) : mainIn(text);
    return mark ? [mark] : [];
  });
  const mark = marks[Math.floor(random() * marks.length)];
  // The number may belong to somebody else since; only what has the marker is killed.
  if (!mark || containerOf(mark.pid, root) === undefined) return false;
  try {
    process.kill(mark.pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
};

export const startAgent = (
  folder: string,
  group: string,
  errors: string[],
  kind = 'processes',
): ChildProcess => {
  const child = spawn(process.execPath, [AGENT, folder, group, String(SLOTS), kind], {
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

/** Compares what a new agent is told with the machine, then removes all and looks for what is left. */
const finalFaults = async (folder: string, group: string): Promise<readonly string[]> => {
  const options = chaosOptions(folder, group);
  const runtime = await createProcessRuntime(options);
  const pods = await runtime.pods();
  const containers = pods.flatMap(({ containers: all }) => all);
  const said = new Set(
    containers.flatMap(({ id, state }) => {
      const [uid = '', name = '', count = ''] = id.replace('process://', '').split('/');
      return state === 'running' || state === 'created'
        ? [join(options.root, 'pods', uid, `${name}_${count}`)]
        : [];
    }),
  );
  const live = liveFolders(options.root);
  const faults = [
    ...[...said]
      .filter((one) => !live.has(one) && !existsSync(join(one, 'exit')))
      .map((one) => `says that it runs: ${one}`),
    ...[...live.keys()].filter((one) => !said.has(one)).map((one) => `is forgotten: ${one}`),
  ];
  for (const { pod } of pods) await runtime.removePod(pod.uid);
  runtime.close();
  await wait(200);
  const left = [...liveFolders(options.root).keys()].map((one) => `is left: ${one}`);
  const folders = containerFolders(options.root).map((one) => `is left on disk: ${one}`);
  const groups = findTrees(group, '/').trees.flatMap(({ mountPoint }) => {
    try {
      rmdirSync(join(mountPoint, group));
      return [];
    } catch (error) {
      return [`a control group is left: ${String(error)}`];
    }
  });
  return [...faults, ...left, ...folders, ...groups];
};

/** Runs for `durationMs`. `random`: from 0 up to 1. */
export const runAgentChaos = async (
  folder: string,
  durationMs: number,
  random: () => number,
): Promise<ChaosReport> => {
  const group = `/rollcall-chaos-${process.pid}`;
  const root = chaosOptions(folder, group).root;
  makeFolders(folder, root);
  const counts = { agents: 0, shims: 0, programs: 0 };
  const errors: string[] = [];
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    const agent = startAgent(folder, group, errors);
    const exited = once(agent, 'exit');
    await untilStarted(agent, random);
    for (let left = random() * 1500; left > 0; left -= 100) {
      await wait(Math.min(left, 100));
      const chance = random();
      if (chance < 0.15 && killOne(root, 'claim', random)) counts.shims += 1;
      else if (chance < 0.25 && killOne(root, 'main', random)) counts.programs += 1;
    }
    agent.kill('SIGKILL');
    await exited;
    counts.agents += 1;
  }
  const faults = await finalFaults(folder, group);
  const ledger = ledgerFaults(folder);
  return { ...counts, starts: ledger.starts, violations: [...errors, ...ledger.faults, ...faults] };
};
