/** Makes a container's specification into the scripts that start it. */
import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { ContainerSpec, Mount } from '../../../ports/machine/runtime.ts';
import type { Surroundings } from '../../../rules/runtime/enter-script.ts';
import { hostName } from '../../../rules/runtime/host-name.ts';
import { sizeFault } from '../../../rules/runtime/program-size.ts';
import {
  type GroupFiles,
  launchScript,
  type MountPlan,
  type StartPlan,
  setupScript,
  shimScript,
} from '../../../rules/runtime/start-scripts.ts';
import { rootOf } from '../../containers/image-folder.ts';
import { StartRefusedError } from '../../containers/start-refused.ts';
import { confinementOf } from '../processes/confine.ts';
import type { MachineTools } from '../processes/tools.ts';

/** The file in a container's folder that the container sees at its `terminationMessagePath`. */
export const MESSAGE_FILE = 'termination-log';

const MOST_LINKS = 40;

/** Where a path of the container is on the machine: links in it lead to places in the container, too. */
const pathInRoot = (root: string, path: string): string => {
  let done = '';
  let left = path.split('/').filter(Boolean);
  for (let links = 0; left.length > 0; ) {
    const [part = '', ...rest] = left;
    left = rest;
    if (part === '.') continue;
    if (part === '..') {
      done = done.slice(0, Math.max(0, done.lastIndexOf('/')));
      continue;
    }
    const here = join(root, done, part);
    if (!lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink()) done = `${done}/${part}`;
    else {
      links += 1;
      if (links > MOST_LINKS) throw new Error(`too many symbolic links in ${path} below ${root}`);
      const target = readlinkSync(here);
      if (target.startsWith('/')) done = '';
      left = [...target.split('/').filter(Boolean), ...left];
    }
  }
  return join(root, done);
};

const mountPlan = (root: string, { source, identity, target, isReadOnly }: Mount): MountPlan => {
  const stat = statSync(source, { throwIfNoEntry: false });
  if (!stat) throw new Error(`the source ${source} of the mount at ${target} is not there`);
  const isFile = !stat.isDirectory();
  return {
    source,
    target: pathInRoot(root, target),
    isReadOnly,
    isFile,
    isRecursive: !isFile,
    ...(identity !== undefined && { identity }),
  };
};

/** What nearly every program looks for, where a folder has a place for it. */
const OF_THE_MACHINE = ['/proc', '/sys', '/dev', '/etc/resolv.conf', '/etc/hosts'];

const ownMounts = (root: string | undefined, mounts: readonly Mount[]): readonly MountPlan[] => {
  if (root === undefined) return [];
  const taken = new Set(mounts.map(({ target }) => normalize(target)));
  return OF_THE_MACHINE.filter(
    (path) => !taken.has(path) && existsSync(path) && existsSync(join(root, path)),
  ).map((path) => mountPlan(root, { source: path, target: path, isReadOnly: path === '/sys' }));
};

/** Where each container sees the token of its ServiceAccount, unless its pod says otherwise. Most programs do not read it. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const isNeeded = ({ target }: Mount): boolean => normalize(target) !== SERVICE_ACCOUNT;

const depth = (target: string): number => target.split('/').filter(Boolean).length;

/** What the pod asks for, and the file for its last words: outer mounts first. */
const askedMounts = (
  { terminationMessagePath: target, mounts }: ContainerSpec,
  root: string,
  messageFile: string,
): readonly MountPlan[] => [
  ...mounts.map((mount) => mountPlan(root, mount)).toSorted((a, b) => depth(a.target) - depth(b.target)),
  ...(target === undefined
    ? []
    : [
        {
          source: messageFile,
          target: pathInRoot(root, target),
          isReadOnly: false,
          isFile: true,
          isRecursive: false,
        },
      ]),
];

const namespacesOf = (spec: ContainerSpec, root: string | undefined, hostname: string, folder: string) => {
  const asked = askedMounts(spec, root ?? '/', join(folder, MESSAGE_FILE));
  return {
    hostname: hostName(hostname),
    mounts: [...ownMounts(root, spec.mounts), ...asked],
    ...(spec.confinement?.hasReadOnlyRoot && { onlyWritable: asked.map(({ target }) => target) }),
  };
};

/** The root, folder, user and environment of a container's processes. */
export const surroundingsOf = (
  spec: ContainerSpec,
  hostname: string,
  machine: MachineTools,
): Surroundings => {
  const root = rootOf(spec);
  return {
    ...(root !== undefined && { root }),
    workingDirectory: spec.workingDirectory ?? '/',
    ...(spec.user && { user: spec.user }),
    environment: { HOSTNAME: hostname, ...spec.environment },
    ...confinementOf(spec, root, machine),
  };
};

/** What only a mount namespace can give: the error that tells so. */
const checkNamespaces = ({ mounts, confinement }: ContainerSpec): void => {
  const what = mounts.some(isNeeded)
    ? 'has mounts besides the token of its ServiceAccount'
    : confinement?.hasReadOnlyRoot && 'has a read-only root';
  if (!what) return;
  throw new StartRefusedError(
    'CreateContainerError',
    `the container ${what}, and mount namespaces are not permitted on this machine: run the agent as root, with CAP_SYS_ADMIN`,
  );
};

/** The program that makes a terminal, if the container wants one. */
const terminalOf = ({ input }: ContainerSpec, { terminal }: MachineTools): string | undefined => {
  if (!input?.isTerminal) return undefined;
  if (terminal) return terminal.script;
  throw new StartRefusedError(
    'CreateContainerError',
    'the container wants a terminal (tty), and the programs script and stty are not on this machine',
  );
};

/** All that is needed to start `spec` in `folder`. Throws if the machine cannot give it. */
export const planStart = (
  spec: ContainerSpec,
  machine: MachineTools,
  place: {
    readonly folder: string;
    readonly logFile: string;
    readonly hostname: string;
    readonly groups: GroupFiles;
  },
): StartPlan => {
  const surroundings = surroundingsOf(spec, place.hostname, machine);
  if (spec.command.length === 0) throw new StartRefusedError('CreateContainerError', 'no command specified');
  const tooLarge = sizeFault(spec.command, surroundings.environment);
  if (tooLarge !== undefined) throw new StartRefusedError('RunContainerError', tooLarge);
  if (!machine.hasNamespaces) checkNamespaces(spec);
  const terminal = terminalOf(spec, machine);
  return {
    ...surroundings,
    ...(spec.input && { input: spec.input }),
    ...(terminal !== undefined && {
      terminal,
      environment: { TERM: 'xterm', ...surroundings.environment },
    }),
    command: spec.command,
    tools: machine.tools,
    folder: place.folder,
    logFile: place.logFile,
    oomScoreAdjust: spec.oomScoreAdjust,
    groups: place.groups,
    ...(machine.hasNamespaces && {
      namespaces: namespacesOf(spec, surroundings.root, place.hostname, place.folder),
    }),
  };
};

/** The script that becomes the program. */
export const LAST_SCRIPT = 'setup.sh';

/** The files of a container's folder before it is started. */
export const startFiles = (plan: StartPlan): Readonly<Record<string, string>> => ({
  'shim.sh': shimScript(plan),
  'launch.sh': launchScript(plan),
  [LAST_SCRIPT]: setupScript(plan),
  [MESSAGE_FILE]: '',
});
