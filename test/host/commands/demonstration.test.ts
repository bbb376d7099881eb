import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { LABEL_ZONE } from '../../../shared/kube/types/well-known.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type HostProcess, rollcall, startHostProcess } from '../../support/servers/host-process.ts';
import { openDashboard } from '../../support/servers/open-dashboard.ts';

// Ten times faster than a grace of 100 s: a restart fits well into a quarter of it.
const ARGS = ['--fleet', '--fast', '--node-monitor-grace-period', '100s'];
const GRACE_MS = 10_000;
const POD_GRACE_MS = 5_000;
const PATIENCE_MS = 60_000;

const readyOf = ({ status }: Node) => status?.conditions?.find(({ type }) => type === 'Ready');
const noExecuteOf = ({ spec }: Node) => spec?.taints?.find(({ effect }) => effect === 'NoExecute');
const inZone = (zone: string) => (node: Node) => node.metadata.labels?.[LABEL_ZONE] === zone;
const isUnreachable = (node: Node): boolean =>
  node.spec?.taints?.some(
    ({ key, effect }) => key === 'node.kubernetes.io/unreachable' && effect === 'NoSchedule',
  ) === true;
/** Pods of a DaemonSet tolerate it for ever. */
const tolerationMs = ({ spec }: Pod): number => {
  const found = spec.tolerations?.find(({ key }) => key === 'node.kubernetes.io/unreachable');
  return found ? 1000 * (found.tolerationSeconds ?? Number.POSITIVE_INFINITY) : 0;
};
const APPS = '/apis/apps/v1/namespaces/default';
const POD_KINDS = { web: 24, store: 3, agent: 12 };

/** What must not move: since when nodes are Unknown and tainted. */
const instantsOf = (nodes: readonly Node[]) =>
  Object.fromEntries(
    nodes.map((node) => [
      node.metadata.name,
      { unknownSince: readyOf(node)?.lastTransitionTime, taintedAt: noExecuteOf(node)?.timeAdded },
    ]),
  );

const shortestGap = (instants: readonly number[]): number => {
  const sorted = instants.toSorted((a, b) => a - b);
  return Math.min(...sorted.slice(1).map((at, index) => at - (sorted[index] ?? 0)));
};

