/** `rollcall agent run`. */
import { claimFolder, type Instance } from '../../agent/adapters/instance.ts';
import { findProgram } from '../../agent/adapters/linux/find-program.ts';
import { partOfMachine } from '../../agent/adapters/linux/groups/part-of-machine.ts';
import { closeInherited } from '../../agent/adapters/linux/inherited-descriptors.ts';
import { createLinuxMachine } from '../../agent/adapters/linux/machine-source.ts';
import { createSystemClock, machineTime } from '../../agent/adapters/system-clock.ts';
import { tokenFile } from '../../agent/adapters/token-file.ts';
import type { TokenStore } from '../../agent/ports/api/token-store.ts';
import { AgentFault } from '../../agent/ports/machine/agent-fault.ts';
import { type AgentOptions, runAgent } from '../../agent/program/agent-program.ts';
import { cgroupRootOf } from '../../agent/rules/stats/cgroup-layout.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { lineLog } from '../service/line-log.ts';
import { endAtUncaught } from '../service/uncaught.ts';
import { CommandError, type LocalContext } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { ownVersion } from '../shell/version.ts';
import { type AgentArguments, readAgentArguments } from './agent-options.ts';
import { machinePods } from './agent-pods.ts';
import { readAgentSettings } from './agent-settings.ts';
import type { AgentStatus } from './agent-status.ts';
import { forgetInstalledToken } from './installed-token.ts';
import { makeRootFolder } from './root-folder.ts';

/** The release of Kubernetes whose kubelet the agent behaves as. */
const KUBELET = 'v1.34.4';

const optionsOf = async (given: AgentArguments, { env }: LocalContext): Promise<AgentOptions> => {
  const { server, heartbeatServers, ca, bootstrapToken, rootDirectory, tokenLifeMs } = given;
  return {
    addresses: {
      server,
      ...optional('heartbeatServers', heartbeatServers),
      ...optional('ca', ca),
      proxies: env,
    },
    ...optional('bootstrapToken', bootstrapToken),
    settings: await readAgentSettings(given),
    rootDirectory,
    tokenLifeMs,
    agentVersion: `${KUBELET}+rollcall.${ownVersion()}`,
  };
};

const orExplained = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    throw error instanceof AgentFault ? new CommandError(printable(error.message), 3) : error;
  }
};

/** The program by which the root folder is locked. */
const findFlock = (): string => {
  const flock = findProgram('flock');
  if (flock !== undefined) return flock;
  throw new CommandError('the program flock is not on this machine: install util-linux', 2);
};

const claim = async (folder: string, status: () => AgentStatus): Promise<Instance> => {
  const claimed = await claimFolder(findFlock(), folder, status);
  if ('close' in claimed) return claimed;
  const { pid } = claimed;
  const which = pid === undefined ? '' : ` (process ${pid})`;
  throw new CommandError(`another agent${which} runs on ${folder}: stop it, or give another --root-dir`, 2);
};

/** A machine that has joined needs no bootstrap token. The file that another one waits for may come later, so that another start may help. */
const checkBootstrap = async ({ bootstrapFault }: AgentArguments, tokens: TokenStore): Promise<void> => {
  if (bootstrapFault === undefined || (await orExplained(tokens.load()))) return;
  throw new CommandError(`this machine has not joined yet, and ${bootstrapFault}`);
};

/** What `rollcall agent status` shows. */
const statusOf = (
  { settings, addresses, agentVersion, rootDirectory }: AgentOptions,
  { now }: LocalContext,
) => {
  let status: AgentStatus = {
    nodeName: settings.nodeName,
    server: addresses.server,
    version: agentVersion,
    pid: process.pid,
    startedAt: now(),
  };
  return {
    current: () => status,
    onJoined: () => {
      status = { ...status, joinedAt: now() };
    },
    onBeat: () => {
      // The node's own token counts, so what a service was installed with is of use only to a thief.
      if (status.lastBeatAt === undefined) forgetInstalledToken(rootDirectory);
      status = { ...status, lastBeatAt: now() };
    },
  };
};

/** Runs until Ctrl-C or SIGTERM. Throws a `CommandError`. */
export const runAgentHere = async (
  args: readonly string[],
  usage: string,
  context: LocalContext,
): Promise<void> => {
  endAtUncaught('rollcall agent', context);
  // Another start of the program finds nothing on standard input that this one has read.
  const words = await readAgentArguments(args, usage, context, context.startSmall);
  const given = await optionsOf(words, context);
  // A file of the command line may be one of them.
  closeInherited();
  const rootDirectory = await makeRootFolder(given.rootDirectory);
  const options = { ...given, rootDirectory };
  const { settings } = options;
  const tokens = tokenFile(rootDirectory);
  await checkBootstrap(words, tokens);
  const { current, ...news } = statusOf(options, context);
  const instance = await claim(rootDirectory, current);
  const log = lineLog(context);
  for (const note of settings.notes) log(note);
  const stop = new AbortController();
  void stopSignal().then(() => stop.abort());
  const machine = partOfMachine(createLinuxMachine(), cgroupRootOf(settings.config.cgroupRoot));
  const { createPods, close } = await machinePods(options, machine, log);
  const parts = {
    machine,
    machineTime,
    random: Math.random,
    log,
    ...news,
    createPods,
    tokens,
    clock: createSystemClock,
  };
  try {
    await orExplained(runAgent(options, parts, stop.signal));
  } finally {
    await close();
    instance.close();
  }
};
