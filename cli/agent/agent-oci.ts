/** A runtime of OCI bundles, for the pods of an agent of this machine. */
import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../agent/adapters/linux/find-program.ts';
import { createControlGroups } from '../../agent/adapters/linux/groups/control-groups.ts';
import { agentFacts } from '../../agent/adapters/oci-runtime/agent-facts.ts';
import type { Programs } from '../../agent/adapters/oci-runtime/containers/parts.ts';
import { createOciRuntime, type OciRuntimeOptions } from '../../agent/adapters/oci-runtime/oci-runtime.ts';
import { createProgramsCheck } from '../../agent/adapters/oci-runtime/programs-check.ts';
import { tryRuntimes, type WorkingRuntime } from '../../agent/adapters/oci-runtime/trial.ts';
import type { Log } from '../../agent/ports/machine/shutdown.ts';
import type { AgentOptions } from '../../agent/program/agent-program.ts';
import { imagePathFault, shownFolderFault } from '../../agent/rules/oci/host-image-paths.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { CommandError } from '../shell/command.ts';
import { isRoot } from './agent-options.ts';
import { bindsContainers, groupAbilities } from './agent-resources.ts';

type Shared = Pick<OciRuntimeOptions, 'podsCgroup' | 'trash' | 'logs' | 'logPeriodMs' | 'sweepPeriodMs'> & {
  readonly log: Log;
};

/** A machine under load takes a while; each call of the runtime has so long, too. */
const CALL_MS = 60_000;

/** The state of the runtime, which is gone after a boot, like its containers. */
export const stateFolderOf = (rootDirectory: string): string => {
  if (!isRoot()) return join(rootDirectory, 'run', 'state');
  const digest = createHash('sha256').update(rootDirectory).digest('hex').slice(0, 12);
  return `/run/rollcall-agent-${digest}`;
};

const workingRuntime = async (rootDirectory: string): Promise<WorkingRuntime> => {
  const trial = await tryRuntimes({ folder: rootDirectory, stepMs: CALL_MS });
  if ('runtime' in trial) return trial.runtime;
  const why = printable(trial.faults.join('; '));
  throw new CommandError(
    `no OCI runtime works on this machine: ${why}: install runc and conmon, or give --unisolated, with which nothing isolates containers`,
    2,
  );
};

const programsOf = ({ program, conmon, hasOverlays }: WorkingRuntime, rootDirectory: string): Programs => {
  const [perl, script, stty] = [findProgram('perl'), findProgram('script'), findProgram('stty')];
  return {
    runtime: { program, stateFolder: stateFolderOf(rootDirectory), callMs: CALL_MS },
    conmon,
    hasOverlays,
    ...optional('perl', perl),
    ...(script !== undefined && stty !== undefined && { terminal: { script, stty } }),
  };
};

const tellLimits = ({ hasOverlays, unseen }: WorkingRuntime, log: Log): void => {
  if (!hasOverlays) log('this machine mounts no overlays: containers need readOnlyRootFilesystem: true');
  if (unseen.length > 0)
    log(`other file systems are mounted at ${unseen.join(', ')}: the image "host" does not show them`);
};

/** Where it leads; `undefined`: there is no such folder. */
const folderAt = (path: string): string | undefined => {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
};

const pathFault = (path: string, own: readonly string[]): string | undefined => {
  const fault = imagePathFault(path, own);
  if (fault !== undefined) return fault;
  const found = folderAt(path);
  if (found === undefined) return `${path} is no folder of this machine`;
  return found === path ? undefined : `${path} leads to ${found}: name that`;
};

const checkPaths = (flag: string, paths: readonly string[], own: readonly string[]): void => {
  for (const path of paths) {
    const fault = pathFault(path, own);
    if (fault !== undefined) throw new CommandError(`--${flag}: ${fault}`, 2);
  }
};

/** Throws a `CommandError` if an image would show what is not for containers. */
const checkImages = (
  { hostImagePaths, imageFolders }: AgentOptions['settings'],
  own: readonly string[],
): void => {
  checkPaths('host-image-paths', hostImagePaths, own);
  checkPaths('image-folders', imageFolders, own);
  const shown = isRoot() ? undefined : shownFolderFault(own);
  if (shown !== undefined) throw new CommandError(shown, 2);
};

/** Throws a `CommandError` if no runtime of this machine passes the trial. */
export const makeOciRuntime = async (options: AgentOptions, shared: Shared) => {
  const { rootDirectory, settings } = options;
  const own = [rootDirectory, settings.config.podLogsDir].map((path) => folderAt(path) ?? path);
  checkImages(settings, own);
  const working = await workingRuntime(rootDirectory);
  tellLimits(working, shared.log);
  const { podsCgroup, log } = shared;
  const runtime = await createOciRuntime({
    ...shared,
    root: join(rootDirectory, 'runtime'),
    groups: createControlGroups(podsCgroup, '/', bindsContainers(options), 'runtime'),
    programs: programsOf(working, rootDirectory),
    name: working.name,
    check: createProgramsCheck({
      first: working,
      tryAgain: () => tryRuntimes({ folder: rootDirectory, stepMs: CALL_MS }),
      uptime: () => performance.now(),
    }),
    agent: agentFacts(groupAbilities(options)),
    seccomp: { profiles: join(rootDirectory, 'seccomp'), isDefault: settings.config.seccompDefault ?? true },
    hostImagePaths: settings.hostImagePaths,
    imageFolders: settings.imageFolders,
    privateFolders: own,
    now: Date.now,
    uptime: () => performance.now(),
    report: (error) => log('the container runtime', error),
  });
  return { runtime, podsCgroup };
};
