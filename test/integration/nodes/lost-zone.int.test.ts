/** A zone that loses more nodes than AWS lets a chain of messages have hops. Lineage is counted by the executor of the emulator. */
import { GetQueueAttributesCommand, GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, describe, expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { cliToken, must, profile } from '../support/deployment.ts';
import { functionLogs } from '../support/function-logs.ts';
import { type Machine, startMachine } from '../support/machine.ts';
import { eventually } from '../support/wait.ts';

/** Also what answers of queues and starts of functions take. */
const PLATFORM_MS = 120_000;
const MACHINES_AT_ONCE = 5;
/** As in `executor/rollcall_executor/lineage.py`. */
const MOST_INVOCATIONS = 16;

type NodeList = Omit<ApiList, 'items'> & { readonly items: readonly Node[] };

const admin = cliToken('--admin');
const started: Machine[] = [];
const sqs = new SQSClient({});

afterAll(async () => {
  for (const one of started.splice(0)) await one.leave();
  sqs.destroy();
});

const startMachines = async (names: readonly string[], zone: string): Promise<readonly Machine[]> => {
  const machines: Machine[] = [];
  for (let at = 0; at < names.length; at += MACHINES_AT_ONCE)
    machines.push(
      ...(await Promise.all(
        names.slice(at, at + MACHINES_AT_ONCE).map((name) => startMachine(admin, name, zone, 'plain')),
      )),
    );
  started.push(...machines);
  return machines;
};

const evictedIn = async (zone: string): Promise<number> => {
  const selector = encodeURIComponent(`topology.kubernetes.io/zone=${zone}`);
  const path = `/api/v1/nodes?labelSelector=${selector}`;
  const { items } = await must<NodeList>({
    method: 'GET',
    path,
    token: admin,
  });
  return items.filter(({ spec }) => spec?.taints?.some(({ effect }) => effect === 'NoExecute')).length;
};

const deadLetters = async (): Promise<number> => {
  const QueueName = `${profile.stackName}-dead-letters`;
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  const AttributeNames = ['ApproximateNumberOfMessages' as const];
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.ApproximateNumberOfMessages);
};

/** The lineages of the invocations, as the executor adds them to each report; none on another emulator. */
const lineages = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line) => /\bLineage: (\d+)/.exec(line)?.[1] ?? []).map(Number);

describe('a zone that loses all its nodes, while another has one that lives', () => {
  const size = 40;
  it(`of ${size} nodes empties: all are tainted, no chain is ended, no message is given up`, async () => {
    const since = Date.now();
    const zone = `lost-${size}`;
    await startMachines([`alive-${size}`], `alive-${size}`);
    const names = Array.from({ length: size }, (_, index) => `${zone}-${index + 1}`);
    for (const machine of await startMachines(names, zone)) machine.silence();
    const withinMs = profile.graceMs + size * profile.taintGapMs + PLATFORM_MS;
    let evicted = 0;
    await eventually(
      `all ${size} nodes are tainted`,
      withinMs,
      async () => {
        evicted = await evictedIn(zone);
        return evicted === size;
      },
      () => evicted,
    );

    const lines = await functionLogs('NodeEviction', since);
    const hops = Math.max(0, ...lineages(lines));
    process.stdout.write(
      `a zone of ${size} nodes was emptied; the longest chain of node-eviction had ${hops} hops\n`,
    );
    const ended = (await functionLogs('', since)).filter((line) => line.includes('no RecursiveLoop: Allow'));
    // The message names the cause, by which the mutation is found.
    expect(ended, ended[0]).toEqual([]);
    expect(await deadLetters()).toBe(0);
    expect(lines.filter((line) => line.includes('messages are slowed'))).toEqual([]);
    // On another emulator than that of the tests nothing is counted.
    if (process.env['ROLLCALL_LOCALSTACK_MARK']) expect(hops).toBeGreaterThan(MOST_INVOCATIONS);
  }, 480_000);
});
