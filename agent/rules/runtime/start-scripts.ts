/**
 * The three scripts of a container, in its folder. `shim.sh` waits for the program and writes down how it ended; `launch.sh` enters the
 * control groups and the namespaces; `setup.sh` mounts, and becomes the program.
 */
import { type ContainerInput, inputWord, launchWords, pipeLines, terminalLines } from './container-input.ts';
import {
  becomeWords,
  exportLines,
  groupLines,
  oomLine,
  type Surroundings,
  type Tools,
} from './enter-script.ts';
import { readOnlyLines, rootMountLines } from './read-only-root.ts';
import { quoted, words } from './shell-text.ts';

/** A path of the machine that the container sees. */
export interface MountPlan {
  readonly source: string;
  /** Device and inode that the source must have, in decimal digits; absent: any. */
  readonly identity?: string;
  /** Absolute path on the machine: below the container's root, if it has one. */
  readonly target: string;
  readonly isReadOnly: boolean;
  /** The source is a file, or a device. */
  readonly isFile: boolean;
  /** With what is mounted below it. */
  readonly isRecursive: boolean;
}

/** All that is needed to start a container. Paths are absolute. */
export interface StartPlan extends Surroundings {
  readonly command: readonly string[];
  readonly tools: Tools;
  readonly folder: string;
  readonly logFile: string;
  readonly oomScoreAdjust: number;
  /** Without namespaces there are no mounts. */
  readonly namespaces?: {
    readonly hostname: string;
    readonly mounts: readonly MountPlan[];
    /** The targets of the mounts that can be written to while nothing else can; absent: its root can be. */
    readonly onlyWritable?: readonly string[];
  };
  readonly groups: GroupFiles;
  /** Absent: the standard input is empty. */
  readonly input?: ContainerInput;
  /** Path of the program `script`, which makes a terminal; absent: the container has none. */
  readonly terminal?: string;
}

/** Files of control groups that the scripts read and write; all are absent where there are no groups. */
export interface GroupFiles {
  /** `cgroup.procs` of the container's group in each tree. */
  readonly container: readonly string[];
  /** `cgroup.procs` of the group that holds the shims of the pod. */
  readonly shim: readonly string[];
  /** Ends all members of the container's group: version 2. */
  readonly kill?: string;
  /** The members of the container's group, where there is no `kill`. */
  readonly members?: string;
  /** Has a line `oom_kill`. */
  readonly oom?: string;
}

/** Files of the shells are the agent's alone: the container's log, too. */
const PRIVATE = 'umask 077';
/** What containers begin with. */
const FOR_PROGRAMS = 'umask 022';

/** Below the agent, which is started again, and above all containers. Source: containerd `defaultOOMScore`. */
const SHIM_OOM_SCORE = -998;

/** The start time of the shell itself is the 22nd field of its `stat`; the second one may have spaces and ends with the last parenthesis. */
const READ_START_TIME = ['read -r stat < /proc/$$/stat', `set -- \${stat##*) }`];
const START_TIME = `\${20}`;

const claimLines: readonly string[] = [
  ...READ_START_TIME,
  'read -r boot < /proc/sys/kernel/random/boot_id',
  `echo "$$ ${START_TIME} $boot" > claim.$$`,
  'ln claim.$$ claim 2>/dev/null; won=$?',
  'rm -f claim.$$',
  '[ $won = 0 ] || exit 0',
];

/** Version 1 lists the members, and the list is read again until it is empty. */
const killLines = ({ kill, members }: GroupFiles): readonly string[] => [
  'main=; [ -s main ] && read -r main rest < main',
  '[ -n "$main" ] && kill -s KILL -- "-$main" 2>/dev/null',
  ...(kill === undefined ? [] : [`{ echo 1 > ${quoted(kill)}; } 2>/dev/null`]),
  ...(kill !== undefined || members === undefined
    ? []
    : [
        'n=0',
        'while [ $n -lt 40 ]; do',
        '  any=',
        `  { while read -r pid; do any=1; kill -s KILL "$pid" 2>/dev/null; done < ${quoted(members)}; } 2>/dev/null`,
        '  [ -n "$any" ] || break',
        '  n=$((n + 1)); sleep 0.05',
        'done',
      ]),
];

const oomLines = ({ oom }: GroupFiles): readonly string[] => [
  'oom=0',
  ...(oom === undefined
    ? []
    : [
        `{ while read -r key value; do [ "$key" = oom_kill ] && oom=$value; done < ${quoted(oom)}; } 2>/dev/null`,
      ]),
];

/** Signals that are caught are as by default in the program, and leave the shim waiting. */
export const shimScript = ({ folder, logFile, tools, groups }: StartPlan): string =>
  [
    `cd ${quoted(folder)} || exit 1`,
    PRIVATE,
    'trap : HUP INT QUIT TERM USR1 USR2 ALRM',
    ...groups.shim.map((file) => `{ echo $$ > ${quoted(file)}; } 2>/dev/null`),
    oomLine(SHIM_OOM_SCORE),
    ...claimLines,
    `${quoted(tools.sh)} ./launch.sh </dev/null >>${quoted(logFile)} 2>&1`,
    'code=$?',
    ...oomLines(groups),
    ...killLines(groups),
    'echo "$code $oom" > exit.$$',
    'ln exit.$$ exit 2>/dev/null',
    'rm -f exit.$$',
    '',
  ].join('\n');

/** Opened outside of the container's mounts, it can be written to when they are read-only. */
const OPEN_MAIN = 'exec 4>main';

