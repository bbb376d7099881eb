/** The names that shells offer. They are asked for while somebody types: little is asked, and an error is no name. */
import { delimiter, join } from 'node:path';
import { readHostRecord } from '../../host/folder/host-record.ts';
import { readIfThere } from '../../shared/serving/machine/files.ts';
import { builtInNames } from '../../simulation/built-in.ts';
import { readAnswer } from '../access/api-answer.ts';
import { pathsFor } from '../access/host-folder.ts';
import type { CommandContext } from '../shell/command.ts';

/** Milliseconds after which nobody waits any more. */
const WITHIN_MS = 2_000;
/** Most names that are offered. */
const MOST = 500;

const PATHS: Readonly<Record<string, string>> = {
  nodes: '/api/v1/nodes',
  zones: '/apis/rollcall.dev/v1/zones',
  holds: '/apis/rollcall.dev/v1/holds',
  pods: '/api/v1/namespaces/default/pods',
};

/** The singular names of `explain`, and kubectl's short ones. */
const KINDS: Readonly<Record<string, string>> = {
  node: 'nodes',
  no: 'nodes',
  pod: 'pods',
  po: 'pods',
  zone: 'zones',
};

interface Named {
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
}

/** The value of an option among the words; `undefined`: it has none. */
const valueIn = (words: readonly string[], option: '--folder' | '--kubeconfig'): string | undefined => {
  const joined = words.find((word) => word.startsWith(`${option}=`));
  if (joined !== undefined) return joined.slice(option.length + 1);
  const index = words.indexOf(option);
  // Bash makes three words of `--folder=x`.
  return index < 0 ? undefined : words.slice(index + 1).find((word) => word !== '=');
};

/** The names that a host of this machine lists. Stacks are not asked: a shell would wait too long for AWS. */
const listed = async (
  path: string,
  words: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> => {
  const paths = pathsFor(valueIn(words, '--folder'), context);
  const [record, ca, token] = [
    readHostRecord(paths.host),
    readIfThere(paths.caCertificate),
    readIfThere(paths.adminToken),
  ];
  if (record === undefined || ca === undefined || token === undefined) return [];
  const answer = await context.fetch(`${record.url}${path}?limit=${MOST}`, {
    ca,
    signal: AbortSignal.timeout(WITHIN_MS),
    headers: { authorization: `Bearer ${token.trim()}` },
  });
  const { items = [] } = await readAnswer<Named>(answer);
  return items.map(({ metadata }) => metadata.name);
};

/** The contexts of the kubeconfig that the words name, or of those that kubectl would read. */
const contexts = async (
  words: readonly string[],
  { env, readFile }: CommandContext,
): Promise<readonly string[]> => {
  const { contextsOf } = await import('../../shared/serving/machine/kubeconfig-file.ts');
  const named = valueIn(words, '--kubeconfig') ?? env['KUBECONFIG'];
  const given = named?.split(delimiter) ?? [join(env['HOME'] ?? '', '.kube', 'config')];
  const paths = given.filter((path) => path !== '');
  const texts = await Promise.all(paths.map((path) => readFile(path).catch(() => '')));
  return texts.flatMap(contextsOf);
};

const namesOf = async (
  kind: string,
  words: readonly string[],
  context: CommandContext,
): Promise<readonly string[]> => {
  if (kind === 'scenarios') return builtInNames();
  if (kind === 'contexts') return contexts(words, context);
  const path = PATHS[kind === 'object' ? (KINDS[words.at(-1) ?? ''] ?? '') : kind];
  return path === undefined ? [] : listed(path, words, context);
};

/** `rollcall __complete KIND WORD…`: prints the names of a kind, a line each. `words`: what the line has before the one that is completed. */
export const printNames = async (
  [kind = '', ...words]: readonly string[],
  context: CommandContext,
): Promise<void> => {
  const names = await namesOf(kind, words, context).catch(() => []);
  if (names.length > 0) context.print(names.join('\n'));
};
