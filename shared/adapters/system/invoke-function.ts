/** Invokes a function of a stack, and waits for its answer. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { RequestLimits } from './aws-requests.ts';

/** A function may work for a minute. A second attempt would run it again. */
export const INVOCATION_LIMITS: RequestLimits = { attempts: 1, connectMs: 5_000, requestMs: 90_000 };

interface FunctionFailure {
  readonly errorType?: string;
  readonly errorMessage?: string;
}

/** What the function returns, parsed. Rejects if the function fails, with its error, or if AWS refuses the request. */
export const invokeFunction = async (
  client: Pick<LambdaClient, 'send'>,
  functionName: string,
  event: object,
): Promise<unknown> => {
  const input = { FunctionName: functionName, Payload: JSON.stringify(event) };
  const { FunctionError: failed, Payload: bytes } = await client.send(new InvokeCommand(input));
  const text = bytes === undefined ? '' : Buffer.from(bytes).toString();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (failed === undefined) return answer;
  const { errorType = failed, errorMessage = 'it says no more' } = (answer ?? {}) as FunctionFailure;
  throw new Error(`the function has failed: ${errorType}: ${errorMessage}`);
};
