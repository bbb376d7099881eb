import { limited, OPERATOR_LIMITS } from '../../shared/adapters/system/aws-requests.ts';
import { createTransport, isLoopbackName } from '../../shared/client/transport.ts';
import { COMMAND } from '../../shared/kube/json/answer-bounds.ts';
import { readBoundedText } from '../../shared/kube/json/bounded-answer.ts';
import type { CommandContext } from './command.ts';
import { localContext } from './local-context.ts';

/** Somebody waits at a terminal, so that an address without an answer must not hold a command up. */
const BOUNDED = limited(OPERATOR_LIMITS);

type Init = NonNullable<Parameters<CommandContext['fetch']>[1]>;

// The SDK loads slowly, so only commands that call AWS load it. It reads AWS_ENDPOINT_URL and AWS_REGION itself.
const readSecretOf = async (arn: string): Promise<string> => {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { readSecret } = await import('../../shared/adapters/secrets/signing-keys.ts');
  return readSecret(new SecretsManagerClient(BOUNDED), arn);
};

const writeSecretOf = async (arn: string, text: string): Promise<void> => {
  const { PutSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  await new SecretsManagerClient(BOUNDED).send(
    new PutSecretValueCommand({ SecretId: arn, SecretString: text }),
  );
};

const stackOutputsOf = async (stack: string): Promise<Readonly<Record<string, string>>> => {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const { Stacks = [] } = await new CloudFormationClient(BOUNDED).send(
    new DescribeStacksCommand({ StackName: stack }),
  );
  const outputs = Stacks[0]?.Outputs ?? [];
  return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
};

const tablesOfAccount: CommandContext['tables'] = async () => {
  const { DynamoDBClient } = await import('@aws-sdk/client-dynamodb');
  const { createStackTables } = await import('../../shared/adapters/dynamodb/upkeep/restore/stack-tables.ts');
  return createStackTables(new DynamoDBClient(BOUNDED));
};

const invokeOf: CommandContext['invoke'] = async (functionName, event) => {
  const { LambdaClient } = await import('@aws-sdk/client-lambda');
  const { INVOCATION_LIMITS, invokeFunction } = await import(
    '../../shared/adapters/system/invoke-function.ts'
  );
  return invokeFunction(new LambdaClient(limited(INVOCATION_LIMITS)), functionName, event);
};

const send = async (url: URL, { method = 'GET', headers, body, ca, signal }: Init): Promise<Response> => {
  const transport = createTransport({ url: new URL(url.origin), ca, maxSockets: 1 });
  try {
    const answer = await transport.send({
      method,
      path: `${url.pathname}${url.search}`,
      signal: signal ?? undefined,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' ? { body: Buffer.from(body) } : {}),
    });
    return new Response(await readBoundedText(answer, COMMAND), { status: answer.statusCode ?? 500 });
  } finally {
    transport.close();
  }
};

/** Milliseconds for a whole answer, unless the command has a limit of its own. */
const WHOLE_MS = 120_000;

/** `fetch` that also resolves names below `localhost`, and trusts the certificate authority `ca`. It follows no redirects. */
const fetchByName: CommandContext['fetch'] = (input, given = {}) => {
  const url = new URL(input);
  const init = { ...given, signal: given.signal ?? AbortSignal.timeout(WHOLE_MS) };
  const isOwn = isLoopbackName(url) || init.ca !== undefined;
  return isOwn ? send(url, init) : fetch(input, { ...init, redirect: 'manual' });
};

/** The context of a command that runs in a shell. */
export const processContext: CommandContext = {
  ...localContext,
  readSecret: readSecretOf,
  writeSecret: writeSecretOf,
  stackOutputs: stackOutputsOf,
  tables: tablesOfAccount,
  invoke: invokeOf,
  fetch: fetchByName,
};
