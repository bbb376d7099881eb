/** `rollcall explain`: says why a node, a pod or a zone is as it is, and what happens next. */

import { printable } from '../../shared/kube/text/printable.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { type ApiAccess, findApi } from '../access/api-access.ts';
import { readAnswer, readText } from '../access/api-answer.ts';
import { ROLES } from '../access/identities.ts';
import { helpText } from '../options/help-text.ts';
import { type OptionTable, outputOption } from '../options/option-table.ts';
import { CLUSTER_OPTIONS, clusterChoiceOf } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';
import { type Explanation, explanationText } from './explanation-text.ts';

/** What the command takes. */
export const OPTIONS = {
  namespace: {
    type: 'string',
    short: 'n',
    value: 'NAMESPACE',
    describe: 'namespace of the pod',
    default: 'default',
  },
  output: outputOption('text', 'json', 'yaml'),
  ...CLUSTER_OPTIONS,
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall explain (node | pod | zone) NAME [options]', 'rollcall explain KIND/NAME [options]'],
  about: [
    'Says why a node, a pod or a zone is as it is: since when, by which stored facts, what happens next, and what would change that.',
  ],
  options: OPTIONS,
  example: 'rollcall explain node a1',
});

const FORMATS: readonly string[] = OPTIONS.output.complete;
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
  { server, ca, tokens }: ApiAccess,
  path: string,
  accept: string,
  { fetch }: CommandContext,
): Promise<Response> => {
  const token = await tokens(ROLES.viewer, TOKEN_SECONDS)();
  try {
    const headers = { authorization: `Bearer ${token}`, accept };
    return await fetch(`${server}${path}`, {
      headers,
      ...optional('ca', ca),
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
  const access = await findApi(clusterChoiceOf(values), context);
  const accept = values.output === 'yaml' ? 'application/yaml' : 'application/json';
  const response = await send(access, path, accept, context);
  await checkAnswer(response);
  if (values.output === 'yaml') return context.print((await readText(response)).trimEnd());
  const explanation = await readAnswer<Explanation>(response);
  context.print(
    values.output === 'json' ? JSON.stringify(explanation, undefined, 2) : explanationText(explanation),
  );
};
