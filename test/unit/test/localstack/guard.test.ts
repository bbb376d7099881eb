import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from '../../../localstack/guard/faults.ts';
import type { Statement } from '../../../localstack/guard/policy.ts';
import { createRoles, type Roles } from '../../../localstack/guard/roles.ts';
import { readSeen } from '../../../localstack/guard/seen.ts';
import { startGuard } from '../../../localstack/guard/server.ts';

const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:Rollcall-ticks';
const POLICY = {
  Statement: [
    { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: QUEUE },
    {
      Effect: 'Allow',
      Action: 'dynamodb:GetItem',
      Resource: 'arn:aws:dynamodb:us-east-1:000000000000:table/t',
    },
  ],
};

/** As LocalStack answers. */
const iamAnswer = (action: string | null): string =>
  action === 'ListRolePolicies'
    ? '<ListRolePoliciesResult><PolicyNames><member>Default</member></PolicyNames></ListRolePoliciesResult>'
    : `<GetRolePolicyResult><PolicyDocument>${encodeURIComponent(JSON.stringify(POLICY))}</PolicyDocument></GetRolePolicyResult>`;

const serviceOf = ({ headers }: IncomingMessage): string => String(headers.authorization).split('/')[3] ?? '';

const sign = (key: string, service: string): string =>
  `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

const ALL: readonly Statement[] = [{ Effect: 'Allow', Action: '*', Resource: '*' }];

/** Roles of functions that may do the same for ever; `recent`: what they could do some seconds ago. */
const rolesWith = (present: readonly Statement[], recent = present): Roles => ({
  recent: async () => recent,
  present: async () => present,
});

describe('the guard', () => {
  let answered: object = {};
  const reached: { path: string | undefined; authorization: string | undefined; body: string }[] = [];
  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const body = await text(message);
    if (message.url?.startsWith('/2015-03-31/functions/Rollcall-x/'))
      return response.end(JSON.stringify({ Role: 'arn:aws:iam::000000000000:role/Rollcall-XRole' }));
    if (serviceOf(message) === 'iam') return response.end(iamAnswer(new URLSearchParams(body).get('Action')));
    reached.push({ path: message.url, authorization: message.headers.authorization, body });
    if (serviceOf(message) === 'dynamodb') return response.end(JSON.stringify(answered));
    return response.writeHead(201, { 'x-answer': 'yes' }).end('done');
  };
  const upstream = createServer((message, response) => void serve(message, response));
  let guard: Awaited<ReturnType<typeof startGuard>>;
  let url = '';
  let port = 0;

  const ask = (key: string, service: string, target: string, body: object, base = url) =>
    fetch(base, {
      method: 'POST',
      headers: { authorization: sign(key, service), 'x-amz-target': target },
      body: JSON.stringify(body),
    });
  const send = (queue: string, key = 'fn-Rollcall-x', base = url) =>
    ask(
      key,
      'sqs',
      'AmazonSQS.SendMessage',
      { QueueUrl: `http://h/000000000000/${queue}`, MessageBody: 'm' },
      base,
    );

  const withGuard = async <T>(
    { roles = rolesWith(ALL), ...deps }: { readonly roles?: Roles; readonly drawFault?: () => Fault },
    work: (url: string) => Promise<T>,
  ): Promise<T> => {
    const other = await startGuard({ port, roles, ...deps });
    try {
      return await work(`http://127.0.0.1:${other.port}`);
    } finally {
      other.server.close();
      other.server.closeAllConnections();
    }
  };
  const withFault = <T>(fault: Fault, work: (url: string) => Promise<T>): Promise<T> =>
    withGuard({ drawFault: () => fault }, work);

  beforeAll(async () => {
    upstream.listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    ({ port } = upstream.address() as AddressInfo);
    guard = await startGuard({ port, roles: createRoles(`http://127.0.0.1:${port}`) });
    url = `http://127.0.0.1:${guard.port}`;
  });
  afterAll(() => {
    for (const server of [guard.server, upstream]) {
      server.close();
      server.closeAllConnections();
    }
  });
  beforeEach(() => {
    reached.length = 0;
  });

  it('passes on what the role of the function allows, and counts it', async () => {
    const answer = await send('Rollcall-ticks');
    expect([answer.status, answer.headers.get('x-answer'), await answer.text()]).toEqual([
      201,
      'yes',
      'done',
    ]);
    expect(reached).toMatchObject([{ path: '/', authorization: sign('test', 'sqs') }]);
    expect((await readSeen(url)).calls[`Rollcall-x sqs:SendMessage ${QUEUE}`]).toBe(1);
  });

  it('sends a request again whose connection was closed while it was idle', async () => {
    const used = new Set<unknown>();
    const closing = createServer(({ socket }, response) => {
      if (used.has(socket)) return socket.destroy();
      used.add(socket);
      return response.end('done');
    }).listen(0, '127.0.0.1');
    await once(closing, 'listening');
    const { port: closingPort } = closing.address() as AddressInfo;
    const { server, port: ownPort } = await startGuard({ port: closingPort, roles: rolesWith([]) });
    for (const _request of [1, 2]) {
      const answer = await fetch(`http://127.0.0.1:${ownPort}/`, { method: 'POST', body: '{}' });
      expect(await answer.text()).toBe('done');
    }
    expect(used.size).toBe(2);
    for (const one of [server, closing]) {
      one.close();
      one.closeAllConnections();
    }
  });

  it('reads a policy again before it refuses: a deploy may have changed it', async () => {
    const granted = { roles: rolesWith(ALL, []) };
    const answer = await withGuard(granted, (base) => send('Rollcall-ticks', 'fn-Rollcall-x', base));
    expect(answer.status).toBe(201);
    const taken = { roles: rolesWith([], []) };
    expect((await withGuard(taken, (base) => send('Rollcall-ticks', 'fn-Rollcall-x', base))).status).toBe(
      400,
    );
  });

  it('refuses the rest as AWS does, and remembers it', async () => {
    const answer = await send('Rollcall-other');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ __type: 'com.amazon.coral.service#AccessDeniedException' });
    expect(reached).toEqual([]);
    expect((await readSeen(url)).refusals).toEqual([
      {
        functionName: 'Rollcall-x',
        action: 'sqs:SendMessage',
        resource: QUEUE.replace('ticks', 'other'),
        why: 'no identity-based policy allows the sqs:SendMessage action',
      },
    ]);
  });

  it('refuses what is beyond a limit of AWS', async () => {
    const QueueUrl = 'http://h/000000000000/Rollcall-ticks';
    const late = { QueueUrl, MessageBody: 'm', DelaySeconds: 901 };
    const answer = await ask('fn-Rollcall-x', 'sqs', 'AmazonSQS.SendMessage', late);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('a delay of 901 s, limit 900');
    expect(reached).toEqual([]);
  });

  it('does not judge tests', async () => {
    expect((await send('Rollcall-other', 'test')).status).toBe(201);
  });

  const getItem = (more: object = {}) => {
    const get = { TableName: 't', Key: { pk: { S: 'a' } }, ...more };
    return ask('fn-Rollcall-x', 'dynamodb', 'DynamoDB_20120810.GetItem', get, `${url}/_dynamodb/${port}/`);
  };

  it('passes requests to DynamoDB on to the port of their path, and asks what they consume', async () => {
    expect((await getItem()).status).toBe(200);
    const body = { TableName: 't', Key: { pk: { S: 'a' } }, ReturnConsumedCapacity: 'TOTAL' };
    expect(reached).toEqual([
      { path: '/', authorization: sign('test', 'dynamodb'), body: JSON.stringify(body) },
    ]);
  });

  it.each([
    ['what the answer says', {}, 3, 3],
    ['half a unit for a read that finds nothing, where DynamoDB Local takes none', {}, 0, 0.5],
    ['a whole one if that is consistent', { ConsistentRead: true }, 0, 1],
  ])('counts %s', async (_, more, units, counted) => {
    const seen = async () => (await readSeen(url)).units['Rollcall-x read t'] ?? 0;
    const before = await seen();
    answered = { ConsumedCapacity: { TableName: 't', CapacityUnits: units } };
    expect(await (await getItem(more)).json()).toEqual(answered);
    expect((await seen()) - before).toBe(counted);
  });

  it('answers 500 to what it cannot judge', async () => {
    expect((await ask('fn-Rollcall-x', 'kinesis', 'Kinesis_20131202.PutRecord', {})).status).toBe(500);
    expect(reached).toEqual([]);
  });

  it('has faults if it is told to: refused before, or done and not answered', async () => {
    const put = { TransactItems: [{ Put: { TableName: 't', Item: { pk: { S: 'a' } } } }, {}] };
    const write = (fault: Fault) =>
      withFault(fault, (at) =>
        fetch(`${at}/_dynamodb/${port}/`, {
          method: 'POST',
          headers: {
            authorization: sign('fn-Rollcall-y', 'dynamodb'),
            'x-amz-target': 'DynamoDB_20120810.TransactWriteItems',
          },
          body: JSON.stringify(put),
        }),
      );
    expect(await (await write('throttled')).json()).toMatchObject({
      __type: expect.stringMatching(/#ThrottlingException$/),
    });
    expect(await (await write('conflict')).json()).toMatchObject({
      __type: expect.stringMatching(/#TransactionCanceledException$/),
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    });
    expect(reached).toEqual([]);
    await expect(write('lost')).rejects.toThrow('fetch failed');
    expect(reached.length).toBe(1);
  });
});
