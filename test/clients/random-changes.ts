/** Many changes of nodes, pods and leases: one after another per lane, several lanes at a time. */
import type { Random } from '../chaos/random.ts';
import type { Cluster } from './cluster.ts';
import { aNode } from './objects.ts';

const LANES = 6;
const OBJECTS_EACH = 6;
/** One change in so many is a delete. */
const DELETE_EVERY = 6;

const NAMESPACE = 'default';

interface Change {
  readonly method: 'PATCH' | 'PUT';
  readonly subresource?: string;
  readonly body: (value: string, present: object) => object;
}

interface Kind {
  readonly collection: string;
  readonly create: (name: string) => object;
  readonly changes: readonly Change[];
}

const label: Change = { method: 'PATCH', body: (value) => ({ metadata: { labels: { value } } }) };
const annotate: Change = {
  method: 'PATCH',
  body: (value) => ({ metadata: { annotations: { 'example.org/note': `${value} "quoted" ü` } } }),
};

const NODES: Kind = {
  collection: '/api/v1/nodes',
  create: (name) => aNode(name),
  changes: [
    label,
    annotate,
    { method: 'PATCH', body: (key) => ({ spec: { taints: [{ key, value: 'x', effect: 'NoSchedule' }] } }) },
    { method: 'PATCH', body: () => ({ spec: { taints: null, unschedulable: true } }) },
    {
      method: 'PATCH',
      subresource: '/status',
      body: (value) => ({
        status: { capacity: { cpu: '8', 'example.org/device': value.length.toString() } },
      }),
    },
  ],
};

const PODS: Kind = {
  collection: `/api/v1/namespaces/${NAMESPACE}/pods`,
  create: (name) => ({
    metadata: { name, labels: { unattended: 'yes' } },
    spec: { containers: [{ name: 'c', image: 'example.org/c:1', resources: { requests: { cpu: '100m' } } }] },
  }),
  changes: [
    label,
    annotate,
    {
      method: 'PATCH',
      subresource: '/status',
      body: (value) => ({ status: { phase: 'Running', message: value } }),
    },
  ],
};

const LEASES: Kind = {
  collection: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  create: (name) => ({ metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } }),
  changes: [
    label,
    {
      method: 'PUT',
      body: (value, present) => ({
        ...present,
        spec: { holderIdentity: value, renewTime: '2026-01-02T03:04:05.000001Z' },
      }),
    },
  ],
};

const KINDS = [NODES, PODS, LEASES];

interface Slot {
  readonly kind: Kind;
  readonly name: string;
  exists: boolean;
}

const slotsOf = (prefix: string, lane: number): readonly Slot[] =>
  Array.from({ length: OBJECTS_EACH }, (_, at) => ({
    kind: KINDS[(lane + at) % KINDS.length] ?? NODES,
    name: `${prefix}-${lane}-${at}`,
    exists: false,
  }));

const pick = <T>(list: readonly T[], random: Random): T => {
  const found = list[random.between(0, list.length - 1)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

const changeSlot = async (slot: Slot, call: Cluster['call'], random: Random): Promise<void> => {
  const { kind, name } = slot;
  const path = `${kind.collection}/${name}`;
  if (!slot.exists) {
    slot.exists = true;
    await call('POST', kind.collection, kind.create(name));
  } else if (random.between(1, DELETE_EVERY) === 1) {
    slot.exists = false;
    await call('DELETE', path, { gracePeriodSeconds: 0 });
  } else {
    const { method, subresource = '', body } = pick(kind.changes, random);
    const present = method === 'PUT' ? await call<object>('GET', path) : {};
    await call(method, path + subresource, body(`v${random.between(0, 1_000)}`, present));
  }
};

export interface RandomChanges {
  /** Resolves when `count` more changes were made; rejects when one was refused. */
  make(count: number): Promise<void>;
}

/** On objects whose names begin with `prefix`. */
export const createRandomChanges = (call: Cluster['call'], random: Random, prefix: string): RandomChanges => {
  const lanes = Array.from({ length: LANES }, (_, lane) => slotsOf(prefix, lane));
  return {
    make: async (count) => {
      let left = count;
      const work = async (slots: readonly Slot[]): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await changeSlot(pick(slots, random), call, random);
        }
      };
      await Promise.all(lanes.map(work));
    },
  };
};
