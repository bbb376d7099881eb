import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { createTestApi, NODES, PODS, podBody, START, type TestApi } from '../../../support/servers/api.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const KEYS = JSON.stringify({ current: 'k1', keys: { k1: Buffer.alloc(32, 1).toString('base64url') } });
const ACCESS = '--key-file keys.json --cluster-id test --server https://api.test';

const createWorld = async (): Promise<TestApi> => {
  const api = createTestApi();
  const silent = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: '2026-03-01T11:58:00Z',
  };
  const labels = { 'topology.kubernetes.io/zone': 'a' };
  const body = { metadata: { name: 'n1', labels }, status: { conditions: [silent] } };
  await api.send('POST', NODES, { as: 'admin', body });
  await api.send('POST', PODS, { as: 'admin', body: podBody('p1', { nodeName: 'n1' }) });
  await api.control.startPass(START, START, 1_000);
  await api.control.writeZone(
    {
      id: 'a',
      key: ':\0:a',
      state: 'Normal',
      size: 4,
      notReady: 1,
      waiting: ['n1'],
      waitingCount: 1,
      limiter: { rate: 0.1, nextAt: START + 4_000 },
      pass: 1,
      updatedAt: START,
    },
    undefined,
  );
  api.advance(1_000);
  return api;
};

/** Sends the command's requests to the API of a test. */
const to =
  (api: TestApi): CommandContext['fetch'] =>
  async (url, { headers } = {}) => {
    const { authorization = '', accept = '' } = headers as Record<string, string>;
    const token = authorization.replace('Bearer ', '');
    const { code, bytes } = await api.send('GET', url.replace('https://api.test', ''), {
      token,
      headers: { accept },
    });
    return new Response(Buffer.from(bytes), { status: code });
  };

const run = async (line: string, api?: TestApi) =>
  runCommandLine(`${line} ${ACCESS}`, {
    now: () => START,
    readFile: async () => KEYS,
    ...(api ? { fetch: to(api) } : {}),
  });

describe('rollcall explain', () => {
  it('prints what a person reads of a node', async () => {
    const { code, printed, complaint } = await run('explain node n1', await createWorld());
    expect([code, complaint]).toEqual([0, '']);
    expect(printed).toMatchInlineSnapshot(`
      "Node n1 at 12:00:01 UTC

      health      Unknown, for 1s
        Ready is Unknown, NodeStatusUnknown: Kubelet stopped posting node status: 1s ago  (status.conditions[Ready], H-08)
        last sign of life: 1s ago                                (heartbeats, S-04)
        a node may be silent for 40 s                            (setting nodeMonitorGracePeriod, H-03)
        its kubelet writes Ready: plain heartbeats do not count  (heartbeats, Lease, S-03)
        until a client writes its Ready condition or the Node is deleted

      taint       waits for its NoExecute taint, for 1s
        zone state Normal: up to 0.1 nodes per second are tainted  (zone a limiter, Z-09)
        number 1 of 1 that wait in the zone                        (zone a waiting, A-11)
        next token of the zone: in 3s                              (zone a limiter, L-01)
        next: tainted, in 3s (12:00:04)
        unless Ready of the node changes, a client changes taints, a policy changes, the Node is deleted, the state of a zone changes or nodes before it recover

      placing     takes no new pods
        taint node.kubernetes.io/unreachable:NoSchedule, because of Ready=Unknown: 1s ago  (spec.taints, R-11)
        until it is cordoned or uncordoned, Ready of the node changes, a client changes taints or taints of the node change"
    `);
  });

  it('prints when a pod leaves', async () => {
    const { printed } = await run('explain pod p1 -n default', await createWorld());
    expect(printed).toMatchInlineSnapshot(`
      "Pod p1 in default at 12:00:01 UTC

      scheduling  placed, for 1s
        bound to node n1: 1s ago  (spec.nodeName)

      eviction    waits for its NoExecute taint
        zone state Normal: up to 0.1 nodes per second are tainted  (zone a limiter, Z-09)
        number 1 of 1 that wait in the zone                        (zone a waiting, A-11)
        next token of the zone: in 3s                              (zone a limiter, L-01)
        next: evicted, in 5m3s (12:05:04)
        unless taints of the node change, tolerations change, a client deletes it, a client or a drain evicts it, the Node is deleted, Ready of the node changes, the state of a zone changes or nodes before it recover"
    `);
  });

  it('prints who is next in a zone', async () => {
    const { printed } = await run('explain zone a', await createWorld());
    expect(printed).toMatchInlineSnapshot(`
      "Zone a at 12:00:01 UTC

      zone        Normal
        1 of 4 nodes are not ready, by the last pass: 1s ago       (status.notReadyNodes, Z-03)
        zone state Normal: up to 0.1 nodes per second are tainted  (status.evictionRate, Z-09)
        next token of the zone: in 3s                              (status.nextEvictionTime, L-01)
        waiting for their taint: 1 (n1)                            (status.waiting, A-11)
        disrupted when 2 more are not ready                        (setting unhealthyZoneThreshold, Z-02)
        next: a node is tainted, in 3s (12:00:04)
        unless nodes of the zone fail or recover or a policy changes"
    `);
  });

  it('prints JSON and YAML for programs', async () => {
    const api = await createWorld();
    const json = await run('explain node/n1 -o json', api);
    expect(JSON.parse(json.printed)).toMatchObject({ kind: 'Explanation', subject: { name: 'n1' } });
    expect((await run('explain no n1 --output yaml', api)).printed).toContain('kind: Explanation\n');
  });

  it.each([
    ['explain node', 'give the kind and the name of one object'],
    ['explain node a b', 'give the kind and the name of one object'],
    ['explain lease n1', '"lease" is none of node, pod and zone'],
    ['explain node n1 -o xml', '--output xml is none of text, json and yaml'],
  ])('refuses %s', async (line, problem) => {
    const { code, complaint } = await run(line);
    expect([code, complaint]).toEqual([2, `rollcall explain: ${problem}; see rollcall explain --help`]);
  });

  it('says that there is no such object, and that the API does not answer', async () => {
    const api = await createWorld();
    expect((await run('explain pod nobody', api)).complaint).toBe(
      'rollcall explain: the API answered 404: pods "nobody" not found',
    );
    expect((await run('explain node n1')).complaint).toBe(
      'rollcall explain: the API at https://api.test does not answer: no such thing',
    );
  });
});
