import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findTrees } from '../../../../agent/adapters/linux/groups/cgroup-trees.ts';
import { cgroupMountsIn } from '../../../../agent/rules/stats/cgroup-layout.ts';
import { createMounter } from '../../../../agent/volumes/mounts.ts';
import { podsGroupOf } from '../../../../cli/agent/agent-pods.ts';
import { eventually } from '../../clocks/eventually.ts';
import { rollcall } from '../../servers/host-process.ts';
import { kill } from '../../shell/kill.ts';

export interface AgentProcess {
  readonly pid: number;
  readonly output: () => string;
  /** Resolves with the exit code; `null`: by a signal. */
  readonly ended: Promise<number | null>;
  /** Sends the signal, and resolves with the exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>;
}

/** The line that the host on `folder` prints for machines that join. */
export const printedLine = async (folder: string): Promise<string> => {
  const { output } = await rollcall('token', '--bootstrap', '--print-join', '--folder', folder);
  const line = output.split('\n').find((one) => one.startsWith('printf '));
  if (line === undefined) throw new Error(output);
  return line;
};

/** The words of that line from `agent` on; the token comes by a file beside `folder`. */
export const joinWords = async (folder: string): Promise<readonly string[]> =>
  wordsOfLine(await printedLine(folder), `${folder}-bootstrap-token`);

/** The words of a printed line from `agent` on, with the token in a file. */
export const wordsOfLine = (line: string, tokenFile: string): readonly string[] => {
  const [, token, command] = /^printf %s '([^']+)' \| rollcall (agent run .*) -\s*$/.exec(line) ?? [];
  if (token === undefined || command === undefined) throw new Error(line);
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, inQuotes, bare]) => inQuotes ?? bare ?? '');
  return [...words, tokenFile];
};

/** The words of an agent that has joined already. */
export const withoutToken = (words: readonly string[]): readonly string[] => {
  const at = words.indexOf('--bootstrap-token-file');
  return words.filter((_, index) => index !== at && index !== at + 1);
};

const CHECKOUT = [process.execPath, resolve('cli/rollcall.js')];

export interface AgentLaunch extends Pick<SpawnOptions, 'uid' | 'gid' | 'env'> {
  /** A program with its first arguments; default: the checkout. */
  readonly command?: readonly string[];
}

/** A real agent, by default that of the checkout, as the user of the tests. */
export const startAgent = (
  words: readonly string[],
  { command: [program = '', ...first] = CHECKOUT, ...as }: AgentLaunch = {},
): AgentProcess => {
  const child: ChildProcess = spawn(program, [...first, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...as,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
};

const membersOf = (folder: string): readonly number[] => [
  ...readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number),
  ...readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => membersOf(join(folder, name))),
];

/**
 * SIGKILL to all processes of the pods of the agent of this root folder, and to what waits for their ends, as when its machine loses its power.
 * Resolves when they are gone.
 */
export const killPods = (root: string, within?: string): Promise<unknown> => {
  const group = podsGroupOf(root, within);
  const folders = findTrees(group, '/').trees.map(({ mountPoint }) => join(mountPoint, group));
  return eventually('no process of the pods is left', 20_000, async () => {
    const left = folders.flatMap(membersOf);
    for (const pid of new Set(left)) kill(pid);
    return left.length === 0;
  });
};

const removeGroup = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(folder, entry.name));
  rmdirSync(folder);
};

/** Removes what an agent of this root folder leaves where it ends before its pods, whose containers have ended. `within`: its `cgroupRoot`. */
export const removeGroupsAndMounts = async (root: string, within?: string): Promise<void> => {
  await removeTrees(podsGroupOf(root, within));
  const { below, unmount } = createMounter();
  for (const point of await below(root)) await unmount(point);
};

/** The folders of the control group of the agent of this root folder. */
export const groupsOf = (root: string): readonly string[] => {
  const probe = `${podsGroupOf(root)}-probe`;
  const { trees } = findTrees(probe, '/');
  for (const { mountPoint } of trees) rmdirSync(join(mountPoint, probe));
  return trees
    .map(({ mountPoint }) => join(mountPoint, podsGroupOf(root)))
    .filter((folder) => existsSync(folder));
};

/** An OCI runtime makes groups in each tree that is mounted. */
const treeFolders = (group: string): readonly string[] =>
  cgroupMountsIn(readFileSync('/proc/self/mountinfo', 'utf8'))
    .map(({ mountPoint }) => join(mountPoint, group))
    .filter((folder) => existsSync(folder));

/** Removes a control group with all below it from all trees. A process that has ended keeps its group for a moment. */
export const removeTrees = (group: string): Promise<unknown> =>
  eventually(`the control group ${group} is empty`, 10_000, async () => {
    for (const folder of treeFolders(group)) removeGroup(folder);
    return true;
  });
