/** How a process becomes the program of a container: its root, folder, user and environment. */
import { DEFAULT_PATH } from '../machine/default-path.ts';
import { type CallFilter, type FilteredEntry, filterWords, QUIET } from './filter-words.ts';
import { quoted, splitEnvironment, words } from './shell-text.ts';

/** Paths of the programs that the scripts use. All of them come with every Debian. */
export interface Tools {
  readonly sh: string;
  readonly setsid: string;
  readonly unshare: string;
  readonly nsenter: string;
  readonly setpriv: string;
  readonly mount: string;
}

/** What a program runs as. */
export interface Surroundings {
  /** Absolute path of its root; `undefined`: the machine's. */
  readonly root?: string;
  /** Absolute, as the program sees it. */
  readonly workingDirectory: string;
  readonly user?: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
  readonly environment: Readonly<Record<string, string>>;
  /** Programs with the set-user-id bit give it nothing more. */
  readonly hasNoNewPrivileges?: boolean;
  /** The capabilities that are left. */
  readonly capabilities?: {
    /** `setpriv` as the program's own root has it. */
    readonly setpriv: string;
    /** As `--bounding-set` reads them. */
    readonly boundingSet: string;
  };
  /** The system calls that are refused. */
  readonly callFilter?: CallFilter;
}

/** What the container's environment is, and what is said of it where the shell cannot set it. */
const environmentOf = ({ environment }: Surroundings) =>
  splitEnvironment({ PATH: DEFAULT_PATH, ...environment });

/** Lines that set the variables. */
export const exportLines = (surroundings: Surroundings): readonly string[] => [
  ...environmentOf(surroundings).exported.map(([name, value]) => `export ${name}=${quoted(value)}`),
  ...(surroundings.callFilter ? [`export ${QUIET}=0`] : []),
];

/** `setpriv` sets the groups before the root is left, because the new root may not have it. */
const groupWords = ({ user, hasNoNewPrivileges }: Surroundings, { setpriv }: Tools): readonly string[] => {
  const groups = user?.groups.length === 0 ? ['--clear-groups'] : ['--groups', user?.groups.join(',') ?? ''];
  const options = [
    ...(hasNoNewPrivileges ? ['--no-new-privs'] : []),
    ...(user ? ['--regid', String(user.gid), ...groups] : []),
  ];
  return options.length === 0 ? [] : [setpriv, ...options, '--'];
};

/** The user changes last: with the capabilities, which need some of them to be taken away. */
const earlyUser = ({ user, capabilities }: Surroundings): number | undefined =>
  capabilities ? undefined : user?.uid;

/** `unshare` and `nsenter` name it alike. */
const userWords = (surroundings: Surroundings): readonly string[] => {
  const uid = earlyUser(surroundings);
  return uid === undefined ? [] : ['--setuid', String(uid)];
};

const capabilityWords = ({ user, capabilities }: Surroundings): readonly string[] => {
  if (!capabilities) return [];
  const { setpriv, boundingSet } = capabilities;
  const change = user ? ['--reuid', String(user.uid)] : [];
  return [setpriv, ...change, '--bounding-set', boundingSet, '--inh-caps', '-all', '--'];
};

const programWords = (surroundings: Surroundings, command: readonly string[]): readonly string[] => {
  const { assigned } = environmentOf(surroundings);
  const program = assigned.length === 0 ? command : ['env', '--', ...assigned, ...command];
  return [...capabilityWords(surroundings), ...program];
};

/** `undefined`: nothing is filtered, and other programs enter. */
const filteredWords = (
  surroundings: Surroundings,
  where: Pick<FilteredEntry, 'of' | 'root'>,
): readonly string[] | undefined => {
  const { callFilter, workingDirectory } = surroundings;
  const uid = earlyUser(surroundings);
  return (
    callFilter && filterWords(callFilter, { ...where, workingDirectory, ...(uid !== undefined && { uid }) })
  );
};

