/** `rollcall agent install`, `uninstall`, `status` and `logs`. */
import { join, resolve } from 'node:path';
import { statusOf } from '../../agent/adapters/instance.ts';
import { replaceFile } from '../../agent/adapters/replace-file.ts';
import { AGENT_SERVICE, createSystemd } from '../../agent/adapters/systemd.ts';
import { AGENT_FLAGS } from '../../agent/config/agent-settings.ts';
import type { ServiceManager } from '../../agent/ports/machine/service-manager.ts';
import { rootOfUnit, unitText } from '../../agent/rules/machine/unit-text.ts';
import { isExecutable, SMALL_HEAP } from '../../bundling/heap.ts';
import { checkSystemd, orSudo } from '../service/as-root.ts';
import { printJournal } from '../service/journal.ts';
import { serviceProgram } from '../service/program.ts';
import { CommandError, type LocalContext, parseCommandLine, reasonOf } from '../shell/command.ts';
import { type AgentArguments, defaultRoot, readAgentArguments } from './agent-options.ts';
import { readAgentSettings } from './agent-settings.ts';
import { agentStatusIn, statusText } from './agent-status.ts';
import { INSTALLED_TOKEN } from './installed-token.ts';
import { makeRootFolder } from './root-folder.ts';

/** Secrets and files of the command line move to the root folder, so that the unit has none. */
const keep = async (given: AgentArguments): Promise<readonly string[]> => {
  const root = given.rootDirectory;
  await makeRootFolder(root);
  const options: string[] = ['--root-dir', root, '--server', given.server];
  const file = async (flag: string, name: string, text: string | undefined, mode: number): Promise<void> => {
    if (text === undefined) return;
    await replaceFile(join(root, name), text, mode);
    options.push(`--${flag}`, join(root, name));
  };
  await file('ca', 'ca.crt', given.ca, 0o644);
  await file('bootstrap-token-file', INSTALLED_TOKEN, given.bootstrapToken, 0o600);
  await file('config', 'kubelet.yaml', given.config?.text, 0o644);
  for (const url of given.heartbeatServers ?? []) options.push('--heartbeat-server', url);
  return options;
};

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]);

/** The file of the variables that the service is started with; those of this terminal that name proxies. */
const keepEnvironment = async ({ rootDirectory }: AgentArguments, { env }: LocalContext): Promise<string> => {
  const file = join(rootDirectory, 'environment');
  const lines = PROXIES.flatMap((name) => {
    const value = env[name];
    return value ? [`${name}="${value.replaceAll(/["\\$`]/g, '\\$&')}"\n`] : [];
  });
  await replaceFile(file, lines.join(''), 0o600);
  return file;
};

const plainFlags = ({ flags, tokenLifeMs }: AgentArguments): readonly string[] => [
  `--token-ttl=${tokenLifeMs / 1000}s`,
  ...(flags.unisolated ? ['--unisolated'] : []),
  ...AGENT_FLAGS.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name}=${value}`];
  }),
];

/** One service of a machine has one agent: that of another root folder must not lose its service unseen. */
const checkOther = async (root: string, systemd: ServiceManager): Promise<void> => {
  const unit = await systemd.installed();
  const other = unit === undefined ? undefined : rootOfUnit(unit);
  if (other === undefined || other === resolve(root)) return;
  throw new CommandError(
    `${AGENT_SERVICE} runs the agent of ${other} already: end it with "rollcall agent uninstall" first. Further agents of a machine are started with "rollcall agent run"`,
  );
};

export const installAgent = async (
  args: readonly string[],
  usage: string,
  context: LocalContext,
  systemd: ServiceManager = createSystemd(AGENT_SERVICE),
): Promise<void> => {
  const program = serviceProgram(process, isExecutable(), SMALL_HEAP);
  const given = await readAgentArguments(args, usage, context);
  if (given.bootstrapFault !== undefined) throw new CommandError(given.bootstrapFault);
  const { nodeName } = await readAgentSettings(given);
  await checkSystemd(systemd, 'rollcall agent run');
  await checkOther(given.rootDirectory, systemd);
  const writing = `cannot write to ${given.rootDirectory}`;
  const kept = await orSudo(writing, keep(given));
  const environment = await orSudo(writing, keepEnvironment(given, context));
  const command = [...program, 'agent', 'run', ...kept, ...plainFlags(given)];
  const unit = unitText(command, environment);
  await orSudo(`cannot install ${AGENT_SERVICE}`, systemd.install(unit));
  context.print(
    `${AGENT_SERVICE} runs the node ${nodeName}; "rollcall agent status" and "rollcall agent logs" say more. It is started with ${program.filter((word) => word.startsWith('/')).join(' and ')}: when that moves, run this again`,
  );
};

const rootIn = (args: readonly string[], usage: string, context: LocalContext): string => {
  const { values } = parseCommandLine(
    { args: [...args], options: { 'root-dir': { type: 'string' } } },
    usage,
  );
  return resolve(values['root-dir'] ?? defaultRoot(context));
};

const PODS_RUN_ON = 'its pods run on';
const PODS_ENDED = 'its pods have ended with it';
const END_PODS =
  'The pods end by "kubectl delete node NAME" while their agent runs: for that, install it again';

export const uninstallAgent = async (
  args: readonly string[],
  usage: string,
  context: LocalContext,
  systemd: ServiceManager = createSystemd(AGENT_SERVICE),
): Promise<void> => {
  const root = rootIn(args, usage, context);
  const unit = await systemd.installed();
  const isDone = await orSudo(`cannot remove ${AGENT_SERVICE}`, systemd.uninstall());
  if (!isDone) throw new CommandError(`there is no ${AGENT_SERVICE} on this machine`);
  context.print(
    `${AGENT_SERVICE} is removed, and nothing else: ${unit?.includes('"--unisolated"') ? PODS_ENDED : PODS_RUN_ON}, the Node stays, and ${root} has the node's token. ${END_PODS}`,
  );
};

export const printStatus = async (
  args: readonly string[],
  usage: string,
  context: LocalContext,
): Promise<void> => {
  const root = rootIn(args, usage, context);
  const answer = await statusOf(root).catch((error: unknown) => {
    throw new CommandError(`cannot ask the agent of ${root}: ${reasonOf(error)}. Ask as its user`);
  });
  const status = agentStatusIn(answer);
  if (status === undefined)
    throw new CommandError(`no agent answers on ${root}: see "rollcall agent logs", or give its --root-dir`);
  context.print(statusText(status, context.now()));
};

export const printLogs = (args: readonly string[]): Promise<void> => printJournal(AGENT_SERVICE, args);
