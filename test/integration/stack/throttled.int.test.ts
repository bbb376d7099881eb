/** Functions without room for another invocation: a URL answers 429, and what waits in a queue is handled when there is room. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import { call, cliToken, must } from '../support/deployment.ts';
import { startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

/** Two waits of the event source, and what the emulator takes. */
const WITHIN_MS = 60_000;
/** Functions by their names: one with a URL and reserved concurrency, the group that gives Nodes their addresses. */
const HEARTBEAT = 'heartbeat';
const ADDRESSES = 'pods';
/** Asked without an SDK: nothing else needs Lambda. LocalStack finds the service by the credential, and checks no signature. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=none';

const admin = cliToken('--admin');

const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const answer = await fetch(`${process.env['AWS_ENDPOINT_URL']}${path}`, {
    method,
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (answer.status === 204 ? undefined : await answer.json()) as T;
};

interface Functions {
  readonly Functions: readonly { readonly FunctionName: string; readonly Description: string }[];
}

const nameOf = async (name: string): Promise<string> => {
  const { Functions } = await ask<Functions>('GET', '/2015-03-31/functions/?MaxItems=100');
  const found = Functions.find(({ Description }) => Description === `Rollcall: ${name}`);
  if (!found) throw new Error(`no function ${name}`);
  return found.FunctionName;
};

/** How to leave the functions. */
const restored: (() => Promise<unknown>)[] = [];

const roomOf = async (name: string): Promise<number | undefined> => {
  const path = `/2019-09-30/functions/${await nameOf(name)}/concurrency`;
  return (await ask<{ ReservedConcurrentExecutions?: number }>('GET', path)).ReservedConcurrentExecutions;
};

/** Takes a function's room away; the result gives it back. */
const close = async (name: string): Promise<() => Promise<unknown>> => {
  const before = await roomOf(name);
  const path = `/2017-10-31/functions/${await nameOf(name)}/concurrency`;
  const put = (ReservedConcurrentExecutions: number) => ask('PUT', path, { ReservedConcurrentExecutions });
  await put(0);
  const open = () => (before === undefined ? ask('DELETE', path) : put(before));
  restored.push(open);
  return open;
};

afterAll(() => Promise.all(restored.map((open) => open())));

describe('a function without room', () => {
  it('answers 429 at its URL, and as before when it has room', async () => {
    expect(await roomOf(HEARTBEAT)).toBeGreaterThan(0);
    const machine = await startMachine(admin, 'throttled-beat', 'zone-throttled', 'plain');
    machine.silence();
    const path = `/apis/rollcall.dev/v1/nodes/${machine.name}/heartbeat`;
    const beat = () => call<object>({ method: 'POST', path, token: admin, on: 'HeartbeatUrl' });
    const open = await close(HEARTBEAT);
    expect(await beat()).toMatchObject({ status: 429, body: { message: 'Rate Exceeded.' } });
    await open();
    await eventually('a beat is answered', WITHIN_MS, async () => (await beat()).status < 300);
    await machine.leave();
  });

  // A message that had been delivered in vain would be hidden for minutes.
  it('handles what waited in its queue soon after it has room', async () => {
    const open = await close(ADDRESSES);
    const machine = await startMachine(admin, 'throttled-node', 'zone-throttled', 'plain');
    const path = `/api/v1/nodes/${machine.name}`;
    const look = () => must<Node>({ method: 'GET', path, token: admin });
    await eventually('the change is announced', WITHIN_MS, async () => {
      const events = await must<{ items: readonly { involvedObject: { uid?: string } }[] }>({
        method: 'GET',
        path: '/api/v1/namespaces/default/events',
        token: admin,
      });
      return events.items.some(({ involvedObject }) => involvedObject.uid === machine.uid);
    });
    expect((await look()).spec?.podCIDR).toBeUndefined();
    await open();
    await eventually('the Node has addresses', WITHIN_MS, async () => (await look()).spec?.podCIDR);
    await machine.leave();
  });
});
