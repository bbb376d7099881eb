/** The logs of the functions, as LocalStack keeps them. */
import { profile } from './deployment.ts';

/** Asked without an SDK: nothing else needs CloudWatch Logs. LocalStack finds the service by the credential, and checks no signature. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/logs/aws4_request, SignedHeaders=host, Signature=none';

const ask = async <T>(operation: string, parameters: object): Promise<T> => {
  const answer = await fetch(process.env['AWS_ENDPOINT_URL'] ?? '', {
    method: 'POST',
    headers: {
      authorization: AUTHORIZATION,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `Logs_20140328.${operation}`,
    },
    body: JSON.stringify(parameters),
  });
  if (!answer.ok) throw new Error(`${operation}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
};

interface Groups {
  readonly logGroups: readonly { readonly logGroupName: string }[];
}

interface Events {
  readonly events: readonly { readonly message: string }[];
  readonly nextToken?: string;
}

const linesOf = async (logGroupName: string, startTime: number): Promise<readonly string[]> => {
  const lines: string[] = [];
  let nextToken: string | undefined;
  do {
    const page: Events = await ask('FilterLogEvents', {
      logGroupName,
      startTime,
      ...(nextToken ? { nextToken } : {}),
    });
    lines.push(...page.events.map(({ message }) => message));
    nextToken = page.events.length === 0 ? undefined : page.nextToken;
  } while (nextToken !== undefined);
  return lines;
};

/** All lines since an instant (ms) of the functions whose name has `text`. */
export const functionLogs = async (text: string, since: number): Promise<readonly string[]> => {
  const logGroupNamePrefix = `/aws/lambda/${profile.stackName}-`;
  const { logGroups } = await ask<Groups>('DescribeLogGroups', { logGroupNamePrefix });
  const names = logGroups.map(({ logGroupName }) => logGroupName).filter((name) => name.includes(text));
  return (await Promise.all(names.map((name) => linesOf(name, since)))).flat();
};
