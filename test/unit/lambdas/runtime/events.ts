import { readFileSync } from 'node:fs';
import type { Context } from 'aws-lambda';

/** A recorded event of `test/support/events`. */
export const eventOf = <Event>(name: string): Event =>
  JSON.parse(readFileSync(new URL(`../../../support/events/${name}.json`, import.meta.url), 'utf8'));

/** The context of an invocation with time left, in ms. */
export const contextWith = (remainingMs = 30_000): Context => ({
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'function',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-west-1:111122223333:function:function',
  memoryLimitInMB: '256',
  awsRequestId: '0f7b1c3d-0000-4000-8000-000000000000',
  logGroupName: 'group',
  logStreamName: 'stream',
  getRemainingTimeInMillis: () => remainingMs,
  done: () => {},
  fail: () => {},
  succeed: () => {},
});
