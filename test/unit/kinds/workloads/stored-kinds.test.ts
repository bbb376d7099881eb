import { describe, expect, it } from 'vitest';
import { validateStatefulSetUpdate } from '../../../../shared/kinds/workloads/validate-workload.ts';
import { defaultStatefulSet } from '../../../../shared/kube/defaults/workload.ts';
import { aWorkload } from '../../../support/objects/workload-objects.ts';
import type { Json, TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, statusOf } from '../../../support/servers/api.ts';

const IN = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const STORAGE = '/apis/storage.k8s.io/v1';

const post = (api: TestApi, path: string, body: object) => api.send('POST', path, { as: 'admin', body });
const put = (api: TestApi, path: string, body: object) => api.send('PUT', path, { as: 'admin', body });
const merge = (api: TestApi, path: string, body: object) =>
  api.send('PATCH', path, { as: 'admin', body, type: MERGE });

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const workload = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { selector: { matchLabels: { a: 'b' } }, template, ...spec },
});
/** A StatefulSet whose container mounts a claim, as most do. */
const CLAIMING = {
  template: {
    ...template,
    spec: { containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
  },
  volumeClaimTemplates: [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
};
const attachment = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { attacher: 'csi.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' }, ...spec },
});
const service = (spec: object) => ({ metadata: { name: 's' }, spec });

describe('a new object gets its defaults', () => {
  // biome-ignore format: one row per kind
  const rows: readonly (readonly [string, string, object, (object: Json) => unknown, unknown])[] = [
    ['a Secret: text becomes data', `${IN}/secrets`, { metadata: { name: 's' }, data: { a: 'eA==', b: 'eA==' }, stringData: { a: 'y' } }, ({ data, stringData, type }) => ({ data, stringData, type }), { data: { a: 'eQ==', b: 'eA==' }, stringData: undefined, type: 'Opaque' }],
    ['a Service: protocol and target port', `${IN}/services`, service({ ports: [{ port: 80 }] }), ({ spec }) => [spec.ports, spec.type, spec.sessionAffinity], [[{ port: 80, protocol: 'TCP', targetPort: 80 }], 'ClusterIP', 'None']],
    ['a headless Service: both names of the address', `${IN}/services`, service({ clusterIP: 'None' }), ({ spec }) => [spec.clusterIP, spec.clusterIPs], ['None', ['None']]],
    ['a Deployment: replicas, generation and template', `${APPS}/deployments`, workload('d'), ({ metadata, spec, status }) => [metadata.generation, spec.replicas, spec.template.spec.restartPolicy, spec.strategy.rollingUpdate, status], [1, 1, 'Always', { maxUnavailable: '25%', maxSurge: '25%' }, {}]],
    ['a DaemonSet: its counts', `${APPS}/daemonsets`, workload('d'), ({ status }) => status.desiredNumberScheduled, 0],
    ['a StatefulSet: its policies', `${APPS}/statefulsets`, workload('s'), ({ spec }) => [spec.podManagementPolicy, spec.persistentVolumeClaimRetentionPolicy], ['OrderedReady', { whenDeleted: 'Retain', whenScaled: 'Retain' }]],
    ['a StatefulSet: its templates of claims, which containers mount', `${APPS}/statefulsets`, workload('s', CLAIMING), ({ spec }) => spec.volumeClaimTemplates, [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeMode: 'Filesystem' }, status: { phase: 'Pending' } }]],
    ['a template: a limit is no request', `${APPS}/replicasets`, workload('r', { template: { ...template, spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '1' } } }] } } }), ({ spec }) => spec.template.spec.containers[0].resources, { limits: { cpu: '1' } }],
    ['a VolumeAttachment: it is not attached yet', `${STORAGE}/volumeattachments`, { ...attachment('a'), status: { attached: true } }, ({ status }) => status, { attached: false }],
    ['a CSIDriver: its defaults', `${STORAGE}/csidrivers`, { metadata: { name: 'd' } }, ({ spec }) => [spec.attachRequired, spec.fsGroupPolicy], [true, 'ReadWriteOnceWithFSType']],
    ['a CSINode: a list of drivers', `${STORAGE}/csinodes`, { metadata: { name: 'n' } }, ({ spec }) => spec, { drivers: null }],
  ];
  it.each(rows)('%s', async (_name, path, body, part, expected) => {
    const { code, json } = await post(createTestApi(), path, body);
    expect([code, part(json)]).toEqual([201, expected]);
  });
});