/** What goes wrong before the program runs is written to `start-error` instead of the program's log. */
export const launchScript = (plan: StartPlan): string => {
  const { tools, oomScoreAdjust, groups, namespaces, input, terminal } = plan;
  const unshare = [tools.unshare, '--mount', '--uts', '--propagation', 'slave', '--'];
  const setup = launchWords(tools.sh, './setup.sh', terminal);
  const program = [tools.setsid, ...(namespaces ? unshare : []), ...setup];
  return [
    'exec 3>&2 2>start-error',
    ...(terminal === undefined ? [] : [`exec 5>&2; export SHELL=${quoted(tools.sh)}`]),
    ...(namespaces?.onlyWritable ? [OPEN_MAIN] : []),
    FOR_PROGRAMS,
    ...groupLines(groups.container),
    oomLine(oomScoreAdjust),
    ...pipeLines(input),
    `exec ${words(program)}${inputWord(input)}`,
    '',
  ].join('\n');
};

const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));

/** A program that may write to the source may have exchanged it for a link since it was looked at. */
const identityLines = ({ identity, target }: MountPlan): readonly string[] =>
  identity === undefined
    ? []
    : [
        `[ "$(stat -c %d:%i -- ${quoted(target)})" = ${quoted(identity)} ] || { echo 'a part of a volume was exchanged while it was mounted' >&2; exit 125; }`,
      ];

/** A read-only bind mount takes two steps. */
const mountLines = ({ mount }: Tools, plan: MountPlan): readonly string[] => {
  const [source, target] = [quoted(plan.source), quoted(plan.target)];
  const make = plan.isFile
    ? `{ [ -e ${target} ] || { mkdir -p ${quoted(parentOf(plan.target))} && : >> ${target}; }; }`
    : `mkdir -p ${target}`;
  return [
    `${make} || exit 125`,
    `${quoted(mount)} ${plan.isRecursive ? '--rbind' : '--bind'} ${source} ${target} || exit 125`,
    ...identityLines(plan),
    ...(plan.isReadOnly ? [`${quoted(mount)} -o remount,bind,ro ${target} || exit 125`] : []),
  ];
};

const fails = (text: string): string => `{ printf '%s\\n' ${quoted(text)} >&2; exit 125; }`;

const absoluteLine = (root: string, program: string): string => {
  const path = quoted(`${root}${program}`);
  const cause = root === '' ? '' : `[ ! -d ${quoted(parentOf(`${root}${program}`))} ] || `;
  const missing = fails(`exec: "${program}": stat ${program}: no such file or directory`);
  const closed = fails(`exec: "${program}": permission denied`);
  return `[ -x ${path} ] || [ -L ${path} ] || ${cause}{ [ -e ${path} ] && ${closed}; } || ${missing}`;
};

const searchLines = (root: string, program: string): readonly string[] => {
  const path = `${quoted(root)}"$part"/${quoted(program)}`;
  const link = root === '' ? '' : ` || [ -L ${quoted(root)}"$part" ]`;
  return [
    'found=; old=$IFS; IFS=:; set -f',
    `for part in $PATH; do [ -x ${path} ] || [ -L ${path} ]${link} || continue; found=1; done`,
    'IFS=$old; set +f',
    `[ -n "$found" ] || ${fails(`exec: "${program}": executable file not found in $PATH`)}`,
  ];
};

/**
 * Looks for the program before the container counts as started, as a container runtime does. Links below the container's root lead
 * elsewhere from here, so what is behind them is believed to be there.
 */
const programLines = ({ root = '', workingDirectory, command }: StartPlan): readonly string[] => {
  const program = command[0] ?? '';
  const there = quoted(`${root}${workingDirectory}`);
  const believed = root === '' ? '' : ` || [ ! -d ${quoted(parentOf(`${root}${workingDirectory}`))} ]`;
  const folder = `[ -d ${there} ] || [ -L ${there} ]${believed} || ${fails(`the working directory ${workingDirectory} is not there`)}`;
  if (program.startsWith('/')) return [folder, absoluteLine(root, program)];
  return program.includes('/') ? [folder] : [folder, ...searchLines(root, program)];
};

const namespaceLines = ({ namespaces, root, tools }: StartPlan): readonly string[] => {
  if (!namespaces) return [];
  const { hostname, mounts, onlyWritable } = namespaces;
  return [
    `echo ${quoted(hostname)} > /proc/sys/kernel/hostname || exit 125`,
    ...(onlyWritable ? rootMountLines(root, tools) : []),
    ...mounts.flatMap((mount) => mountLines(tools, mount)),
    ...(onlyWritable ? readOnlyLines(root, onlyWritable, tools) : []),
  ];
};

/** The file `main` is written by the process that becomes the program, just before. */
export const setupScript = (plan: StartPlan): string =>
  [
    ...(plan.terminal === undefined ? [] : [...terminalLines(plan.user?.uid), 'exec 2>&5 5>&-']),
    ...namespaceLines(plan),
    ...exportLines(plan),
    ...programLines(plan),
    ...READ_START_TIME,
    ...(plan.namespaces?.onlyWritable
      ? [`echo "$$ ${START_TIME}" >&4`, 'exec 4>&-']
      : [PRIVATE, `echo "$$ ${START_TIME}" > main`, FOR_PROGRAMS]),
    `exec 2>&${plan.terminal === undefined ? 3 : 1} 3>&-`,
    `exec ${words(becomeWords(plan, plan.command, plan.tools))}`,
    '',
  ].join('\n');
