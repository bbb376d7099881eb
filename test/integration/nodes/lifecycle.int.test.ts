import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import type { LogEntry } from '../../../shared/ports/store/change-log.ts';
import { call, cliToken, must, profile } from '../support/deployment.ts';
import { changesAfter, control, objects } from '../support/inspection.ts';
import type { Machine } from '../support/machine.ts';
import { beatTimes, startMachine } from '../support/machine.ts';
import { tolerating, UNREACHABLE } from '../support/tolerations.ts';
import { eventually } from '../support/wait.ts';

/**
 * How long an answer of queues, streams and function starts on LocalStack is waited for, ms. How late things are depends on the machine:
 * the tests say what must not come too early, and the figures tell the rest.
 */
const PLATFORM_MS = 10_000;
const SILENT = ['a1', 'a2', 'a3'];

const admin = cliToken('--admin');
const machines = new Map<string, Machine>();
const figures: Record<string, unknown> = {};

const nodeOf = (name: string): Promise<Node> =>
  must<Node>({ method: 'GET', path: `/api/v1/nodes/${name}`, token: admin });
const readyOf = (node: Node): string | undefined =>
  node.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
const taintsOf = (node: Node): readonly string[] =>
  (node.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).toSorted();

const createPod = (name: string, nodeName: string, seconds: number | undefined): Promise<Pod> =>
  must<Pod>({
    method: 'POST',
    path: '/api/v1/namespaces/default/pods',
    token: admin,
    body: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName,
        containers: [{ name: 'c', image: 'i' }],
        tolerations: tolerating(seconds),
        terminationGracePeriodSeconds: 30,
      },
    },
  });

const podOf = (name: string): Promise<Pod> =>
  must<Pod>({ method: 'GET', path: `/api/v1/namespaces/default/pods/${name}`, token: admin });

interface Zone {
  readonly status?: { readonly state: string; readonly nodes: number };
}

const machine = (name: string): Machine => {
  const found = machines.get(name);
  if (!found) throw new Error(`no machine ${name}`);
  return found;
};

const short = 25 / profile.divisor;
const long = 600;

let nodesFrom = 0;
let podsFrom = 0;

const revisionOf = async (path: string): Promise<number> =>
  Number((await must<ApiList>({ method: 'GET', path, token: admin })).metadata.resourceVersion);

/** First change of a node after which `is` holds. */
const firstChange = (
  entries: readonly LogEntry[],
  name: string,
  is: (node: Node) => boolean,
): LogEntry | undefined => entries.find((entry) => entry.key.name === name && is(entry.object as Node));

const has =
  (taint: string) =>
  (node: Node): boolean =>
    taintsOf(node).includes(taint);
const isUnknown = (node: Node): boolean => readyOf(node) === 'Unknown';

beforeAll(async () => {
  // Half of each zone sends Leases as a kubelet does, the other half plain heartbeats as a curl loop does.
  const fleet = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2', 'b3'];
  const started = fleet.map(async (name, index) => {
    machines.set(
      name,
      await startMachine(admin, name, `zone-${name[0]}`, index % 2 === 0 ? 'lease' : 'plain'),
    );
  });
  await Promise.all(started);
});

afterAll(async () => {
  await Promise.all([...machines.values()].map((one) => one.leave()));
  const beats = beatTimes.toSorted((a, b) => a - b);
  figures['beat through its URL, ms'] = {
    p50: beats[Math.floor(beats.length * 0.5)],
    p99: beats[Math.floor(beats.length * 0.99)],
    beats: beats.length,
  };
  const report = JSON.stringify(figures, undefined, 2);
  writeFileSync('test-results/integration/figures.json', report);
  process.stdout.write(`the fleet on LocalStack: ${report}\n`);
});

