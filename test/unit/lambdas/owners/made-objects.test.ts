/** What controllers make is stored as the API stores what clients send: a client can change it, and an unchanged PUT changes nothing. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import { aWorkloadPlane } from '../../../support/planes/workload-plane.ts';
import { createTestApi, type Json, MERGE, type TestApi } from '../../../support/servers/api.ts';

type Plane = Awaited<ReturnType<typeof aWorkloadPlane>>;

const APPLY = 'application/apply-patch+yaml';
const SECOND = 1_000;

/** The collections whose objects are looked at, all of `default` or without a namespace. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  pods: '/api/v1/namespaces/default/pods',
  persistentvolumeclaims: '/api/v1/namespaces/default/persistentvolumeclaims',
  events: '/api/v1/namespaces/default/events',
  persistentvolumes: '/api/v1/persistentvolumes',
  nodes: '/api/v1/nodes',
  namespaces: '/api/v1/namespaces',
  controllerrevisions: '/apis/apps/v1/namespaces/default/controllerrevisions',
  replicasets: '/apis/apps/v1/namespaces/default/replicasets',
  deployments: '/apis/apps/v1/namespaces/default/deployments',
  daemonsets: '/apis/apps/v1/namespaces/default/daemonsets',
  statefulsets: '/apis/apps/v1/namespaces/default/statefulsets',
  jobs: '/apis/batch/v1/namespaces/default/jobs',
  poddisruptionbudgets: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  volumeattachments: '/apis/storage.k8s.io/v1/volumeattachments',
  serviceaccounts: '/api/v1/namespaces/default/serviceaccounts',
  configmaps: '/api/v1/namespaces/default/configmaps',
  priorityclasses: '/apis/scheduling.k8s.io/v1/priorityclasses',
};

/** A template with members that a client may leave empty, and that are not stored then. */
const template = (app: string, spec: object = {}) => ({
  metadata: { labels: { app }, annotations: {} },
  spec: {
    containers: [{ name: 'c', image: 'i', env: [], command: null, resources: { limits: { cpu: '0.5' } } }],
    volumes: [],
    nodeSelector: {},
    ...spec,
  },
});

const workload = (kind: string, name: string, spec: object) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: { selector: { matchLabels: { app: name } }, template: template(name), ...spec },
});

const job = (name: string, spec: object) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: template(name, { restartPolicy: 'Never' }), ...spec },
});

const claimTemplate = {
  metadata: { name: 'data' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1024Mi' } },
    storageClassName: '',
  },
};

const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    csi: { driver: 'd.example.com', volumeHandle: 'h' },
  },
};

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'n1',
    annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
  },
};

const INDEXED = { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 1 };

const GIVEN: readonly (readonly [string, object])[] = [
  ['nodes', node],
  ['persistentvolumes', volume],
  ['deployments', workload('Deployment', 'deployment', { replicas: 1 })],
  ['replicasets', workload('ReplicaSet', 'replica-set', { replicas: 1 })],
  ['daemonsets', workload('DaemonSet', 'daemon-set', {})],
  ['statefulsets', workload('StatefulSet', 'nameless', { replicas: 1 })],
  [
    'statefulsets',
    workload('StatefulSet', 'claiming', {
      replicas: 1,
      serviceName: 's',
      volumeClaimTemplates: [claimTemplate],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
    }),
  ],
  ['jobs', job('job', {})],
  ['jobs', job('indexed', INDEXED)],
  ['jobs', job('failing', { ...INDEXED, completions: 1, parallelism: 1 })],
  [
    'poddisruptionbudgets',
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'budget' },
      spec: { selector: { matchLabels: { app: 'deployment' } }, minAvailable: 0 },
    },
  ],
];

const MADE_PODS = [
  'claiming',
  'daemon-set',
  'failing-0',
  'indexed-0',
  'indexed-1',
  'job',
  'nameless',
  'replica-set',
];

const WITHOUT_STATUS = new Set([
  'configmaps',
  'controllerrevisions',
  'events',
  'priorityclasses',
  'serviceaccounts',
]);

const pathOf = (resource: string, name: string): string => `${COLLECTIONS[resource]}/${name}`;

const everyObject = async (api: TestApi): Promise<readonly (readonly [string, ApiObject])[]> => {
  const found: (readonly [string, ApiObject])[] = [];
  for (const [resource, path] of Object.entries(COLLECTIONS))
    for (const { metadata } of (await api.send('GET', path)).json.items as ApiObject[])
      found.push([resource, (await api.send('GET', `${path}/${metadata.name}`)).json]);
  return found;
};

