/** An API with a fleet in memory, as the dashboard's server asks it: lists at once, and watches that are told what changes. */
import type { ApiEvent, DashboardApi } from '../../../dashboard/server/live/api.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { toTime } from '../../../shared/kube/values/time.ts';

const ZONES = 3;
const PAGE = 500;
const GRACE_SECONDS = 40;

export const zoneOf = (index: number): string => 'abc'[index % ZONES] ?? '';

const condition = (type: string, status: string, reason: string, at: string) => ({
  type,
  status,
  reason,
  message: `${reason} says the agent`,
  lastTransitionTime: at,
});

const nodeOf = (index: number, ready: 'True' | 'Unknown', now: number): Node => {
  const at = toTime(now);
  const reason = ready === 'True' ? 'KubeletReady' : 'NodeStatusUnknown';
  const taint = { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' as const, timeAdded: at };
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name: `node-${index}`,
      uid: `uid-${index}`,
      resourceVersion: String(index + 1),
      labels: {
        'topology.kubernetes.io/zone': zoneOf(index),
        'topology.kubernetes.io/rack': `r${index % 40}`,
        'node.kubernetes.io/instance-type': `m${index % 4}`,
      },
    },
    spec: ready === 'True' ? {} : { taints: [taint] },
    status: {
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', at),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', at),
        condition('Ready', ready, reason, at),
      ],
    },
  } as Node;
};

const leaseOf = (index: number, renewedAt: number): ApiObject =>
  ({
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: {
      name: `node-${index}`,
      namespace: 'kube-node-lease',
      resourceVersion: String(renewedAt),
    },
    spec: { holderIdentity: `node-${index}`, leaseDurationSeconds: GRACE_SECONDS },
  }) as ApiObject;

const zoneObject = (name: string, isDown: boolean, waiting: readonly string[], now: number): ApiObject =>
  ({
    kind: 'Zone',
    apiVersion: 'rollcall.dev/v1',
    metadata: { name, resourceVersion: String(now) },
    spec: { zone: name },
    status: {
      state: isDown ? 'FullDisruption' : 'Normal',
      evictionRate: 0.1,
      waiting,
      nextEvictionTime: toTime(now + 9_000),
    },
  }) as ApiObject;

/** Events for the watch of one collection. */
const createInbox = () => {
  let events: ApiEvent[] = [];
  let wake = (): void => undefined;
  return {
    put: (more: readonly ApiEvent[]): void => {
      events.push(...more);
      wake();
    },
    async *read(signal: AbortSignal): AsyncGenerator<ApiEvent> {
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        const taken = events;
        events = [];
        yield* taken;
        if (events.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
};

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const NODES = '/api/v1/nodes';
const ZONE_PATH = '/apis/rollcall.dev/v1/zones';

export interface FakeFleet {
  readonly api: DashboardApi;
  /** A zone falls silent: all its nodes become Unknown. */
  outage(): void;
  /** All other nodes renew their Leases, some of them too late. */
  renewals(): void;
}

/** Makes a fleet of so many nodes. */
export const createFakeFleet = (count: number): FakeFleet => {
  const inboxes = new Map([NODES, LEASES, ZONE_PATH].map((path) => [path, createInbox()] as const));
  const all = Array.from({ length: count }, (_, index) => index);
  const zoneA = all.filter((index) => zoneOf(index) === 'a');
  const now = Date.now();
  const objectsOf: Readonly<Record<string, (index: number) => ApiObject>> = {
    [NODES]: (index) => nodeOf(index, 'True', now),
    [LEASES]: (index) => leaseOf(index, Date.now() - (index % 50 === 1 ? 25_000 : 2_000)),
  };
  const zonesNow = (isDown: boolean): readonly ApiObject[] =>
    ['a', 'b', 'c'].map((name) => {
      const waiting = isDown && name === 'a' ? zoneA.slice(0, 100).map((index) => `node-${index}`) : [];
      return zoneObject(name, isDown && name === 'a', waiting, Date.now());
    });
  const tell = (path: string, objects: readonly ApiObject[]): void =>
    inboxes.get(path)?.put(objects.map((object) => ({ type: 'MODIFIED', object })));

  return {
    api: {
      get: async () => ({ status: 200, text: '{"metadata":{"resourceVersion":"1"},"items":[]}' }),
      async *list(path) {
        const make = objectsOf[path];
        if (!make) yield { position: '1', items: path === ZONE_PATH ? zonesNow(false) : [] };
        else
          for (let from = 0; from < count; from += PAGE)
            yield { position: '1', items: all.slice(from, from + PAGE).map(make) };
      },
      watch: (path, _, signal) => (inboxes.get(path) ?? createInbox()).read(signal),
    },
    outage: () => {
      const at = Date.now();
      tell(
        NODES,
        zoneA.map((index) => nodeOf(index, 'Unknown', at)),
      );
      tell(ZONE_PATH, zonesNow(true));
    },
    renewals: () =>
      tell(
        LEASES,
        all.map((index) => leaseOf(index, Date.now() - (index % 50 === 1 ? 25_000 : 0))),
      ),
  };
};
