/** `rollcall top`: the fleet on the terminal, live, for any cluster of Rollcall. */

import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import { printableLines } from '../../shared/kube/text/printable.ts';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import { readKubeconfig } from '../../shared/serving/machine/read-kubeconfig.ts';
import { type ApiTarget, connectApi } from '../../terminal/top/connect.ts';
import { showOnTerminal } from '../../terminal/top/show-on-terminal.ts';
import { tellChanges } from '../../terminal/top/tell-changes.ts';
import { findCluster } from '../access/cluster.ts';
import { ROLES } from '../access/token.ts';
import { hasColours } from '../shell/colours.ts';
import { type CommandContext, CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { stopSignal } from '../shell/stop-signal.ts';
import { type Explanation, explanationText } from './explanation-text.ts';

export const usage = `Usage: rollcall top [options]

Shows the fleet on the terminal and follows it by watches: a letter for each node, the zones with their waiting lines,
what happens next, when and why. Piped, it prints the zones and then each change as a line.

  --kubeconfig FILE     the cluster of this kubeconfig
    --context CONTEXT   another context of it than the current one
  --folder FOLDER       the host of this folder (default: .rollcall, if its host runs)
  --stack NAME          this stack (default if no host runs: Rollcall)
  --key-file FILE       sign the token of the requests with the keys in this file, JSON
  --secret-arn ARN      sign it with the keys in this secret (ROLLCALL_SECRET_ARN)
  --cluster-id ID       issuer of the token (ROLLCALL_CLUSTER_ID)
  --server URL          address of the API (default: that of the host or the stack)
  --no-beats            do not follow Leases, which costs reads on AWS: late nodes are not seen before they are Unknown
  --no-color            no colours (NO_COLOR)

Keys: q quit, j/k or arrows choose, Enter open, Esc back, / filter.

Example: rollcall top --kubeconfig .rollcall/kubeconfig`;

export const OPTIONS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
  folder: { type: 'string' },
  stack: { type: 'string' },
  'key-file': { type: 'string' },
  'secret-arn': { type: 'string' },
  'cluster-id': { type: 'string' },
  server: { type: 'string' },
  'no-beats': { type: 'boolean', default: false },
  'no-color': { type: 'boolean', default: false },
} as const;

const readValues = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS }, usage).values;

type Values = ReturnType<typeof readValues>;

/** Seconds for which a token is valid, and before whose end another one is made. */
const TOKEN_SECONDS = 600;
const RENEW_SECONDS = 300;

const kubeconfigTarget = (path: string, context: string | undefined): ApiTarget => {
  try {
    const { url, ca, token } = readKubeconfig(path, context);
    return { url, ca, token: async () => token() };
  } catch (error) {
    if (error instanceof HostProblem) throw new CommandError(error.message);
    throw new CommandError(`cannot read the kubeconfig: ${reasonOf(error)}`);
  }
};

const clusterTarget = async (values: Values, context: CommandContext): Promise<ApiTarget> => {
  const cluster = await findCluster(
    {
      ...{ folder: values.folder, stack: values.stack, keyFile: values['key-file'] },
      ...{ secretArn: values['secret-arn'], clusterId: values['cluster-id'], server: values.server },
    },
    context,
  );
  const server = await cluster.server();
  const url = URL.parse(server);
  if (!url) throw new CommandError(`--server ${server} is not an address; write it as https://host`, 2);
  let made = { token: '', until: 0 };
  const token = async (): Promise<string> => {
    const now = context.now();
    if (now < made.until) return made.token;
    const times = { issuedAt: now, expiresAt: now + TOKEN_SECONDS * 1000 };
    const fresh = await issueToken(cluster.authority, { ...ROLES.viewer, ...times });
    made = { token: fresh, until: now + RENEW_SECONDS * 1000 };
    return fresh;
  };
  return { url, ca: cluster.ca, token };
};

const targetOf = (values: Values, context: CommandContext): Promise<ApiTarget> | ApiTarget => {
  if (values.kubeconfig !== undefined) return kubeconfigTarget(values.kubeconfig, values.context);
  if (values.context !== undefined) throw misuse('--context needs --kubeconfig FILE', usage);
  return clusterTarget(values, context);
};

const explained = (body: string): readonly string[] =>
  printableLines(explanationText(JSON.parse(body) as Explanation)).split('\n');

/** Shows the fleet until a key or a signal ends that. Throws a `CommandError` if there is no cluster. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const values = readValues(args);
  const target = await targetOf(values, context);
  const connect = (onChange: () => void) => connectApi(target, onChange);
  const hasBeats = !values['no-beats'];
  const deps = { connect, server: target.url.origin, now: context.now, hasBeats };
  if (process.stdout.isTTY && process.stdin.isTTY)
    await showOnTerminal({ ...deps, explained, hasColours: !values['no-color'] && hasColours(context) });
  else {
    const ended = new AbortController();
    const stopped = stopSignal().then(() => ended.abort());
    await tellChanges({ ...deps, print: context.print, signal: ended.signal });
    await stopped;
  }
};