describe('npm start, an outage, kill -9 and a restart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-host-'));
  let host: HostProcess;
  const zoneA = async (): Promise<readonly Node[]> => (await host.nodes()).filter(inZone('a'));

  beforeAll(async () => {
    host = await startHostProcess(folder, ...ARGS);
  });

  afterAll(async () => {
    await host.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows twelve nodes in three zones that are ready, with their pods', async () => {
    const nodes = await eventually('all nodes are ready', PATIENCE_MS, async () => {
      const all = await host.nodes();
      return all.length === 12 && all.every((node) => readyOf(node)?.status === 'True') ? all : undefined;
    });
    expect(new Set(nodes.map(({ metadata }) => metadata.labels?.[LABEL_ZONE]))).toEqual(
      new Set(['a', 'b', 'c']),
    );
    await eventually('their pods', PATIENCE_MS, async () => {
      const apps = Map.groupBy(await host.pods(), ({ metadata }) => metadata.labels?.['app'] ?? '');
      return Object.entries(POD_KINDS).every(([app, count]) => apps.get(app)?.length === count) || undefined;
    });
  });

  it('prints a link to its page, which is good once', async () => {
    const link = await eventually(
      'the link',
      PATIENCE_MS,
      async () => /http:\S+token=\S+/.exec(host.output())?.[0],
    );
    const opened = await openDashboard(link);
    expect(opened.status).toBe(303);
    const cookie = opened.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
    const page = await fetch(new URL('/', link), { headers: { cookie } });
    expect(await page.text()).toContain('<!doctype html>');
    expect((await openDashboard(link)).status).toBe(403);
    await eventually(
      'another link',
      30_000,
      async () =>
        [...host.output().matchAll(/token=\S+/g)].some(([token]) => !link.includes(token)) || undefined,
    );
  });

  it('continues an outage of a zone after a kill without moving a deadline', {
    timeout: 300_000,
  }, async () => {
    const beats = await host.get<{ items: readonly { metadata: { name: string } }[] }>(
      '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
    );
    expect(beats.items.length).toBe(8);
    expect(await rollcall('outage', '--zone', 'a', '--folder', folder)).toMatchObject({ code: 0 });

    const silent = await eventually('zone a is Unknown', PATIENCE_MS, async () => {
      const nodes = await zoneA();
      for (const node of nodes.filter((one) => readyOf(one)?.status === 'Unknown'))
        expect(isUnreachable(node), 'NoSchedule comes with Unknown').toBe(true);
      return nodes.every((node) => readyOf(node)?.status === 'Unknown') ? nodes : undefined;
    });
    for (const node of silent.filter((one) => one.metadata.name !== 'n3')) {
      const lease = await host.get<{ spec: { renewTime: string } }>(
        `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node.metadata.name}`,
      );
      const silentMs = Date.parse(readyOf(node)?.lastTransitionTime ?? '') - Date.parse(lease.spec.renewTime);
      // Conditions have whole seconds.
      expect(silentMs).toBeGreaterThan(GRACE_MS - 1_000);
      expect(silentMs).toBeLessThan(2 * GRACE_MS);
    }

    const before = await eventually('two nodes have NoExecute taints', PATIENCE_MS, async () => {
      const nodes = await zoneA();
      return nodes.filter(noExecuteOf).length >= 2 ? nodes.filter(noExecuteOf) : undefined;
    });
    await host.kill();
    host = await startHostProcess(folder, ...ARGS);
    const names = before.map(({ metadata }) => metadata.name);
    const again = (await zoneA()).filter(({ metadata }) => names.includes(metadata.name));
    expect(instantsOf(again)).toEqual(instantsOf(before));
    const tainted = await eventually('all four have NoExecute taints', PATIENCE_MS, async () => {
      const nodes = await zoneA();
      return nodes.every(noExecuteOf) ? nodes : undefined;
    });
    const since = new Map(
      tainted.map((node) => [node.metadata.name, Date.parse(noExecuteOf(node)?.timeAdded ?? '')]),
    );
    expect(shortestGap([...since.values()])).toBeGreaterThanOrEqual(1_000);

    const isOfZone = (pod: Pod): boolean => since.has(pod.spec.nodeName ?? '') && tolerationMs(pod) <= 6_000;
    const gone = await eventually('pods with short tolerations leave', PATIENCE_MS, async () => {
      const pods = (await host.pods()).filter(isOfZone);
      return pods.every(({ metadata }) => metadata.deletionTimestamp !== undefined) ? pods : undefined;
    });
    expect(gone.length).toBeGreaterThan(5);
    for (const pod of gone) {
      const deletedAt = Date.parse(pod.metadata.deletionTimestamp ?? '') - POD_GRACE_MS;
      const dueAt = (since.get(pod.spec.nodeName ?? '') ?? 0) + tolerationMs(pod);
      expect(deletedAt, pod.metadata.name).toBeGreaterThanOrEqual(dueAt);
    }
  });

  it('has the replicas of the lost machines made again on others, and no second pod of one name', async () => {
    const lost = new Set((await zoneA()).map(({ metadata }) => metadata.name));
    const isElsewhere = ({ spec }: Pod): boolean => !!spec.nodeName && !lost.has(spec.nodeName);
    let pods: readonly Pod[] = [];
    const places = () =>
      pods.map(({ metadata: { name, deletionTimestamp }, spec }) => [name, spec.nodeName, deletionTimestamp]);
    await eventually(
      '24 pods of the Deployment stand elsewhere',
      PATIENCE_MS,
      async () => {
        pods = (await host.pods()).filter(({ metadata }) => metadata.labels?.['app'] === 'web');
        return pods.filter(isElsewhere).length === POD_KINDS.web;
      },
      { seen: places },
    );
    const stores = (await host.pods()).filter(({ metadata }) => metadata.labels?.['app'] === 'store');
    expect(new Set(stores.map(({ metadata }) => metadata.name)).size).toBe(stores.length);
    const agents = (await host.pods()).filter(({ metadata }) => metadata.labels?.['app'] === 'agent');
    expect(agents.every(({ metadata }) => metadata.deletionTimestamp === undefined)).toBe(true);
  });

  it('brings the zone back, and every workload is whole', async () => {
    expect(await rollcall('restore', '--folder', folder)).toMatchObject({ code: 0 });
    await eventually('every node is ready and free of taints', PATIENCE_MS, async () => {
      const nodes = await host.nodes();
      const isBack = (node: Node): boolean =>
        readyOf(node)?.status === 'True' && (node.spec?.taints ?? []).length === 0;
      return nodes.every(isBack) || undefined;
    });
    await eventually('three pods of the StatefulSet are ready', PATIENCE_MS, async () => {
      const { status } = await host.get<{ status: { readyReplicas?: number } }>(`${APPS}/statefulsets/store`);
      return status.readyReplicas === POD_KINDS.store || undefined;
    });
  });

  it('has Prometheus metrics with the names of Kubernetes', async () => {
    const text = await host.get<string>('/metrics');
    expect(text).toMatch(/^node_collector_zone_size\{zone="a"\} 4$/m);
    expect(text).toMatch(/^taint_eviction_controller_pod_deletions_total \d+$/m);
  });

  it('can be backed up while it runs', async () => {
    const file = join(folder, 'copy.backup');
    expect(await rollcall('backup', 'create', file, '--folder', folder)).toMatchObject({ code: 0 });
  });

  it('refuses a second process on its folder with one line', async () => {
    const { code, output } = await rollcall('serve', '--folder', folder);
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
  });

  it('stops when it is told to', async () => {
    expect(await host.stop()).toBe(0);
  });
});
