/** Finds the cluster that a command works on: the host of a folder on this machine, or a stack. */

import { isRunning, readHostRecord } from '../../host/folder/host-record.ts';
import type { SigningAuthority } from '../../shared/apiserver/access/authentication.ts';
import { readIfThere } from '../../shared/serving/machine/files.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import type { ClusterChoice } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError } from '../shell/command.ts';
import { pathsFor, recordOf } from './host-folder.ts';
import { type ClusterWay, hasAwsSettings, noHost, WAYS_OF_API, WAYS_OF_KEYS } from './no-cluster.ts';
import { findAuthority, findServer, readOutputs } from './signing-key.ts';

export const DEFAULT_STACK = 'Rollcall';

export interface Cluster {
  /** Signs tokens that the cluster accepts. */
  readonly authority: SigningAuthority;
  /** Address of the API, without a slash at its end. */
  server(): Promise<string>;
  /** The same for other machines; absent: it is the same. */
  readonly serverForOthers?: string | undefined;
  /** Address for heartbeats. */
  heartbeat(): Promise<string>;
  /** File with the certificate authority of the server; `undefined` if it is a public one. */
  readonly caFile: string | undefined;
  /** The same authority as PEM. */
  readonly ca: string | undefined;
  /** Its settings; absent: they are not known here. */
  readonly nodeLifecycle?: NodeLifecycleConfig;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** The given folder, or else the folder of the running host unless a stack or a key is given. */
export const hostFolderOf = (choice: ClusterChoice, context: CommandContext): string | undefined => {
  const { folder, stack, keyFile, secretArn } = choice;
  if (folder !== undefined) return folder;
  if (stack ?? keyFile ?? secretArn ?? context.env['ROLLCALL_SECRET_ARN']) return undefined;
  const paths = pathsFor(undefined, context);
  const record = readHostRecord(paths.host);
  return record && isRunning(record) ? paths.folder : undefined;
};

const hostCluster = async (
  folder: string,
  { server, clusterId: given, keyFile }: ClusterChoice,
  context: CommandContext,
): Promise<Cluster> => {
  const paths = pathsFor(folder, context);
  const { url, others = [], clusterId, nodeLifecycle } = recordOf(paths, WAYS_OF_API);
  const key = { keyFile: keyFile ?? paths.signingKey, clusterId: given ?? clusterId, stack: '' };
  const address = async (): Promise<string> => withoutSlash(server ?? url);
  return {
    authority: await findAuthority(key, context),
    server: address,
    serverForOthers: server === undefined ? others[0] : undefined,
    heartbeat: address,
    caFile: paths.caCertificate,
    ca: readIfThere(paths.caCertificate),
    nodeLifecycle,
  };
};

const heartbeatOf = async (stack: string, context: CommandContext): Promise<string> => {
  const url = (await readOutputs(stack, context))['HeartbeatUrl'];
  if (url) return withoutSlash(url);
  throw new CommandError(`the stack "${stack}" has no output HeartbeatUrl; is it Rollcall's?`);
};

const hasKey = ({ keyFile, secretArn }: ClusterChoice): boolean => (keyFile ?? secretArn) !== undefined;

/** The stack of the command line. The default one is looked for only where there are settings of AWS. Throws a `CommandError`. */
const stackOf = (choice: ClusterChoice, ways: readonly ClusterWay[], context: CommandContext): string => {
  if (choice.stack !== undefined) return choice.stack;
  if (hasAwsSettings(context)) return DEFAULT_STACK;
  const { folder } = pathsFor(undefined, context);
  throw noHost(folder, hasKey(choice) ? ['folder', 'stack', 'server'] : ways);
};

/** Whoever has a key and an address needs no stack. */
const stackCluster = async (
  choice: ClusterChoice,
  ways: readonly ClusterWay[],
  context: CommandContext,
): Promise<Cluster> => {
  const { server } = choice;
  const stack = (): string => stackOf(choice, ways, context);
  return {
    authority: await findAuthority({ ...choice, stack: hasKey(choice) ? '' : stack() }, context),
    server: async () => withoutSlash(server ?? (await findServer({ stack: stack() }, context))),
    heartbeat: async () => server ?? heartbeatOf(stack(), context),
    caFile: undefined,
    ca: undefined,
  };
};

/** A kubeconfig has neither the keys nor the files of a cluster. Throws a `CommandError` if the choice is one. */
const refuseKubeconfig = ({ kubeconfig, context }: ClusterChoice): void => {
  if (kubeconfig === undefined && context === undefined) return;
  throw new CommandError(
    `this needs the keys or the files of the cluster, which a kubeconfig does not have: instead of ${kubeconfig === undefined ? '--context' : '--kubeconfig'}, give --folder, --stack, --key-file or --secret-arn`,
    2,
  );
};

/** Finds the cluster and its keys. `ways`: the options that choose one. Throws a `CommandError` that names the remedy. */
export const findCluster = async (
  choice: ClusterChoice,
  context: CommandContext,
  ways: readonly ClusterWay[] = WAYS_OF_KEYS,
): Promise<Cluster> => {
  refuseKubeconfig(choice);
  if (choice.folder !== undefined && choice.stack !== undefined)
    throw new CommandError('give either --folder or --stack, not both', 2);
  const folder = hostFolderOf(choice, context);
  return folder === undefined ? stackCluster(choice, ways, context) : hostCluster(folder, choice, context);
};
