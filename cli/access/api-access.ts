/** Finds the API that a command asks: by a kubeconfig, with its token, or by a cluster whose keys sign tokens. */

import { issueToken, type SigningAuthority } from '../../shared/apiserver/access/authentication.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import type { ClusterChoice } from '../shell/cluster-options.ts';
import { type CommandContext, CommandError } from '../shell/command.ts';
import { type Cluster, findCluster, hostFolderOf } from './cluster.ts';
import type { Identity } from './identities.ts';
import { kubeconfigWith, readTarget } from './kubeconfig-target.ts';
import { WAYS_OF_API } from './no-cluster.ts';

/** An API, and tokens that it accepts. */
export interface ApiAccess {
  /** Address of the API, without a slash at its end. */
  readonly server: string;
  /** PEM of its certificate authority; `undefined` if it is a public one. */
  readonly ca: string | undefined;
  /** Address for heartbeats, without a slash at its end. */
  readonly heartbeat: () => Promise<string>;
  /** Returns tokens of `identity` that live for `lifeSeconds`; with a kubeconfig, its own token, whoever it names. */
  readonly tokens: (identity: Identity, lifeSeconds: number) => () => Promise<string>;
  /** The settings of the control plane; absent: they are not known here. */
  readonly nodeLifecycle?: NodeLifecycleConfig | undefined;
}

const isOtherwiseChosen = (choice: ClusterChoice): boolean =>
  [choice.folder, choice.stack, choice.keyFile, choice.secretArn, choice.clusterId, choice.server].some(
    (one) => one !== undefined,
  );

/** The kubeconfig of `--kubeconfig`, or of KUBECONFIG for `--context`. Throws a `CommandError`. */
const givenKubeconfig = (choice: ClusterChoice, context: CommandContext): string => {
  const flag = choice.kubeconfig === undefined ? '--context' : '--kubeconfig';
  if (isOtherwiseChosen(choice))
    throw new CommandError(
      `${flag} already says where the API is and with which token: leave out --folder, --stack, --key-file, --secret-arn, --cluster-id and --server`,
      2,
    );
  const path = choice.kubeconfig ?? kubeconfigWith(choice.context, context);
  if (path !== undefined) return path;
  throw new CommandError('--context needs --kubeconfig FILE, or a kubeconfig in KUBECONFIG', 2);
};

/** KUBECONFIG counts where no option and no variable chooses a cluster, and no host runs here. */
const kubeconfigFor = (choice: ClusterChoice, context: CommandContext): string | undefined => {
  if (choice.kubeconfig !== undefined || choice.context !== undefined)
    return givenKubeconfig(choice, context);
  if (isOtherwiseChosen(choice) || context.env['ROLLCALL_SECRET_ARN']) return undefined;
  return hostFolderOf(choice, context) === undefined ? kubeconfigWith(undefined, context) : undefined;
};

const accessBy = (path: string, context: string | undefined): ApiAccess => {
  const { url, ca, token } = readTarget(path, context);
  const server = url.href.replace(/\/+$/, '');
  return { server, ca, heartbeat: async () => server, tokens: () => async () => token() };
};

/** Signs a token that is valid for `lifeSeconds`, and another one when half of that time is over. */
const tokensOf = (
  authority: SigningAuthority,
  identity: Identity,
  lifeSeconds: number,
  now: () => number,
): (() => Promise<string>) => {
  const lifeMs = lifeSeconds * 1000;
  let [made, madeAt]: [Promise<string> | undefined, number] = [undefined, 0];
  return () => {
    if (made && now() - madeAt < lifeMs / 2) return made;
    madeAt = now();
    made = issueToken(authority, { ...identity, issuedAt: madeAt, expiresAt: madeAt + lifeMs });
    return made;
  };
};

const accessTo = async (cluster: Cluster, { now }: CommandContext): Promise<ApiAccess> => ({
  server: await cluster.server(),
  ca: cluster.ca,
  heartbeat: () => cluster.heartbeat(),
  tokens: (identity, lifeSeconds) => tokensOf(cluster.authority, identity, lifeSeconds, now),
  nodeLifecycle: cluster.nodeLifecycle,
});

/** Finds the API. Throws a `CommandError` that names the remedy. */
export const findApi = async (choice: ClusterChoice, context: CommandContext): Promise<ApiAccess> => {
  const path = kubeconfigFor(choice, context);
  return path === undefined
    ? accessTo(await findCluster(choice, context, WAYS_OF_API), context)
    : accessBy(path, choice.context);
};
