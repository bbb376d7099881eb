/** One simulated machine: the API requests of a kubelet, or of a loop around curl. */
import {
  type ApiClient,
  type ApiResponse,
  expectOk,
  STRATEGIC_MERGE_PATCH,
} from '../../shared/client/api-client.ts';
import type { Lease } from '../../shared/kube/types/coordination.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import { toMicroTime } from '../../shared/kube/values/time.ts';
import { kubeletStatus, nodeOf, podReport } from './objects.ts';
import type { PlannedMachine } from './plan.ts';

export interface MachineDeps {
  readonly client: ApiClient;
  readonly now: () => number;
  /** The token for registering machines. Called for each request, because the token may change. */
  readonly adminToken: () => string;
  /** Seconds between two heartbeats. */
  readonly intervalSeconds: number;
}

export interface Machine {
  readonly plan: PlannedMachine;
  /** Registers the Node and gets its token. */
  join(): Promise<void>;
  /** Sends one heartbeat, with a new token after half of the token's lifetime. */
  beat(): Promise<void>;
  /** Handles its pods: confirms deletions, and reports pods that run or have ended. */
  reportPods(): Promise<void>;
  /** Posts its status, and handles its pods. */
  report(): Promise<void>;
}

interface NodeToken {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** Milliseconds before a failed renewal is tried again. */
const RETRY_MS = 60_000;

interface SessionDeps {
  readonly client: ApiClient;
  readonly now: () => number;
  /** Called for each request, because the token may change. */
  readonly adminToken: () => string;
}

interface Session {
  /** Requests the machine's token with `token` as credentials. */
  beginAs(token: string): Promise<void>;
  /** Requests a new token after half of the current one's lifetime. Never rejects. */
  renewIfDue(): Promise<void>;
  /**
   * Sends a request with the machine's token. If the token is refused because its key was retired, requests another as
   * admin.
   */
  call(method: string, path: string, body?: object): Promise<ApiResponse>;
  /** The same for a part of a status, which is merged with what is there by strategic merge patch. */
  patchStatus(path: string, status: object): Promise<ApiResponse>;
}

const nodePath = (name: string): string => `/api/v1/nodes/${name}`;
const podPath = ({ metadata: { namespace = '', name } }: Pod): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}`;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

const leaseOf = (name: string, intervalSeconds: number, now: number, version: string | undefined): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name,
    namespace: 'kube-node-lease',
    ...optional('resourceVersion', version),
  },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: Math.max(1, intervalSeconds * 4),
    renewTime: toMicroTime(now),
  },
});

const labelsOf = (plan: PlannedMachine): object => ({ metadata: { labels: nodeOf(plan).metadata.labels } });

/** Renews the Lease as a kubelet does: with the known version, or else reads it first, or else creates it. */
const createRenewal = (
  name: string,
  { now, intervalSeconds }: MachineDeps,
  call: Session['call'],
): (() => Promise<void>) => {
  let version: string | undefined;
  const remember = (lease: Lease): void => {
    version = lease.metadata.resourceVersion;
  };
  return async (): Promise<void> => {
    if (version === undefined) {
      const found = await call('GET', `${LEASES}/${name}`);
      if (found.status === 200) remember(found.body as Lease);
    }
    const lease = leaseOf(name, intervalSeconds, now(), version);
    const answer =
      version === undefined ? call('POST', LEASES, lease) : call('PUT', `${LEASES}/${name}`, lease);
    version = undefined;
    remember(await expectOk<Lease>(answer));
  };
};

/** The token of a machine, and API calls with this token. `name`: name of the Node. */
const createSession = (name: string, { client, now, adminToken }: SessionDeps): Session => {
  let token = '';
  let renewAt = 0;

  const beginAs = async (asker: string): Promise<void> => {
    const path = `/apis/rollcall.dev/v1/nodes/${name}/token`;
    const { status } = await expectOk<NodeToken>(client.call('POST', path, asker));
    token = status.token;
    renewAt = (now() + Date.parse(status.expirationTimestamp)) / 2;
  };
  const known = async (send: () => Promise<ApiResponse>): Promise<ApiResponse> => {
    const answer = await send();
    if (answer.status !== 401) return answer;
    await beginAs(adminToken());
    return send();
  };
  const renewIfDue = async (): Promise<void> => {
    if (now() < renewAt) return;
    try {
      await beginAs(token);
    } catch {
      // The current token is valid for as long again. If it is not, the next call replaces it.
      renewAt = now() + RETRY_MS;
    }
  };
  return {
    beginAs,
    renewIfDue,
    call: (method, path, body) => known(() => client.call(method, path, token, body)),
    // So a status changes only its own conditions, as a kubelet's does: others, as of a drain, belong to controllers.
    patchStatus: (path, status) =>
      known(() =>
        client.call('PATCH', `${path}/status`, token, status, { mediaType: STRATEGIC_MERGE_PATCH }),
      ),
  };
};

/** The methods of the machine reject if the API answers with an error. */
export const createMachine = (plan: PlannedMachine, deps: MachineDeps): Machine => {
  const { client, now, adminToken, intervalSeconds } = deps;
  const { name } = plan;
  const { call, patchStatus, beginAs, renewIfDue } = createSession(name, deps);
  const renew = createRenewal(name, deps, call);

  const join = async (): Promise<void> => {
    const answer = await client.call('POST', '/api/v1/nodes', adminToken(), nodeOf(plan));
    await expectOk(Promise.resolve(answer), [409]);
    // The Node may exist from an earlier fleet, in another zone.
    if (answer.status === 409)
      await expectOk(client.call('PATCH', nodePath(name), adminToken(), labelsOf(plan)));
    await beginAs(adminToken());
  };
  const beat = async (): Promise<void> => {
    await renewIfDue();
    if (plan.kind === 'kubelet') return renew();
    await expectOk(call('POST', `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`, { intervalSeconds }));
  };
  const reportPod = async (pod: Pod): Promise<void> => {
    const path = podPath(pod);
    const isGoing = pod.metadata.deletionTimestamp !== undefined;
    const news = isGoing ? undefined : podReport(pod, now());
    if (isGoing) await expectOk(call('DELETE', path, { gracePeriodSeconds: 0 }), [404, 409]);
    else if (news) await expectOk(patchStatus(path, news), [404, 409]);
  };
  const reportPods = async (): Promise<void> => {
    const path = `/api/v1/pods?fieldSelector=spec.nodeName=${name}`;
    const { items } = await expectOk<{ items: readonly Pod[] }>(call('GET', path));
    for (const pod of items) await reportPod(pod);
  };
  const reportNode = async (): Promise<void> => {
    const node = await expectOk<Node>(call('GET', nodePath(name)));
    await expectOk(patchStatus(nodePath(name), kubeletStatus(node, now())));
  };
  const report = async (): Promise<void> => {
    if (plan.kind === 'kubelet') await reportNode();
    await reportPods();
  };
  return { plan, join, beat, report, reportPods };
};