describe('a new object with a fault is refused', () => {
  // biome-ignore format: one row per fault
  const rows: readonly (readonly [string, object, string])[] = [
    [`${IN}/configmaps`, { metadata: { name: 'c' }, data: { 'a b': '' } }, 'ConfigMap "c" is invalid: data[a b]: Invalid value: "a b": a valid config key must'],
    [`${IN}/configmaps`, { metadata: { name: 'c' }, data: { a: '' }, binaryData: { a: '' } }, 'data[a]: Invalid value: "a": duplicate of key present in binaryData'],
    [`${IN}/secrets`, { metadata: { name: 's' }, type: 'kubernetes.io/tls' }, '[data[tls.crt]: Required value, data[tls.key]: Required value]'],
    [`${IN}/secrets`, { metadata: { name: 's' }, type: 'kubernetes.io/basic-auth' }, '[data[username]: Required value, data[password]: Required value]'],
    [`${IN}/secrets`, { metadata: { name: 's' }, type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{' } }, 'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>"'],
    [`${IN}/secrets`, { metadata: { name: 's' }, type: 'kubernetes.io/service-account-token' }, 'metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    [`${IN}/services`, { metadata: { name: '1s' }, spec: { ports: [{ port: 1 }] } }, 'a DNS-1035 label must consist of'],
    [`${IN}/services`, service({}), 'spec.ports: Required value'],
    [`${IN}/services`, service({ ports: [{ port: 0 }] }), 'spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    [`${IN}/services`, service({ ports: [{ port: 1 }, { port: 2 }] }), '[spec.ports[0].name: Required value, spec.ports[1].name: Required value]'],
    [`${IN}/services`, service({ ports: [{ port: 1, name: 'a' }, { port: 1, name: 'a' }] }), 'spec.ports[1].name: Duplicate value: "a"'],
    [`${IN}/services`, service({ type: 'Odd', ports: [{ port: 1 }] }), 'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'],
    [`${IN}/services`, service({ type: 'ExternalName' }), 'spec.externalName: Required value'],
    [`${APPS}/deployments`, workload('d', { selector: undefined }), 'spec.selector: Required value'],
    [`${APPS}/daemonsets`, workload('d', { selector: {} }), 'empty selector is invalid for daemonset'],
    [`${APPS}/deployments`, workload('d', { selector: { matchLabels: { a: 'c' } } }), '`selector` does not match template `labels`'],
    [`${APPS}/deployments`, workload('d', { strategy: { type: 'Recreate', rollingUpdate: {} } }), "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    [`${APPS}/deployments`, workload('d', { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } }), 'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
    [`${IN}/pods`, { metadata: { name: 'p', annotations: { 'controller.kubernetes.io/pod-deletion-cost': '01' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }, 'metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "01": must be a 32bit integer'],
    [`${APPS}/deployments`, workload('d', { replicas: -1 }), 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [`${APPS}/replicasets`, workload('r', { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }), 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    [`${APPS}/statefulsets`, workload('s', { ...CLAIMING, volumeClaimTemplates: [{ metadata: { name: 'other' } }] }), 'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"'],
    [`${APPS}/replicasets`, workload('r', { template: { metadata: template.metadata } }), 'spec.template.spec.containers: Required value'],
    [`${STORAGE}/volumeattachments`, attachment('a', { attacher: '' }), 'spec.attacher: Required value'],
    [`${STORAGE}/volumeattachments`, attachment('a', { source: {} }), 'spec.source: Required value: must specify exactly one of'],
    [`${STORAGE}/volumeattachments`, attachment('a', { source: { persistentVolumeName: 'pv', inlineVolumeSpec: {} } }), 'spec.source: Forbidden: must specify exactly one of'],
    [`${STORAGE}/csinodes`, { metadata: { name: 'n' }, spec: { drivers: [{ name: 'a', nodeID: 'x' }, { name: 'a', nodeID: '' }] } }, '[spec.drivers[1].nodeID: Required value, spec.drivers[1].name: Duplicate value: "a"]'],
    [`${STORAGE}/csinodes`, { metadata: { name: 'n' }, spec: { drivers: [{ name: 'a', nodeID: 'x', allocatable: { count: -1 }, topologyKeys: ['b', 'b'] }] } }, '[spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0, spec.drivers[0].topologyKeys: Duplicate value: "b"]'],
    [`${STORAGE}/csidrivers`, { metadata: { name: 'd' }, spec: { fsGroupPolicy: 'Odd' } }, 'spec.fsGroupPolicy: Unsupported value: "Odd"'],
    [`${STORAGE}/csidrivers`, { metadata: { name: 'd' }, spec: { tokenRequests: [{ audience: 'a', expirationSeconds: 5 }, { audience: 'a' }] } }, '[spec.tokenRequests[0].expirationSeconds: Invalid value: 5: may not specify a duration less than 10 minutes, spec.tokenRequests[1].audience: Duplicate value: "a"]'],
    ['/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'r' }, handler: 'A' }, 'handler: Invalid value: "A": a lowercase RFC 1123 label'],
  ];
  it.each(rows)('%s %j', async (path, body, message) => {
    const answer = await post(createTestApi(), path, body);
    expect(statusOf(answer)).toEqual([422, 'Invalid', expect.stringContaining(message)]);
  });
});

describe('a change of an immutable field is refused', () => {
  // biome-ignore format: one row per rule
  const rows: readonly (readonly [string, object, object, string])[] = [
    [`${IN}/configmaps`, { metadata: { name: 'x' }, immutable: true, data: { a: 'b' } }, { data: { a: 'c' } }, 'data: Forbidden: field is immutable when `immutable` is set'],
    [`${IN}/configmaps`, { metadata: { name: 'x' }, immutable: true }, { immutable: false }, 'immutable: Forbidden: field is immutable when `immutable` is set'],
    [`${IN}/secrets`, { metadata: { name: 'x' } }, { type: 'a/b' }, 'type: Invalid value: "a/b": field is immutable'],
    [`${IN}/services`, { metadata: { name: 'x' }, spec: { clusterIP: '10.96.0.9', ports: [{ port: 1 }] } }, { spec: { clusterIP: '10.96.0.2', clusterIPs: ['10.96.0.2'] } }, 'spec.clusterIPs[0]: Invalid value: ["10.96.0.2"]: may not change once set'],
    [`${APPS}/deployments`, workload('x'), { spec: { selector: { matchLabels: { c: 'd' } }, template: { metadata: { labels: { c: 'd' } } } } }, 'spec.selector: Invalid value: {"matchLabels":{"a":"b","c":"d"}}: field is immutable'],
    [`${APPS}/statefulsets`, workload('x'), { spec: { serviceName: 's' } }, "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template'"],
    [`${STORAGE}/volumeattachments`, attachment('x'), { spec: { nodeName: 'other' } }, 'spec: Invalid value: {"Attacher":"csi.example.com","Source":{"PersistentVolumeName":"pv","InlineVolumeSpec":null},"NodeName":"other"}: field is immutable'],
    [`${STORAGE}/csinodes`, { metadata: { name: 'x' }, spec: { drivers: [{ name: 'a', nodeID: 'x' }] } }, { spec: { drivers: [{ name: 'a', nodeID: 'y' }] } }, 'spec.drivers: Invalid value: {"Name":"a","NodeID":"y","TopologyKeys":null,"Allocatable":null}: field is immutable'],
    [`${STORAGE}/csidrivers`, { metadata: { name: 'x' } }, { spec: { attachRequired: false } }, 'spec.attachedRequired: Invalid value: false: field is immutable'],
    ['/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'x' }, handler: 'a' }, { handler: 'b' }, 'handler: Invalid value: "b": field is immutable'],
  ];
  it.each(rows)('%s %j', async (path, body, patch, message) => {
    const api = createTestApi();
    await post(api, path, body);
    const answer = await merge(api, `${path}/x`, patch);
    expect(statusOf(answer)).toEqual([422, 'Invalid', expect.stringContaining(message)]);
  });
});

describe('a change', () => {
  it('of a StatefulSet that was read sends the kinds of its claims back, which strict decoding knows', async () => {
    const api = createTestApi();
    const { json } = await post(api, `${APPS}/statefulsets`, workload('s', CLAIMING));
    const path = `${APPS}/statefulsets/s?fieldValidation=Strict`;
    expect((await put(api, path, json)).code).toBe(200);
    const [claim] = json.spec.volumeClaimTemplates;
    const spec = { ...json.spec, volumeClaimTemplates: [{ ...claim, odd: 1 }] };
    const answer = await put(api, path, { ...json, spec });
    expect(statusOf(answer)[2]).toContain('unknown field "spec.volumeClaimTemplates[0].odd"');
  });

  it('of a StatefulSet may follow a version that stored no defaults in the templates of its claims', () => {
    const parts = {
      name: 'db',
      kind: 'StatefulSet',
      spec: { volumeClaimTemplates: CLAIMING.volumeClaimTemplates },
    };
    const before = aWorkload(parts);
    const after = defaultStatefulSet(before);
    expect(after).not.toEqual(before);
    expect(validateStatefulSetUpdate(defaultStatefulSet(after), after)).toEqual([]);
    expect(validateStatefulSetUpdate(after, before)).toEqual([]);
  });

  it('of the spec increases the generation, one of labels or status does not', async () => {
    const api = createTestApi();
    const path = `${APPS}/daemonsets/d`;
    await post(api, `${APPS}/daemonsets`, workload('d'));
    const generations = [
      await merge(api, path, { metadata: { labels: { x: 'y' } } }),
      await merge(api, `${path}/status`, { status: { numberReady: 1 }, spec: { minReadySeconds: 9 } }),
      await merge(api, path, { spec: { minReadySeconds: 5 }, status: { numberReady: 7 } }),
    ].map(({ json }) => [json.metadata.generation, json.spec.minReadySeconds, json.status.numberReady]);
    expect(generations).toEqual([
      [1, undefined, 0],
      [1, undefined, 1],
      [2, 5, 1],
    ]);
  });

  it("of a Deployment's annotations increases the generation", async () => {
    const api = createTestApi();
    await post(api, `${APPS}/deployments`, workload('d'));
    const { json } = await merge(api, `${APPS}/deployments/d`, { metadata: { annotations: { x: 'y' } } });
    expect(json.metadata.generation).toBe(2);
  });

  it.each([
    [`${STORAGE}/csinodes`, 'csinodes.storage.k8s.io', {}],
    [`${STORAGE}/csidrivers`, 'csidrivers.storage.k8s.io', {}],
    [`${STORAGE}/volumeattachments`, 'volumeattachments.storage.k8s.io', attachment('n')],
    ['/apis/node.k8s.io/v1/runtimeclasses', 'runtimeclasses.node.k8s.io', { handler: 'h' }],
    [`${IN}/serviceaccounts`, 'serviceaccounts', {}],
  ])('by PUT of %s requires the resourceVersion', async (path, resource, rest) => {
    const api = createTestApi();
    const body = { ...rest, metadata: { name: 'n' } };
    await post(api, path, body);
    expect(statusOf(await put(api, `${path}/n`, body))).toEqual([
      422,
      'Invalid',
      `${resource} "n" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    ]);
    expect((await merge(api, `${path}/n`, { metadata: { labels: { a: 'b' } } })).code).toBe(200);
  });

  it('of the status of a VolumeAttachment keeps its finalizers', async () => {
    const api = createTestApi();
    const path = `${STORAGE}/volumeattachments/a`;
    await post(api, `${STORAGE}/volumeattachments`, attachment('a'));
    const { json } = await merge(api, `${path}/status`, {
      metadata: { finalizers: ['x/y'] },
      status: { attached: true },
    });
    expect([json.metadata.finalizers, json.status]).toEqual([undefined, { attached: true }]);
  });

  it('by PUT creates a missing Service, and keeps the address of an existing one', async () => {
    const api = createTestApi();
    const path = `${IN}/services/s`;
    const first = await put(api, path, service({ clusterIP: '10.96.0.9', ports: [{ port: 1 }] }));
    const second = await put(api, path, service({ ports: [{ port: 2 }] }));
    expect([first.code, second.code, second.json.spec.clusterIP]).toEqual([201, 200, '10.96.0.9']);
  });
});

describe('the scale of a workload', () => {
  const scaled = async () => {
    const api = createTestApi();
    const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'A', operator: 'DoesNotExist' }] };
    await post(api, `${APPS}/deployments`, workload('d', { replicas: 2, selector }));
    return { api, path: `${APPS}/deployments/d/scale` };
  };

  it('is an object of kind Scale', async () => {
    const { api, path } = await scaled();
    const { json } = await api.send('GET', path);
    expect([json.apiVersion, json.kind, json.spec, json.status]).toEqual([
      'autoscaling/v1',
      'Scale',
      { replicas: 2 },
      { replicas: 0, selector: '!A,a=b' },
    ]);
  });

  it('is changed by PATCH and PUT, which increase the generation', async () => {
    const { api, path } = await scaled();
    const patched = await merge(api, path, { spec: { replicas: 0 } });
    const replaced = await put(api, path, { metadata: { name: 'd' }, spec: { replicas: 5 } });
    const { json } = await api.send('GET', `${APPS}/deployments/d`);
    expect([patched.json.spec, replaced.json.spec, json.spec.replicas, json.metadata.generation]).toEqual([
      {},
      { replicas: 5 },
      5,
      3,
    ]);
  });

  it('must not be negative, nor of another version', async () => {
    const { api, path } = await scaled();
    const negative = await merge(api, path, { spec: { replicas: -1 } });
    const stale = await put(api, path, { metadata: { name: 'd', resourceVersion: '1' }, spec: {} });
    const absent = await api.send('GET', `${APPS}/deployments/e/scale`);
    expect(statusOf(negative)[2]).toBe(
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    expect([negative.code, stale.code, absent.code]).toEqual([422, 409, 404]);
  });
});

describe('a field selector', () => {
  it.each([
    [`${IN}/secrets`, { metadata: { name: 'a' }, type: 'a/b' }, 'type=a/b'],
    [
      `${IN}/services`,
      { metadata: { name: 'a' }, spec: { clusterIP: 'None' } },
      'spec.clusterIP=None,spec.type=ClusterIP',
    ],
    ['/api/v1/namespaces', { metadata: { name: 'a' } }, 'status.phase=Active,metadata.name!=default'],
    [`${IN}/configmaps`, { metadata: { name: 'a' } }, 'metadata.namespace=default'],
    [`${STORAGE}/csinodes`, { metadata: { name: 'a' } }, 'metadata.namespace='],
  ])('of %s %j finds by %s', async (path, body, selector) => {
    const api = createTestApi();
    await post(api, path, body);
    const { json } = await api.send('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`);
    expect(json.items.map(({ metadata }: Json) => metadata.name)).toContain('a');
  });

  it.each([
    [`${IN}/secrets`, 'field label not supported: spec.x'],
    ['/api/v1/namespaces', 'field label not supported: spec.x'],
    [
      `${IN}/configmaps`,
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    [
      `${STORAGE}/csinodes`,
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('of %s names an unknown field', async (path, message) => {
    const answer = await createTestApi().send('GET', `${path}?fieldSelector=spec.x%3D1`);
    expect(statusOf(answer)).toEqual([400, 'BadRequest', message]);
  });
});