const readyNode = (api: TestApi) => {
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
  const allocatable = { cpu: '8', memory: '8Gi', pods: '110' };
  const body = { status: { conditions, allocatable, capacity: allocatable } };
  return api.send('PATCH', `${pathOf('nodes', 'n1')}/status`, { as: 'admin', body, type: MERGE });
};

/** Pods run as their kubelet would say; those of the Job `failing` fail. */
const playKubelet = async ({ change, pods }: Plane, now: () => number): Promise<void> => {
  for (const { metadata } of await pods()) {
    const isFailing = metadata.name.startsWith('failing-');
    await change('pods', metadata.name, (pod) => ({
      ...pod,
      status: {
        ...(pod as Json).status,
        phase: isFailing ? 'Failed' : 'Running',
        conditions: [
          ...(pod as Json).status.conditions,
          {
            type: 'Ready',
            status: isFailing ? 'False' : 'True',
            lastProbeTime: null,
            lastTransitionTime: new Date(now()).toISOString().replace('.000', ''),
          },
        ],
      },
    }));
  }
};

const made = async () => {
  const config = { nodeMonitorGracePeriodMs: 3_600_000, nodeStartupGracePeriodMs: 3_600_000 };
  const plane = await aWorkloadPlane({ config });
  const api = createTestApi({ state: plane.state, clock: plane.clock, ids: plane.invoke().ids });
  for (const [resource, body] of GIVEN) {
    const { code, json } = await api.send('POST', COLLECTIONS[resource] ?? '', { as: 'admin', body });
    if (code !== 201) throw new Error(json.message);
  }
  await readyNode(api);
  await plane.run(10 * SECOND);
  await playKubelet(plane, plane.clock.now);
  await plane.run(30 * SECOND);
  return { plane, api, objects: await everyObject(api) };
};

describe('objects that controllers make', () => {
  let world: Awaited<ReturnType<typeof made>>;
  beforeAll(async () => {
    world = await made();
  });

  const changesOf = async (resource: string, name: string, subresource = ''): Promise<readonly string[]> => {
    const path = `${pathOf(resource, name)}${subresource}`;
    const body = (await world.api.send('GET', path)).json;
    const { code, json } = await world.api.send('PUT', path, { as: 'admin', body });
    const isSame = code === 200 && json.metadata.resourceVersion === body.metadata.resourceVersion;
    return isSame ? [] : [`${path}: ${code} ${json.message ?? JSON.stringify([body, json])}`];
  };

  it('are all here', () => {
    expect(world.plane.failures).toEqual([]);
    expect(
      world.objects.map(
        ([resource, { metadata }]) => `${resource} ${metadata.generateName ?? metadata.name}`,
      ),
    ).toEqual(
      expect.arrayContaining([
        ...MADE_PODS.map((name) => `pods ${name}-`),
        'persistentvolumeclaims data-claiming-0',
        ...['claiming', 'daemon-set', 'nameless'].map((name) =>
          expect.stringMatching(`controllerrevisions ${name}-`),
        ),
        expect.stringMatching('replicasets deployment-'),
        expect.stringMatching('volumeattachments csi-'),
        expect.stringMatching('events nameless'),
        'configmaps kube-root-ca.crt',
        'priorityclasses system-node-critical',
      ]),
    );
  });

  it('do not change when a client replaces them by what it has read', async () => {
    const changes = [];
    for (const [resource, { metadata }] of world.objects)
      changes.push(...(await changesOf(resource, metadata.name)));
    expect(changes).toEqual([]);
  });

  it('do not change when a client replaces their status by what it has read', async () => {
    const changes = [];
    for (const [resource, { metadata }] of world.objects)
      if (!WITHOUT_STATUS.has(resource))
        changes.push(...(await changesOf(resource, metadata.name, '/status')));
    expect(changes).toEqual([]);
  });

  it('can be labelled, annotated and applied', async () => {
    const faults: string[] = [];
    const patch = async (path: string, type: string, body: object): Promise<void> => {
      const { code, json } = await world.api.send('PATCH', path, { as: 'admin', body, type });
      if (code !== 200) faults.push(`${path}: ${code} ${json.message}`);
    };
    for (const [
      resource,
      {
        apiVersion,
        kind,
        metadata: { name },
      },
    ] of world.objects) {
      const path = pathOf(resource, name);
      await patch(path, MERGE, { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } });
      await patch(`${path}?fieldManager=me`, APPLY, {
        apiVersion,
        kind,
        metadata: { name, labels: { e: 'f' } },
      });
    }
    expect(faults).toEqual([]);
  });
});
