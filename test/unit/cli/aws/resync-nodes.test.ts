import type { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { invokeFunction } from '../../../../shared/adapters/system/invoke-function.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

type Outputs = Readonly<Record<string, string>>;

const OUTPUTS = { RouterName: 'Rollcall-ChangeRouter-1' };
const FAILED = {
  StatusCode: 200,
  FunctionError: 'Unhandled',
  Payload: { errorType: 'AggregateError', errorMessage: 'messages are lost of the queues pods' },
};

/** Runs the command with a client that records what it is asked. */
const run = async (line: string, outputs: Outputs | Error, answer: object | Error) => {
  const asked: unknown[] = [];
  const client = {
    send: async ({ input }: InvokeCommand) => {
      asked.push({ ...input, Payload: JSON.parse(input.Payload as string) });
      if (answer instanceof Error) throw answer;
      const { Payload: payload, ...others } = answer as { readonly Payload?: object };
      return { ...others, Payload: new TextEncoder().encode(JSON.stringify(payload)) };
    },
  } as unknown as Pick<LambdaClient, 'send'>;
  const result = await runCommandLine(line, {
    invoke: (name, event) => invokeFunction(client, name, event),
    stackOutputs: async () => (outputs instanceof Error ? Promise.reject(outputs) : outputs),
  });
  return { ...result, asked };
};

const LINE = 'aws resync --stack Rollcall';

describe('rollcall aws resync', () => {
  it('invokes the change router once as its rule does, and prints what was sent', async () => {
    const answer = { StatusCode: 200, Payload: { nodes: 42, messages: 17 } };
    const { code, printed, asked } = await run(LINE, OUTPUTS, answer);
    expect(asked).toEqual([{ FunctionName: 'Rollcall-ChangeRouter-1', Payload: { source: 'rollcall.aws' } }]);
    expect([code, printed]).toEqual([0, '42 nodes were looked at, and 17 messages were sent']);
  });

  it.each<[string, string, Outputs | Error, object | Error, number, RegExp, number]>([
    [
      'that queues could not be reached',
      LINE,
      OUTPUTS,
      FAILED,
      1,
      /failed: the function has failed: AggregateError: messages are lost of the queues pods\. It may be run again; the log of Rollcall-ChangeRouter-1/,
      1,
    ],
    [
      'that AWS refuses',
      LINE,
      OUTPUTS,
      new Error('not authorized to perform: lambda:InvokeFunction'),
      1,
      /not authorized to perform: lambda:InvokeFunction/,
      1,
    ],
    ['a paused stack', LINE, { ...OUTPUTS, Paused: 'true' }, {}, 1, /is paused, and nobody handles/, 0],
    ['a stack of an earlier version', LINE, {}, {}, 1, /no output RouterName: deploy this version/, 0],
    ['a stack that cannot be read', LINE, new Error('AccessDenied'), {}, 1, /cannot read .*AccessDenied/, 0],
    ['a generation', `${LINE} --generation 2`, OUTPUTS, {}, 2, /resync takes no --generation/, 0],
    ['an instant', `${LINE} --at 2026-03-10T12:00:00Z`, OUTPUTS, {}, 2, /give --at to restore, and only/, 0],
  ])('says of %s', async (_what, line, outputs, answer, wanted, words, calls) => {
    const { code, complaint, asked } = await run(line, outputs, answer);
    expect(complaint).toMatch(words);
    expect([code, asked.length]).toEqual([wanted, calls]);
  });
});
