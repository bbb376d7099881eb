/** The programs of the machine that the runtime uses, and what it lets the agent do. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from '../../../rules/containers/system-calls.ts';
import { filterProgram } from '../../../rules/runtime/call-filter.ts';
import type { Tools } from '../../../rules/runtime/enter-script.ts';
import { type CallFilter, filterWords } from '../../../rules/runtime/filter-words.ts';
import { findProgram as find } from '../../linux/find-program.ts';

const run = promisify(execFile);

const works = async (program: string, args: readonly string[]): Promise<string | undefined> =>
  run(program, [...args], { timeout: 10_000 }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message.trim().split('\n').at(-1) : String(error)),
  );

/** What the machine has. */
export interface MachineTools {
  readonly tools: Tools;
  /** Frees the beginning of a file; `undefined`: logs are not rotated. */
  readonly fallocate?: string;
  readonly hasNamespaces: boolean;
  /** What installs filters of system calls; or why there are none. */
  readonly filter: Omit<CallFilter, 'program'> | string;
  /** The programs that make a terminal for a command, and change its size; absent: commands have none. */
  readonly terminal?: { readonly script: string; readonly stty: string };
  /** What is missing, for people. */
  readonly problems: readonly string[];
}

const namespaceProblem = async (unshare: string): Promise<string | undefined> => {
  const error = await works(unshare, ['--mount', '--uts', '--propagation', 'slave', '--', 'true']);
  return (
    error &&
    `mount namespaces are not permitted (${error}): containers have no token of their ServiceAccount, those with other mounts are not started, and terminationMessagePath is not read`
  );
};

const fallocateProblem = async (fallocate: string | undefined, root: string): Promise<string | undefined> => {
  if (fallocate === undefined)
    return 'the program fallocate of util-linux is not there: logs of containers grow without bounds';
  const folder = mkdtempSync(join(root, '.try-'));
  const file = join(folder, 'file');
  writeFileSync(file, Buffer.alloc(8192, 1));
  const error = await works(fallocate, ['--punch-hole', '--offset', '0', '--length', '4096', file]);
  rmSync(folder, { recursive: true, force: true });
  return (
    error &&
    `the file system of ${root} cannot free the beginning of a file (${error}): logs of containers grow without bounds`
  );
};

const isKnown = (architecture: string): architecture is Architecture =>
  architecture === 'x64' || architecture === 'arm64';

/** Tries a filter, as it is installed for containers. */
const findFilter = async (setpriv: string): Promise<MachineTools['filter']> => {
  const [{ arch: architecture }, perl] = [process, find('perl')];
  if (!isKnown(architecture)) return `the system calls of the architecture ${architecture} are not known`;
  if (perl === undefined)
    return 'they are filtered by the program perl, which is not there: install perl-base';
  const program = filterProgram(architecture, new Set());
  const entry = filterWords({ perl, architecture, program }, { workingDirectory: '/' });
  const error = await works(setpriv, ['--no-new-privs', '--', ...entry, 'true']);
  return error === undefined ? { perl, architecture } : `system calls cannot be filtered (${error})`;
};

/** The smallest shell first: it stays for as long as the container runs. */
const SHELLS = ['dash', 'sh'];

/** Looks for the programs and tries them. `root`: the runtime's folder. Rejects if containers cannot be started at all. */
export const findTools = async (root: string): Promise<MachineTools> => {
  const found = {
    sh: find(...SHELLS),
    setsid: find('setsid'),
    unshare: find('unshare'),
    nsenter: find('nsenter'),
    setpriv: find('setpriv'),
    mount: find('mount'),
  };
  const absent = Object.entries(found).flatMap(([name, path]) => (path === undefined ? [name] : []));
  const { sh, setsid, unshare, nsenter, setpriv, mount } = found;
  if (!sh || !setsid || !unshare || !nsenter || !setpriv || !mount)
    throw new Error(`programs that containers need are not there: ${absent.join(', ')}; install util-linux`);
  const usage = await works(unshare, ['--wd', '/', '--', 'true']);
  if (usage !== undefined)
    throw new Error(`${unshare} does not know --wd (${usage}): util-linux 2.34 or later is needed`);
  const fallocate = find('fallocate');
  const [noNamespaces, noFallocate, filter] = await Promise.all([
    namespaceProblem(unshare),
    fallocateProblem(fallocate, root),
    findFilter(setpriv),
  ]);
  const isRoot = process.getuid?.() === 0;
  const [script, stty] = [find('script'), find('stty')];
  return {
    tools: { sh, setsid, unshare, nsenter, setpriv, mount },
    ...(noFallocate === undefined && fallocate !== undefined && { fallocate }),
    hasNamespaces: noNamespaces === undefined,
    filter,
    ...(script !== undefined && stty !== undefined && { terminal: { script, stty } }),
    problems: [
      ...(noNamespaces === undefined ? [] : [noNamespaces]),
      ...(noFallocate === undefined ? [] : [noFallocate]),
      ...(typeof filter === 'string'
        ? [`${filter}: containers with the seccomp profile RuntimeDefault are not started`]
        : []),
      ...(isRoot
        ? []
        : ['the agent does not run as root: containers have its user, and none has a folder as its root']),
    ],
  };
};
