/** One simulated machine: what a kubelet, or a loop around curl, says to the API. */
import type { Lease } from '../../shared/api/coordination.ts';
import type { Node, Pod } from '../../shared/api/core.ts';
import type { ApiClient } from './client.ts';
import { expectOk } from './client.ts';
import { FLEET_NAMESPACE, isRunningPod, kubeletStatus, nodeOf, podOf, runningPod } from './objects.ts';
import type { PlannedMachine } from './plan.ts';

export interface MachineDeps {
  readonly client: ApiClient;
  readonly now: () => number;
  /** Registers machines and makes their pods, as a site's tooling and a workload's controller would. */
  readonly adminToken: string;
  /** Seconds between two beats. */
  readonly intervalSeconds: number;
}

export interface Machine {
  readonly plan: PlannedMachine;
  /** Registers the Node and gets its token. */
  join(): Promise<void>;
  /** One beat. */
  beat(): Promise<void>;
  /** Posts its status and settles its pods: confirms deletions, reports those that run, and gets back those that it lost. */
  report(): Promise<void>;
}

const nodePath = (name: string): string => `/api/v1/nodes/${name}`;
const podPath = (name: string): string => `/api/v1/namespaces/${FLEET_NAMESPACE}/pods/${name}`;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

const leaseOf = (name: string, intervalSeconds: number, now: number, version: string | undefined): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name,
    namespace: 'kube-node-lease',
    ...(version === undefined ? {} : { resourceVersion: version }),
  },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: Math.max(1, intervalSeconds * 4),
    renewTime: new Date(now).toISOString().replace('Z', '000Z'),
  },
});

const labelsOf = (plan: PlannedMachine): object => ({ metadata: { labels: nodeOf(plan).metadata.labels } });

const isTainted = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ effect }) => effect === 'NoExecute');

export const createMachine = (plan: PlannedMachine, deps: MachineDeps): Machine => {
  const { client, now, adminToken, intervalSeconds } = deps;
  const { name } = plan;
  let token = '';
  let version: string | undefined;

  const join = async (): Promise<void> => {
    const answer = await client.call('POST', '/api/v1/nodes', adminToken, nodeOf(plan));
    await expectOk(Promise.resolve(answer), [409]);
    // One of an earlier fleet may have been in another zone.
    if (answer.status === 409)
      await expectOk(client.call('PATCH', nodePath(name), adminToken, labelsOf(plan)));
    const path = `/apis/rollcall.dev/v1/nodes/${name}/token`;
    const { status } = await expectOk<{ status: { token: string } }>(client.call('POST', path, adminToken));
    token = status.token;
  };
  const remember = (lease: Lease): void => {
    version = lease.metadata.resourceVersion;
  };
  /** As a kubelet does: with the version that it knows, else it looks which there is, else it makes one. */
  const renew = async (): Promise<void> => {
    if (version === undefined) {
      const found = await client.call('GET', `${LEASES}/${name}`, token);
      if (found.status === 200) remember(found.body as Lease);
    }
    const lease = leaseOf(name, intervalSeconds, now(), version);
    const call =
      version === undefined
        ? client.call('POST', LEASES, token, lease)
        : client.call('PUT', `${LEASES}/${name}`, token, lease);
    version = undefined;
    remember(await expectOk<Lease>(call));
  };
  const beat = async (): Promise<void> => {
    if (plan.kind === 'kubelet') return renew();
    await expectOk(
      client.call('POST', `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`, token, { intervalSeconds }),
    );
  };
  const settlePod = async (pod: Pod): Promise<void> => {
    const path = podPath(pod.metadata.name);
    if (pod.metadata.deletionTimestamp !== undefined)
      await expectOk(client.call('DELETE', path, token, { gracePeriodSeconds: 0 }), [404, 409]);
    else if (!isRunningPod(pod))
      await expectOk(client.call('PATCH', `${path}/status`, token, runningPod(now())), [404, 409]);
  };
  const settlePods = async (node: Node): Promise<void> => {
    const path = `/api/v1/pods?fieldSelector=spec.nodeName=${name}`;
    const { items } = await expectOk<{ items: readonly Pod[] }>(client.call('GET', path, token));
    for (const pod of items) await settlePod(pod);
    if (isTainted(node)) return;
    const there = new Set(items.map(({ metadata }) => metadata.name));
    for (const pod of plan.pods.filter((one) => !there.has(one.name)))
      await expectOk(
        client.call('POST', `/api/v1/namespaces/${FLEET_NAMESPACE}/pods`, adminToken, podOf(plan, pod)),
        [409],
      );
  };
  const report = async (): Promise<void> => {
    const node = await expectOk<Node>(client.call('GET', nodePath(name), token));
    if (plan.kind === 'kubelet')
      await expectOk(client.call('PATCH', `${nodePath(name)}/status`, token, kubeletStatus(node, now())));
    await settlePods(node);
  };
  return { plan, join, beat, report };
};