describe('a fleet of nine machines in two zones', () => {
  it('is Ready and without taints, including the machines that send only plain heartbeats', async () => {
    let seen: unknown;
    await eventually(
      'all nodes Ready without taints',
      // The first pass runs up to a minute after the deploy.
      profile.graceMs + 70_000,
      async () => {
        const nodes = await Promise.all([...machines.keys()].map(nodeOf));
        seen = nodes.map((node) => [node.metadata.name, readyOf(node), ...taintsOf(node)]);
        return nodes.every((node) => readyOf(node) === 'True' && taintsOf(node).length === 0);
      },
      () => seen,
    );
    const plain = await nodeOf('a2');
    expect(plain.status?.conditions).toEqual([
      expect.objectContaining({ type: 'Ready', reason: 'HeartbeatReceived' }),
    ]);
  });

  it.each([
    ['r--zone-a', 6],
    ['r--zone-b', 3],
  ])('shows zone %s as Normal with %i nodes', async (zone, nodes) => {
    let seen: unknown;
    await eventually(
      'the zone of its size',
      profile.periodMs + 10_000,
      async () => {
        const path = `/apis/rollcall.dev/v1/zones/${zone}`;
        const { body } = await call<Zone>({ method: 'GET', path, token: admin });
        seen = body;
        return body.status?.state === 'Normal' && body.status.nodes === nodes;
      },
      () => seen,
    );
  });

  it('has three silent machines in zone a, which become Unknown in time and are tainted by the same write', async () => {
    await createPod('short', 'a1', short);
    await createPod('long', 'a1', long);
    await createPod('forever', 'a1', undefined);
    await createPod('elsewhere', 'b1', short);
    nodesFrom = await revisionOf('/api/v1/nodes');
    podsFrom = await revisionOf('/api/v1/pods');
    for (const name of SILENT) machine(name).silence();
    await eventually('three nodes Unknown', profile.graceMs + profile.periodMs + PLATFORM_MS, async () =>
      (await Promise.all(SILENT.map(nodeOf))).every(isUnknown),
    );
    const changes = await changesAfter('nodes', nodesFrom);
    const silences = SILENT.map((name) => {
      const flip = firstChange(changes, name, isUnknown);
      expect(taintsOf(flip?.object as Node)).toContain(`${UNREACHABLE}:NoSchedule`);
      return (flip?.at ?? 0) - machine(name).lastBeatAt();
    });
    figures['silence to Unknown, ms'] = silences;
    expect(Math.min(...silences)).toBeGreaterThanOrEqual(profile.graceMs);
  });

  it('gets NoExecute taints one after the other, at the eviction rate of the zone', async () => {
    await eventually('three nodes with NoExecute', 3 * profile.taintGapMs + 3 * PLATFORM_MS, async () =>
      (await Promise.all(SILENT.map(nodeOf))).every(has(`${UNREACHABLE}:NoExecute`)),
    );
    const changes = await changesAfter('nodes', nodesFrom);
    const taintedAt = SILENT.map(
      (name) => firstChange(changes, name, has(`${UNREACHABLE}:NoExecute`))?.at ?? 0,
    ).toSorted((a, b) => a - b);
    const gaps = taintedAt.slice(1).map((at, index) => at - (taintedAt[index] ?? 0));
    figures['gaps between NoExecute taints, ms'] = gaps;
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(profile.taintGapMs);
  });

  it('loses only the pod whose toleration has ended, not before its due instant', async () => {
    const pod = await eventually(
      'the short pod marked for deletion',
      2 * short * 1_000 + PLATFORM_MS,
      async () => {
        const found = await podOf('short');
        return found.metadata.deletionTimestamp !== undefined && found;
      },
    );
    expect(pod.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' }),
    );
    const node = await objects.read({ resource: 'nodes', namespace: '', name: 'a1' });
    const since = node?.state === 'live' ? (node.facts.node?.noExecute[0]?.since ?? 0) : 0;
    const changes = await changesAfter('pods', podsFrom);
    const marked = changes.find(
      ({ key, object }) => key.name === 'short' && object.metadata.deletionTimestamp !== undefined,
    );
    const late = (marked?.at ?? 0) - (since + short * 1_000);
    figures['pod deletion after its due instant, ms'] = late;
    expect(late).toBeGreaterThanOrEqual(0);
    for (const name of ['long', 'forever', 'elsewhere']) {
      expect((await podOf(name)).metadata.deletionTimestamp).toBeUndefined();
    }
    // Each message about the node stores it, and one may have to come again.
    const stored = await eventually(
      'the deadline of the long pod is stored',
      PLATFORM_MS,
      async () => (await control.deadlines([{ namespace: 'default', name: 'long' }]))[0],
    );
    expect(stored).toMatchObject({ start: since, fireAt: since + long * 1_000 });
  });

  it('has no other silent nodes: the other zone, and the living nodes of zone a, stay Ready', async () => {
    const changes = await changesAfter('nodes', nodesFrom);
    expect(
      changes.filter(({ key, object }) => key.name.startsWith('b') && isUnknown(object as Node)),
    ).toEqual([]);
    for (const name of ['b1', 'b2', 'b3', 'a4', 'a5', 'a6']) expect(readyOf(await nodeOf(name))).toBe('True');
  });

  it('is Ready and without taints when the machines return, and the waiting pod stays', async () => {
    for (const name of SILENT) machine(name).speak();
    let seen: unknown;
    await eventually(
      'three nodes Ready without taints',
      profile.graceMs + 3 * PLATFORM_MS,
      async () => {
        const nodes = await Promise.all(SILENT.map(nodeOf));
        seen = nodes.map((node) => [node.metadata.name, readyOf(node), ...taintsOf(node)]);
        return nodes.every((node) => readyOf(node) === 'True' && taintsOf(node).length === 0);
      },
      () => seen,
    );
    await eventually(
      'the deadline of the waiting pod deleted',
      70_000,
      async () => !(await control.deadlines([{ namespace: 'default', name: 'long' }]))[0],
    );
    expect((await podOf('long')).metadata.deletionTimestamp).toBeUndefined();
  });
});
