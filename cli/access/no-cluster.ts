/** What each command says that finds no cluster to work on. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { CommandContext } from '../shell/command.ts';
import { CommandError } from '../shell/command.ts';
import { OWN_NAME } from '../shell/own-name.ts';

/** Options by which a command line may choose a cluster. */
export type ClusterWay = 'folder' | 'kubeconfig' | 'stack' | 'key-file' | 'secret-arn' | 'server';

/** Those of commands that only ask the API, and of those that need keys or files of the cluster. */
export const WAYS_OF_API: readonly ClusterWay[] = ['folder', 'kubeconfig', 'stack'];
export const WAYS_OF_KEYS: readonly ClusterWay[] = ['folder', 'stack', 'key-file'];

const shortOf = (folder: string): string => {
  const short = relative(process.cwd(), folder);
  return short === '' || short.startsWith('..') ? folder : short;
};

const listed = (flags: readonly string[]): string =>
  flags.length === 1 ? (flags[0] ?? '') : `${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`;

/** The error: where a host was looked for, and what to do. `ways`: the options that the command has. */
export const noHost = (folder: string, ways: readonly ClusterWay[]): CommandError =>
  new CommandError(
    `no host is running in ${shortOf(folder)}: start it with npm start or ${OWN_NAME} serve, or give ${listed(ways.map((way) => `--${way}`))}`,
  );

/** The error of a command that reads the state of a host, which need not run. */
export const noState = (folder: string): CommandError =>
  new CommandError(`there is no state of a host in ${shortOf(folder)}: give the folder of one with --folder`);

/** Variables that show that AWS, or LocalStack, is used from this shell. */
const AWS_VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_CONFIG_FILE',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'ROLLCALL_SECRET_ARN',
];

/** Whether there are settings of AWS, in variables or in files. Without them a stack is looked for only by its name. */
export const hasAwsSettings = ({ env }: Pick<CommandContext, 'env'>): boolean =>
  AWS_VARIABLES.some((name) => (env[name] ?? '') !== '') ||
  ['config', 'credentials'].some((name) => existsSync(join(env['HOME'] ?? '/nonexistent', '.aws', name)));
