/** `rollcall agent`: makes this machine a node. */

import { helpText } from '../options/help-text.ts';
import { type LocalContext, misuse, parseCommandLine } from '../shell/command.ts';
import { RUN_OPTIONS } from './agent-options.ts';

/** What the command takes. */
export const OPTIONS = RUN_OPTIONS;

export const usage = helpText({
  lines: [
    'rollcall agent run --server URL [options]',
    'rollcall agent install --server URL [options]',
    'rollcall agent status | logs | uninstall [--root-dir FOLDER]',
  ],
  about: [
    'Makes this machine a node: registers it, beats, reports its status and runs its pods. On the machine of the control plane, "rollcall token --bootstrap --print-join" prints the whole line.',
  ],
  words: [
    ['run', 'does so until it is stopped'],
    ['install', 'does so as a service of systemd, from now on and after each start of the machine'],
    ['uninstall', 'ends the service; pods that run go on, and the Node stays'],
    ['status', 'says how the agent of this machine is'],
    ['logs', 'prints its log; options are those of journalctl'],
  ],
  options: OPTIONS,
  notes: [
    'Exit codes: 1 failure, 2 wrong setting, 3 the Node was deleted or its token is void: the machine must join anew.',
  ],
  example: 'rollcall agent run --server https://192.0.2.1:6443 --ca ca.crt --bootstrap-token-file token',
});

type Action = (args: readonly string[], usage: string, context: LocalContext) => Promise<void>;

const ACTIONS: Readonly<Record<string, () => Promise<Action>>> = {
  run: async () => (await import('./agent-run.ts')).runAgentHere,
  install: async () => (await import('./agent-service.ts')).installAgent,
  uninstall: async () => (await import('./agent-service.ts')).uninstallAgent,
  status: async () => (await import('./agent-service.ts')).printStatus,
  logs: async () => (await import('./agent-service.ts')).printLogs,
};

/** Throws a `CommandError` that says what is wrong and what to do. */
export const run = async (args: readonly string[], context: LocalContext): Promise<void> => {
  const [name = '', ...rest] = args;
  if (name.startsWith('-')) parseCommandLine({ args: [name], options: {} }, usage);
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action)
    throw misuse(name === '' ? 'say what to do, such as run' : `there is no "agent ${name}"`, usage);
  await (await action())(rest, usage, context);
};
