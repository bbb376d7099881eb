/** `rollcall explain`: says why a node, a pod or a zone is as it is, and what happens next. */

import { issueToken } from '../../shared/apiserver/access/authentication.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import { readAnswer } from '../access/api-answer.ts';
import { type Cluster, findCluster } from '../access/cluster.ts';
import { ROLES } from '../access/token.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { type Explanation, explanationText } from './explanation-text.ts';

export const usage = `Usage: rollcall explain (node | pod | zone) NAME [options]
       rollcall explain KIND/NAME [options]

Says why a node, a pod or a zone is as it is: since when, by which stored facts, what happens next, and what would
change that.

  -n, --namespace NAME  namespace of the pod (default: default)
  -o, --output FORMAT   text, json or yaml (default: text)
  --folder FOLDER       the host of this folder (default: .rollcall, if its host runs)
  --stack NAME          this stack (default if no host runs: Rollcall)
  --key-file FILE       sign the token of the request with the keys in this file, JSON
  --secret-arn ARN      sign it with the keys in this secret (ROLLCALL_SECRET_ARN)
  --cluster-id ID       issuer of the token (ROLLCALL_CLUSTER_ID)
  --server URL          address of the API (default: that of the host or the stack)

Example: rollcall explain node a1`;

/** What the command takes. */
export const OPTIONS = {
  namespace: { type: 'string', short: 'n', default: 'default' },
  output: { type: 'string', short: 'o', default: 'text' },
  folder: { type: 'string' },
  stack: { type: 'string' },
  'key-file': { type: 'string' },
  'secret-arn': { type: 'string' },
  'cluster-id': { type: 'string' },
  server: { type: 'string' },
} as const;

const FORMATS: readonly string[] = ['text', 'json', 'yaml'];
/** Seconds for which the token of the request is valid. */
const TOKEN_SECONDS = 60;

const read = (args: readonly string[]) => {
  const { values, positionals } = parseCommandLine(
    { args: [...args], options: OPTIONS, allowPositionals: true },
    usage,
  );
  // Also as `kubectl get -o name` prints it: pod/web-0.
  const [first = '', ...others] = positionals;
  const [kind = '', name = '', ...rest] = [...first.split('/'), ...others];
  if (name === '' || rest.length > 0) throw misuse('give the kind and the name of one object', usage);
  if (!FORMATS.includes(values.output))
    throw misuse(`--output ${values.output} is none of text, json and yaml`, usage);
  return { values, kind, name };
};

/** The path of the explanation, by the name of the kind or its plural. */
const pathOf = (kind: string, name: string, namespace: string): string => {
  const [of, within] = [encodeURIComponent(name), encodeURIComponent(namespace)];
  switch (kind.toLowerCase().replace(/s$/, '')) {
    case 'node':
    case 'no':
      return `/api/v1/nodes/${of}/explain`;
    case 'pod':
    case 'po':
      return `/api/v1/namespaces/${within}/pods/${of}/explain`;
    case 'zone':
      return `/apis/rollcall.dev/v1/zones/${of}/explain`;
    default:
      throw misuse(`"${kind}" is none of node, pod and zone`, usage);
  }
};

const send = async (
  cluster: Cluster,
  path: string,
  accept: string,
  { fetch, now }: CommandContext,
): Promise<Response> => {
  const server = await cluster.server();
  const times = { issuedAt: now(), expiresAt: now() + TOKEN_SECONDS * 1000 };
  const token = await issueToken(cluster.authority, { ...ROLES.viewer, ...times });
  try {
    const headers = { authorization: `Bearer ${token}`, accept };
    return await fetch(`${server}${path}`, {
      headers,
      ...(cluster.ca === undefined ? {} : { ca: cluster.ca }),
    });
  } catch (error) {
    throw new CommandError(`the API at ${server} does not answer: ${reasonOf(error)}`);
  }
};

const checkAnswer = async (response: Response): Promise<void> => {
  if (response.ok) return;
  const { message = 'no reason given' } = await readAnswer<object>(response);
  throw new CommandError(`the API answered ${response.status}: ${printable(message)}`);
};

/** Prints an explanation. Throws a `CommandError` if there is no such object, or if the API does not answer. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, kind, name } = read(args);
  const path = pathOf(kind, name, values.namespace);
  const cluster = await findCluster(
    {
      ...{ folder: values.folder, stack: values.stack, keyFile: values['key-file'] },
      ...{ secretArn: values['secret-arn'], clusterId: values['cluster-id'], server: values.server },
    },
    context,
  );
  const accept = values.output === 'yaml' ? 'application/yaml' : 'application/json';
  const response = await send(cluster, path, accept, context);
  await checkAnswer(response);
  if (values.output === 'yaml') return context.print((await response.text()).trimEnd());
  const explanation = await readAnswer<Explanation>(response);
  context.print(
    values.output === 'json' ? JSON.stringify(explanation, undefined, 2) : explanationText(explanation),
  );
};
