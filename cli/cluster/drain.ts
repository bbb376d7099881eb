/** `rollcall drain`: asks the control plane to empty a node, and may wait until it has. */
import { findApi } from '../access/api-access.ts';
import { askAboutNode, type NodeAccess } from '../access/api-requests.ts';
import { ROLES } from '../access/identities.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, clusterChoiceOf } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';

const PODS = 'Pods';

/** What the command takes. */
export const OPTIONS = {
  wait: {
    type: 'boolean',
    describe: 'wait until the node is drained, and print what holds it; Ctrl-C ends only the waiting',
  },
  'grace-period': {
    type: 'string',
    value: 'SECONDS',
    describe: 'time that each pod gets to stop (default: what the pod says)',
  },
  timeout: {
    type: 'string',
    value: 'SECONDS',
    describe: 'the drain gives up after this time (default: never)',
  },
  'delete-after': {
    type: 'string',
    value: 'SECONDS',
    describe: 'delete pods after this time, whatever their budgets say',
  },
  'disable-eviction': { type: 'boolean', describe: 'delete pods at once, whatever their budgets say' },
  reason: { type: 'string', value: 'TEXT', describe: 'shown in the request and its events' },
  force: { type: 'boolean', group: PODS, describe: 'also pods that no controller makes again' },
  'ignore-daemonsets': {
    type: 'boolean',
    group: PODS,
    describe: 'leave pods of DaemonSets; without it they are an error',
  },
  'delete-emptydir-data': {
    type: 'boolean',
    group: PODS,
    describe: 'also pods that lose the data of an emptyDir',
  },
  'pod-selector': {
    type: 'string',
    value: 'SELECTOR',
    group: PODS,
    describe: 'only pods with these labels',
  },
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall drain NODE [options]'],
  about: [
    'Cordons a node and has the control plane evict its pods, within their budgets. The drain goes on without this command. Cancel it with: kubectl uncordon NODE',
  ],
  options: OPTIONS,
  notes: ['Exit codes with --wait: 0 drained, 1 given up or cancelled, 130 Ctrl-C.'],
  example: 'rollcall drain n1 --wait --ignore-daemonsets',
});

const readArgs = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS, allowPositionals: true }, usage);

type Values = ReturnType<typeof readArgs>['values'];

const secondsOf = (name: 'grace-period' | 'timeout' | 'delete-after', values: Values): number | undefined => {
  const text = values[name];
  if (text === undefined) return undefined;
  const [, amount] = /^(\d+)s?$/.exec(text) ?? [];
  if (amount !== undefined) return Number(amount);
  throw new CommandError(`--${name} ${text} is not a number of seconds`, 2);
};

const specOf = (values: Values): object => ({
  gracePeriodSeconds: secondsOf('grace-period', values),
  timeoutSeconds: secondsOf('timeout', values),
  deleteAfterSeconds: secondsOf('delete-after', values),
  disableEviction: values['disable-eviction'],
  force: values.force,
  ignoreDaemonSets: values['ignore-daemonsets'],
  deleteEmptyDirData: values['delete-emptydir-data'],
  podSelector: values['pod-selector'],
  reason: values.reason,
});

/** Lifetime in seconds of a token of requests. */
const ERRAND_SECONDS = 60;
const POLL_MS = 2_000;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}
interface NodeAnswer {
  readonly metadata?: { readonly uid?: string };
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** A token for each request, because a drain may take longer than a token lives. */
type Access = () => Promise<NodeAccess>;

const accessOf = async (values: Values, node: string, context: CommandContext): Promise<Access> => {
  const { server, ca, tokens } = await findApi(clusterChoiceOf(values), context);
  const token = tokens(ROLES.admin, ERRAND_SECONDS);
  return async () => ({ server, ca, adminToken: await token(), node });
};

const conditionOf = ({ status }: NodeAnswer, type: string): Condition | undefined =>
  status?.conditions?.find((one) => one.type === type);

/** `undefined`: it goes on. Throws a `CommandError` for a drain that has ended otherwise. */
const isDone = (answer: NodeAnswer, node: string): true | undefined => {
  if (answer.spec?.unschedulable !== true)
    throw new CommandError(`the drain of ${node} was cancelled: the node is schedulable again`);
  const drained = conditionOf(answer, 'Drained');
  if (drained?.status === 'True') return true;
  const progress = conditionOf(answer, 'DrainInProgress');
  if (progress?.status === 'False')
    throw new CommandError(`the drain of ${node} has given up: ${progress.message ?? ''}`);
  return undefined;
};

/** Resolves to whether the node is drained; `false`: `isStopped` has said so first. */
const waitFor = async (
  access: Access,
  node: string,
  isStopped: () => boolean,
  context: CommandContext,
): Promise<boolean> => {
  let told: string | undefined;
  while (!isStopped()) {
    const request = { method: 'GET', path: ['/api/v1/nodes', ''] } as const;
    const answer = await askAboutNode<NodeAnswer>(await access(), request, context);
    if (isDone(answer, node)) return true;
    const progress = conditionOf(answer, 'DrainInProgress')?.message;
    if (progress !== undefined && progress !== told) context.print(`${node}: ${progress}`);
    told = progress;
    await context.wait(POLL_MS);
  }
  return false;
};

const watch = async (access: Access, node: string, context: CommandContext): Promise<void> => {
  let isStopped = false;
  const stopped = stopSignal().then(() => {
    isStopped = true;
    return false;
  });
  const isDrained = await Promise.race([waitFor(access, node, () => isStopped, context), stopped]);
  if (isDrained) return context.print(`${node} is drained`);
  throw new CommandError(
    `no longer waiting; the drain of ${node} goes on. Cancel it with: kubectl uncordon ${node}`,
    130,
  );
};

/** Asks for a drain. Throws a `CommandError` when the API refuses, or when the drain it waits for ends without success. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, positionals } = readArgs(args);
  const [node, ...more] = positionals;
  if (node === undefined || more.length > 0) throw misuse('give the name of one node', usage);
  const body = { kind: 'NodeDrain', apiVersion: 'rollcall.dev/v1', spec: specOf(values) };
  const access = await accessOf(values, node, context);
  const request = {
    method: 'POST',
    path: ['/api/v1/nodes', '/drain'],
    type: 'application/json',
    body,
  } as const;
  await askAboutNode(await access(), request, context);
  context.print(`${node} is cordoned and is being drained. Cancel it with: kubectl uncordon ${node}`);
  if (values.wait) await watch(access, node, context);
};
