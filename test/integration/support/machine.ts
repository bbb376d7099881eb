import { setTimeout as sleep } from 'node:timers/promises';
import type { Lease } from '../../../shared/kube/types/coordination.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import { must, PlatformFailure, profile } from './deployment.ts';

/** `lease`: sends status and Leases as a kubelet does. `plain`: sends plain heartbeats as a curl loop does. */
export type Style = 'lease' | 'plain';

interface Receipt {
  readonly observedAt: string;
}

export interface Machine {
  readonly name: string;
  readonly zone: string;
  readonly uid: string;
  /** When the last accepted heartbeat was received (plain, by the control plane's clock) or sent (lease, by ours), ms. */
  lastBeatAt(): number;
  silence(): void;
  speak(): void;
  /** Stops the machine and deletes its Node. */
  leave(): Promise<void>;
}

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const microTime = (): string => new Date().toISOString().replace('Z', '000Z');
const wholeTime = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

const nodeObject = (name: string, zone: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'topology.kubernetes.io/zone': zone, 'topology.kubernetes.io/region': 'r' } },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
});

/** The Lease of a node whose kubelet renews it now. */
export const leaseObject = (name: string, resourceVersion?: string): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name,
    namespace: 'kube-node-lease',
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  },
  spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() },
});

const postReady = async (name: string, token: string): Promise<void> => {
  const now = wholeTime();
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const node = await must<Node>({ method: 'GET', path: `/api/v1/nodes/${name}`, token });
  const others = (node.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const body = { status: { conditions: [...others, ready] } };
  const path = `/api/v1/nodes/${name}/status`;
  await must({ method: 'PATCH', path, token, body, contentType: 'application/merge-patch+json' });
};

/** How long each heartbeat of the machines in this file took, ms. */
export const beatTimes: number[] = [];

const unlessPlatform = (error: unknown): void => {
  if (!(error instanceof PlatformFailure)) throw error;
};

/** Sends one heartbeat. Returns when (ms) the control plane received it, or the time of sending if the answer does not say. */
type Beat = () => Promise<number>;

const leaseBeat = (name: string, token: string): Beat => {
  let version: string | undefined;
  return async () => {
    const sentAt = Date.now();
    const first = version === undefined;
    const path = first ? LEASES : `${LEASES}/${name}`;
    const body = leaseObject(name, version);
    const stored = await must<Lease>({
      method: first ? 'POST' : 'PUT',
      path,
      token,
      body,
      on: 'HeartbeatUrl',
    });
    version = stored.metadata.resourceVersion;
    return sentAt;
  };
};

const plainBeat =
  (name: string, token: string): Beat =>
  async () => {
    const path = `/apis/rollcall.dev/v1/nodes/${name}/heartbeat`;
    const receipt = await must<Receipt>({ method: 'POST', path, token, on: 'HeartbeatUrl' });
    return Date.parse(receipt.observedAt);
  };

/** Registers a node with an administrator's token, gets the node's own token, and sends heartbeats until it is silenced. */
export const startMachine = async (
  admin: string,
  name: string,
  zone: string,
  style: Style,
): Promise<Machine> => {
  const node = await must<Node>({
    method: 'POST',
    path: '/api/v1/nodes',
    token: admin,
    body: nodeObject(name, zone),
  });
  const tokenPath = `/apis/rollcall.dev/v1/nodes/${name}/token`;
  const granted = await must<{ status: { token: string } }>({
    method: 'POST',
    path: tokenPath,
    token: admin,
  });
  const { token } = granted.status;
  const beat = style === 'lease' ? leaseBeat(name, token) : plainBeat(name, token);
  let lastBeatAt = await beat();
  if (style === 'lease') await postReady(name, token);
  let speaking = true;
  let returning = false;
  let running = true;
  const turn = async (): Promise<void> => {
    if (!speaking) return;
    const sentAt = performance.now();
    lastBeatAt = await beat();
    beatTimes.push(performance.now() - sentAt);
    if (returning && style === 'lease') await postReady(name, token);
    returning = false;
  };
  const loop = (async () => {
    while (running) {
      const next = Date.now() + profile.beatMs;
      await turn().catch(unlessPlatform);
      while (running && Date.now() < next) await sleep(50);
    }
  })();
  return {
    name,
    zone,
    uid: node.metadata.uid ?? '',
    lastBeatAt: () => lastBeatAt,
    silence: () => {
      speaking = false;
    },
    speak: () => {
      speaking = true;
      returning = true;
    },
    leave: async () => {
      running = false;
      await loop;
      await must({ method: 'DELETE', path: `/api/v1/nodes/${name}`, token: admin });
    },
  };
};