const unshareWords = (surroundings: Surroundings, { unshare }: Tools): readonly string[] => [
  unshare,
  ...(surroundings.root === undefined ? [] : ['--root', surroundings.root]),
  '--wd',
  surroundings.workingDirectory,
  ...userWords(surroundings),
  '--',
];

/** The words that turn a shell into the program, in the namespaces where the shell is. */
export const becomeWords = (
  surroundings: Surroundings,
  command: readonly string[],
  tools: Tools,
): readonly string[] => {
  const { root } = surroundings;
  return [
    ...groupWords(surroundings, tools),
    ...(filteredWords(surroundings, root === undefined ? {} : { root }) ?? unshareWords(surroundings, tools)),
    ...programWords(surroundings, command),
  ];
};

const nsenterWords = (plan: ExecPlan): readonly string[] => {
  const { tools, pid, hasNamespaces, workingDirectory } = plan;
  return [
    tools.nsenter,
    '--target',
    String(pid),
    ...(hasNamespaces ? ['--mount', '--uts'] : []),
    '--root',
    `--wd=/proc/${pid}/root${workingDirectory}`,
    ...userWords(plan),
    '--',
  ];
};

/** The words that turn a shell into a program in the namespaces and the root of a container, if it has such. */
const joinWords = (plan: ExecPlan, command: readonly string[]): readonly string[] => {
  const { tools, pid, hasNamespaces, root } = plan;
  if (!hasNamespaces && root === undefined) return becomeWords(plan, command, tools);
  return [
    ...groupWords(plan, tools),
    ...(filteredWords(plan, { of: { pid, hasNamespaces } }) ?? nsenterWords(plan)),
    ...programWords(plan, command),
  ];
};

/** Lines that put the shell itself into control groups, by their files `cgroup.procs`. */
export const groupLines = (files: readonly string[]): readonly string[] =>
  files.map((file) => `echo $$ > ${quoted(file)} || exit 125`);

/** What a command in a running container needs. */
export interface ExecPlan extends Surroundings {
  /** Of the container's main program. */
  readonly pid: number;
  readonly hasNamespaces: boolean;
  readonly groupFiles: readonly string[];
  readonly oomScoreAdjust: number;
  readonly tools: Tools;
}

/** Line that sets how readily the kernel ends the shell. A value below that of the agent is refused to others than root. */
export const oomLine = (adjust: number): string => `{ echo ${adjust} > /proc/$$/oom_score_adj; } 2>/dev/null`;

const execLines = (plan: ExecPlan): readonly string[] => [
  'umask 022',
  ...groupLines(plan.groupFiles),
  oomLine(plan.oomScoreAdjust),
  ...exportLines(plan),
];

/** A script for the standard input of a shell, which becomes `command`. */
export const execScript = (plan: ExecPlan, command: readonly string[]): string =>
  [...execLines(plan), `exec ${words(joinWords(plan, command))} </dev/null`, ''].join('\n');

/** What a shell runs whose script comes by descriptor 3, so that its standard input is left to the command. */
export const SCRIPT_BY_DESCRIPTOR = 'eval "$(cat <&3)"';

/** The terminal belongs to the user of the command, and its name is told by descriptor 4. `SHELL` was for the program that made it. */
const terminalLines = ({ user }: ExecPlan): readonly string[] => [
  'tty >&4; exec 4>&-; unset SHELL',
  ...(user ? [`chown ${user.uid} "$(tty)"`] : []),
];

/** A script for descriptor 3 of a shell, which becomes `command` with the shell's own streams. */
export const streamScript = (
  plan: ExecPlan,
  command: readonly string[],
  { tty, stdin }: { readonly tty: boolean; readonly stdin: boolean },
): string => {
  const input = tty || stdin ? '' : ' </dev/null';
  return [
    'exec 3<&-',
    ...(tty ? terminalLines(plan) : []),
    ...execLines(tty ? { ...plan, environment: { TERM: 'xterm', ...plan.environment } } : plan),
    `exec ${words(joinWords(plan, command))}${input}`,
    '',
  ].join('\n');
};
