/** Finds a cluster's signing key, its id and its address. */
import type { KeySet } from '../../shared/adapters/secrets/key-set.ts';
import { parseKeySet } from '../../shared/adapters/secrets/key-set.ts';
import type { SigningAuthority } from '../../shared/apiserver/access/authentication.ts';
import { DEFAULT_CLUSTER_ID } from '../../shared/settings/settings.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, reasonOf } from '../shell/command.ts';

export interface ClusterOptions {
  readonly keyFile?: string | undefined;
  readonly secretArn?: string | undefined;
  readonly clusterId?: string | undefined;
  readonly stack: string;
}

const OTHER_WAYS = 'give the key with --key-file FILE or --secret-arn ARN, or name the stack with --stack';

/** Outputs of the stack. Throws a `CommandError` if they cannot be read. */
export const readOutputs = async (
  stack: string,
  { stackOutputs }: CommandContext,
): Promise<Readonly<Record<string, string>>> => {
  try {
    return await stackOutputs(stack);
  } catch (error) {
    throw new CommandError(
      `cannot read the CloudFormation stack "${stack}": ${reasonOf(error)}. Deploy it, check AWS credentials, AWS_REGION and AWS_ENDPOINT_URL, or ${OTHER_WAYS}.`,
    );
  }
};

const fromFile = async (path: string, { readFile }: CommandContext): Promise<KeySet> => {
  let text: string;
  try {
    text = await readFile(path);
  } catch (error) {
    throw new CommandError(`cannot read the key file ${path}: ${reasonOf(error)}`);
  }
  return parsed(text, path);
};

const fromSecret = async (arn: string, { readSecret }: CommandContext): Promise<KeySet> => {
  let text: string;
  try {
    text = await readSecret(arn);
  } catch (error) {
    throw new CommandError(
      `cannot read the secret ${arn}: ${reasonOf(error)}. Your AWS identity needs secretsmanager:GetSecretValue on it.`,
    );
  }
  return parsed(text, arn);
};

const parsed = (text: string, where: string): KeySet => {
  try {
    return parseKeySet(text, where);
  } catch (error) {
    throw new CommandError(reasonOf(error));
  }
};

const findKeys = async (options: ClusterOptions, context: CommandContext) => {
  if (options.keyFile !== undefined)
    return { keys: await fromFile(options.keyFile, context), clusterId: undefined };
  const arn = options.secretArn ?? context.env['ROLLCALL_SECRET_ARN'];
  if (arn) return { keys: await fromSecret(arn, context), clusterId: undefined };
  const outputs = await readOutputs(options.stack, context);
  const found = outputs['SigningKeySecretArn'];
  if (!found)
    throw new CommandError(
      `the stack "${options.stack}" has no output SigningKeySecretArn; is it Rollcall's? Otherwise ${OTHER_WAYS}.`,
    );
  return { keys: await fromSecret(found, context), clusterId: outputs['TokenIssuer'] };
};

/** The signing authority of the cluster. Throws a `CommandError` that names the remedy. */
export const findAuthority = async (
  options: ClusterOptions,
  context: CommandContext,
): Promise<SigningAuthority> => {
  const { keys, clusterId } = await findKeys(options, context);
  return {
    clusterId: options.clusterId ?? context.env['ROLLCALL_CLUSTER_ID'] ?? clusterId ?? DEFAULT_CLUSTER_ID,
    signingKeys: { current: async () => keys.current },
  };
};

/** Address of the API: the one given, or the stack's. Throws a `CommandError` that names the remedy. */
export const findServer = async (
  { server, stack }: { readonly server?: string | undefined; readonly stack: string },
  context: CommandContext,
): Promise<string> => {
  const url = server ?? (await readOutputs(stack, context))['ApiUrl'];
  if (url) return url;
  throw new CommandError(
    `the stack "${stack}" has no output ApiUrl; give the API's address with --server URL`,
  );
};
