import { describe, expect, it } from 'vitest';
import type { Json, TestApi } from '../../support/servers/api.ts';
import { createTestApi, MERGE, statusOf } from '../../support/servers/api.ts';

const CORE = '/api/v1/namespaces/default';
const BATCH = '/apis/batch/v1/namespaces/default';
const DEVICES = '/apis/resource.k8s.io/v1';
const STORAGE = '/apis/storage.k8s.io/v1';

const VOLUMES = '/api/v1/persistentvolumes';
const CLAIMS = `${CORE}/persistentvolumeclaims`;
const CONTROLLERS = `${CORE}/replicationcontrollers`;
const ENDPOINTS = `${CORE}/endpoints`;
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
const TEMPLATES = `${CORE}/podtemplates`;
const LIMITS = `${CORE}/limitranges`;
const QUOTAS = `${CORE}/resourcequotas`;
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const JOBS = `${BATCH}/jobs`;
const CRON_JOBS = `${BATCH}/cronjobs`;
const CLASSES = `${STORAGE}/storageclasses`;
const CAPACITIES = `${STORAGE}/namespaces/default/csistoragecapacities`;
const DEVICE_CLASSES = `${DEVICES}/deviceclasses`;
const RESOURCE_CLAIMS = `${DEVICES}/namespaces/default/resourceclaims`;
const RESOURCE_SLICES = `${DEVICES}/resourceslices`;

const named = (parts: object) => ({ metadata: { name: 'x' }, ...parts });
const podSpec = (more: object = {}) => ({ containers: [{ name: 'c', image: 'i' }], ...more });
const volume = (spec: object = {}) =>
  named({
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, ...spec },
  });
const claim = (spec: object = {}) =>
  named({
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  });
const controller = (spec: object = {}) =>
  named({ spec: { template: { metadata: { labels: { a: 'b' } }, spec: podSpec() }, ...spec } });
const jobSpec = { template: { spec: podSpec({ restartPolicy: 'Never' }) } };
const job = (spec: object = {}) => named({ spec: { ...jobSpec, ...spec } });
const cronJob = (spec: object = {}) =>
  named({ spec: { schedule: '*/5 * * * *', jobTemplate: { spec: jobSpec }, ...spec } });
const slice = (parts: object = {}) =>
  named({ addressType: 'IPv4', endpoints: [{ addresses: ['10.1.1.1'] }], ports: [{ port: 80 }], ...parts });
const subset = (ip: string, port: object = { port: 80 }) =>
  named({ subsets: [{ addresses: [{ ip }], ports: [port] }] });
const limit = (item: object) => named({ spec: { limits: [{ type: 'Container', ...item }] } });
const quota = (spec: object) => named({ spec });
const revision = (parts: object = {}) => named({ revision: 1, data: { a: 1 }, ...parts });
const storageClass = (parts: object = {}) => named({ provisioner: 'a.example.com/b', ...parts });
const request = (more: object = {}) => ({ name: 'r', exactly: { deviceClassName: 'd' }, ...more });
const resourceClaim = (more: object = {}) => named({ spec: { devices: { requests: [request(more)] } } });
const resourceSlice = (spec: object = {}) =>
  named({
    spec: {
      driver: 'd.example.com',
      nodeName: 'n1',
      pool: { name: 'n1', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'd0' }],
      ...spec,
    },
  });

const post = (api: TestApi, path: string, body: object) => api.send('POST', path, { as: 'admin', body });
const patch = (api: TestApi, path: string, body: object) =>
  api.send('PATCH', path, { as: 'admin', body, type: MERGE });

describe('a new object gets its defaults', () => {
  // biome-ignore format: one row per kind
  const rows: readonly (readonly [string, object, (object: Json) => unknown, unknown])[] = [
    [VOLUMES, volume(), ({ spec, status }) => [spec.persistentVolumeReclaimPolicy, spec.volumeMode, status], ['Retain', 'Filesystem', { phase: 'Pending', lastPhaseTransitionTime: '2026-03-01T12:00:00Z' }]],
    [CLAIMS, claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'y' } }), ({ spec, status }) => [spec.volumeMode, spec.dataSourceRef, status], ['Filesystem', { kind: 'PersistentVolumeClaim', name: 'y' }, { phase: 'Pending' }]],
    [CONTROLLERS, controller(), ({ metadata, spec, status }) => [metadata.labels, metadata.generation, spec.replicas, spec.selector, status], [{ a: 'b' }, 1, 1, { a: 'b' }, { replicas: 0 }]],
    [ENDPOINTS, subset('10.0.0.1'), ({ subsets }) => subsets[0].ports, [{ port: 80, protocol: 'TCP' }]],
    [SLICES, slice(), ({ metadata, ports }) => [metadata.generation, ports], [1, [{ name: '', port: 80, protocol: 'TCP' }]]],
    [SLICES, slice({ endpoints: [], ports: undefined }), ({ endpoints, ports }) => [endpoints, ports], [null, null]],
    [TEMPLATES, named({ template: { spec: podSpec() } }), ({ metadata, template }) => [metadata.generation, template.spec.restartPolicy], [1, 'Always']],
    [LIMITS, limit({ max: { cpu: '2' }, min: { memory: '1Mi' } }), ({ spec }) => [spec.limits[0].default, spec.limits[0].defaultRequest], [{ cpu: '2' }, { memory: '1Mi', cpu: '2' }]],
    [QUOTAS, quota({ hard: { pods: '1' } }), ({ status }) => status, {}],
    [REVISIONS, revision(), ({ data, revision: number }) => [data, number], [{ a: 1 }, 1]],
    [JOBS, job(), ({ metadata, spec }) => [metadata.generation, spec.completions, spec.parallelism, spec.backoffLimit, spec.completionMode, spec.suspend, spec.podReplacementPolicy, spec.manualSelector], [1, 1, 1, 6, 'NonIndexed', false, 'TerminatingOrFailed', false]],
    [JOBS, job({ parallelism: 3 }), ({ spec }) => [spec.completions, spec.parallelism], [undefined, 3]],
    [CRON_JOBS, cronJob(), ({ spec }) => [spec.concurrencyPolicy, spec.suspend, spec.successfulJobsHistoryLimit, spec.failedJobsHistoryLimit, spec.jobTemplate.spec.completions], ['Allow', false, 3, 1, undefined]],
    [CLASSES, storageClass(), ({ reclaimPolicy, volumeBindingMode }) => [reclaimPolicy, volumeBindingMode], ['Delete', 'Immediate']],
    [CAPACITIES, named({ storageClassName: 's', capacity: '1024Mi' }), ({ capacity }) => capacity, '1Gi'],
    [DEVICE_CLASSES, named({}), ({ metadata, spec }) => [metadata.generation, spec], [1, {}]],
    [RESOURCE_CLAIMS, resourceClaim(), ({ spec, status }) => [spec.devices.requests[0].exactly, status], [{ deviceClassName: 'd', allocationMode: 'ExactCount', count: 1 }, {}]],
    [RESOURCE_SLICES, resourceSlice(), ({ metadata }) => metadata.generation, 1],
  ];
  it.each(rows)('%s %j', async (path, body, part, expected) => {
    const { code, json } = await post(createTestApi(), path, body);
    expect([code, part(json)]).toEqual([201, expected]);
  });

  it('a Job: generated labels and selector', async () => {
    const { json } = await post(createTestApi(), JOBS, job());
    const { uid } = json.metadata;
    expect(json.spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
    expect(json.spec.template.metadata.labels).toEqual({
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'x',
      'controller-uid': uid,
      'job-name': 'x',
    });
  });
});

describe('a new object with a fault is refused', () => {
  // biome-ignore format: one row per fault
  const rows: readonly (readonly [string, object, string])[] = [
    [VOLUMES, volume({ accessModes: [] }), 'spec.accessModes: Required value'],
    [VOLUMES, volume({ accessModes: ['Odd'] }), 'spec.accessModes: Unsupported value: "Odd": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'],
    [VOLUMES, volume({ accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }), 'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
    [VOLUMES, volume({ capacity: undefined }), 'spec.capacity: Required value'],
    [VOLUMES, volume({ capacity: { storage: '0' } }), 'spec.capacity[storage]: Invalid value: "0": must be greater than zero'],
    [VOLUMES, volume({ hostPath: undefined }), 'spec: Required value: must specify a volume type'],
    [VOLUMES, volume({ nfs: { server: 's', path: '/' } }), 'spec.nfs: Forbidden: may not specify more than 1 volume type'],
    [VOLUMES, volume({ hostPath: undefined, local: { path: '/x' } }), 'spec.nodeAffinity: Required value: Local volume requires node affinity'],
    [VOLUMES, volume({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }), "may not be 'recycle' for a hostPath mount of '/'"],
    [VOLUMES, volume({ persistentVolumeReclaimPolicy: 'Odd' }), 'supported values: "Delete", "Recycle", "Retain"'],
    [CLAIMS, claim({ resources: {} }), 'spec.resources[storage]: Required value'],
    [CLAIMS, claim({ accessModes: [] }), 'spec.accessModes: Required value: at least 1 access mode is required'],
    [CLAIMS, claim({ volumeMode: 'Odd' }), 'spec.volumeMode: Unsupported value: "Odd": supported values: "Block", "Filesystem"'],
    [CLAIMS, claim({ storageClassName: 'A' }), 'spec.storageClassName: Invalid value: "A"'],
    [CONTROLLERS, controller({ selector: { c: 'd' } }), '`selector` does not match template `labels`'],
    [CONTROLLERS, controller({ template: undefined, selector: { a: 'b' } }), 'spec.template: Required value'],
    [CONTROLLERS, controller({ replicas: -1 }), 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [ENDPOINTS, named({ subsets: [{}] }), 'subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`'],
    [ENDPOINTS, subset('127.0.0.1'), 'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    [ENDPOINTS, subset('fe80::1'), 'may not be in the link-local range (169.254.0.0/16, fe80::/10)'],
    [ENDPOINTS, subset('x'), 'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address'],
    [ENDPOINTS, subset('10.0.0.1', { port: 0 }), 'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive'],
    [SLICES, slice({ addressType: undefined }), 'addressType: Required value'],
    [SLICES, slice({ addressType: 'Odd' }), 'addressType: Unsupported value: "Odd": supported values: "FQDN", "IPv4", "IPv6"'],
    [SLICES, slice({ endpoints: [{ addresses: ['fd00::1'] }] }), 'endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4 address'],
    [SLICES, slice({ endpoints: [{ addresses: [] }] }), 'endpoints[0].addresses: Required value: must contain at least 1 address'],
    [SLICES, slice({ ports: [{ name: 'a' }, { name: 'a' }] }), 'ports[1].name: Duplicate value: "a"'],
    [SLICES, slice({ endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.1.1.1'] })) }), 'endpoints: Too many: 1001: must have at most 1000 items'],
    [SLICES, slice({ endpoints: [{ addresses: ['10.1.1.1'], hints: { forZones: [{ name: 'a' }, { name: 'a' }] } }] }), 'endpoints[0].hints.forZones[1].name: Duplicate value: "a"'],
    [TEMPLATES, named({ template: {} }), 'template.spec.containers: Required value'],
    [LIMITS, limit({ max: { cpu: '1' }, min: { cpu: '2' } }), 'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
    [LIMITS, limit({ type: 'Odd' }), 'spec.limits[0].type: Invalid value: "Odd": must be a standard limit type or fully qualified'],
    [LIMITS, limit({ type: 'Pod', default: { cpu: '1' } }), "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
    [LIMITS, limit({ type: 'PersistentVolumeClaim' }), 'spec.limits[0].limits: Required value: either minimum or maximum storage value is required'],
    [QUOTAS, quota({ hard: { odd: '1' } }), 'spec.hard[odd]: Invalid value: "odd": must be a standard resource for quota'],
    [QUOTAS, quota({ hard: { pods: '-1' } }), 'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    [QUOTAS, quota({ scopes: ['Odd'] }), 'spec.scopes: Invalid value: ["Odd"]: unsupported scope'],
    [QUOTAS, quota({ scopes: ['BestEffort', 'NotBestEffort'] }), 'conflicting scopes'],
    [QUOTAS, quota({ hard: { cpu: '1' }, scopes: ['BestEffort'] }), 'unsupported scope applied to resource'],
    [QUOTAS, quota({ scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } }), "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"],
    [REVISIONS, revision({ data: undefined }), 'data: Required value: data is mandatory'],
    [REVISIONS, revision({ data: [1] }), 'data: Required value: data must be a valid JSON object'],
    [REVISIONS, revision({ revision: -1 }), 'revision: Invalid value: -1: must be greater than or equal to 0'],
    [JOBS, named({ spec: { template: { spec: podSpec() } } }), 'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    [JOBS, job({ parallelism: -1 }), 'spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
    [JOBS, job({ completionMode: 'Indexed', parallelism: 1 }), 'spec.completions: Required value: when completion mode is Indexed'],
    [JOBS, job({ backoffLimitPerIndex: 1 }), 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    [JOBS, job({ manualSelector: true }), 'spec.selector: Required value'],
    [JOBS, job({ template: { metadata: { labels: { 'job-name': 'y' } }, spec: podSpec({ restartPolicy: 'Never' }) } }), "spec.template.metadata.labels[job-name]: Invalid value: \"y\": must be 'x'"],
    [CRON_JOBS, cronJob({ schedule: '' }), 'spec.schedule: Required value'],
    [CRON_JOBS, cronJob({ schedule: '* * *' }), 'spec.schedule: Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'],
    [CRON_JOBS, cronJob({ schedule: '60 * * * *' }), 'end of range (60) above maximum (59): 60'],
    [CRON_JOBS, cronJob({ timeZone: 'Nowhere/Land' }), 'spec.timeZone: Invalid value: "Nowhere/Land": unknown time zone Nowhere/Land'],
    [CRON_JOBS, cronJob({ concurrencyPolicy: 'Odd' }), 'spec.concurrencyPolicy: Unsupported value: "Odd": supported values: "Allow", "Forbid", "Replace"'],
    [CRON_JOBS, { ...cronJob(), metadata: { name: 'x'.repeat(53) } }, 'must be no more than 52 characters'],
    [CLASSES, storageClass({ provisioner: '' }), 'provisioner: Required value'],
    [CLASSES, storageClass({ reclaimPolicy: 'Recycle' }), 'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
    [CAPACITIES, named({ storageClassName: 's', capacity: '-1' }), 'capacity: Invalid value: "-1": must be greater than or equal to 0'],
    [RESOURCE_CLAIMS, resourceClaim({ exactly: undefined }), 'spec.devices.requests[0]: Required value: exactly one of'],
    [RESOURCE_CLAIMS, resourceClaim({ exactly: {} }), 'spec.devices.requests[0].exactly.deviceClassName: Required value'],
    [RESOURCE_SLICES, resourceSlice({ driver: undefined }), 'spec.driver: Required value'],
    [RESOURCE_SLICES, resourceSlice({ allNodes: true }), 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required'],
  ];
  it.each(rows)('%s %j', async (path, body, message) => {
    const answer = await post(createTestApi(), path, body);
    expect(statusOf(answer)).toEqual([422, 'Invalid', expect.stringContaining(message)]);
  });
});

describe('a change of an immutable field is refused', () => {
  // biome-ignore format: one row per rule
  const rows: readonly (readonly [string, object, object, string])[] = [
    [VOLUMES, volume(), { spec: { hostPath: { path: '/y' } } }, 'spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation'],
    [VOLUMES, volume(), { spec: { volumeMode: 'Block' } }, 'volumeMode: Invalid value: "Block": field is immutable'],
    [CLAIMS, claim(), { spec: { resources: { requests: { storage: '2Gi' } } } }, 'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'],
    [SLICES, slice(), { addressType: 'IPv6', endpoints: null }, 'addressType: Invalid value: "IPv6": field is immutable'],
    [QUOTAS, quota({ scopes: ['BestEffort'] }), { spec: { scopes: ['NotBestEffort'] } }, 'spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable'],
    [REVISIONS, revision(), { data: { a: 2 } }, 'data: Invalid value: {"a":2}: field is immutable'],
    [JOBS, job(), { spec: { completions: 2 } }, 'spec.completions: Invalid value: 2: field is immutable'],
    [JOBS, job(), { spec: { completionMode: 'Indexed' } }, 'spec.completionMode: Invalid value: "Indexed": field is immutable'],
    [CLASSES, storageClass(), { provisioner: 'c/d' }, 'provisioner: Forbidden: updates to provisioner are forbidden.'],
    [CLASSES, storageClass(), { volumeBindingMode: 'WaitForFirstConsumer' }, 'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
    [CAPACITIES, named({ storageClassName: 's' }), { storageClassName: 't' }, 'storageClassName: Invalid value: "t": field is immutable'],
    [RESOURCE_CLAIMS, resourceClaim(), { spec: { devices: { requests: [request({ name: 's' })] } } }, 'field is immutable'],
    [RESOURCE_SLICES, resourceSlice(), { spec: { driver: 'e.example.com' } }, 'spec.driver: Invalid value: "e.example.com": field is immutable'],
  ];
  it.each(rows)('%s %j', async (path, body, change, message) => {
    const api = createTestApi();
    await post(api, path, body);
    const answer = await patch(api, `${path}/x`, change);
    expect(statusOf(answer)).toEqual([422, 'Invalid', expect.stringContaining(message)]);
  });
});

describe('a change that is allowed', () => {
  it('a bound claim may grow, and not shrink below its capacity', async () => {
    const api = createTestApi();
    await post(api, CLAIMS, claim());
    await patch(api, `${CLAIMS}/x/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
    const sized = (storage: string) =>
      patch(api, `${CLAIMS}/x`, { spec: { resources: { requests: { storage } } } });
    expect([(await sized('3Gi')).code, (await sized('2Gi')).code, (await sized('1Gi')).code]).toEqual([
      200, 200, 422,
    ]);
  });

  it('a claim that is not bound may name its volume', async () => {
    const api = createTestApi();
    await post(api, CLAIMS, claim());
    expect((await patch(api, `${CLAIMS}/x`, { spec: { volumeName: 'v' } })).code).toBe(200);
    expect((await patch(api, `${CLAIMS}/x`, { spec: { volumeName: 'w' } })).code).toBe(422);
  });

  it('a Job that never started may change its scheduling fields', async () => {
    const api = createTestApi();
    await post(api, JOBS, job({ suspend: true }));
    const change = (spec: object) => patch(api, `${JOBS}/x`, { spec: { template: { spec } } });
    expect((await change({ nodeSelector: { a: 'b' } })).code).toBe(200);
    expect((await change({ serviceAccountName: 'b' })).code).toBe(422);
  });

  it('a changed phase of a volume gets its time', async () => {
    const api = createTestApi();
    await post(api, VOLUMES, volume());
    api.advance(60_000);
    const { json } = await patch(api, `${VOLUMES}/x/status`, { status: { phase: 'Available' } });
    expect(json.status).toEqual({ phase: 'Available', lastPhaseTransitionTime: '2026-03-01T12:01:00Z' });
  });

  it('a ReplicationController is scaled, and shows its selector as text', async () => {
    const api = createTestApi();
    await post(api, CONTROLLERS, controller());
    const { json } = await patch(api, `${CONTROLLERS}/x/scale`, { spec: { replicas: 4 } });
    expect([json.kind, json.spec.replicas, json.status.selector]).toEqual(['Scale', 4, 'a=b']);
  });
});

describe('a field selector', () => {
  it.each([
    [JOBS, job(), 'status.successful=0'],
    [CONTROLLERS, controller(), 'status.replicas=0'],
    [RESOURCE_SLICES, resourceSlice(), 'spec.nodeName=n1,spec.driver=d.example.com'],
  ])('%s %j %s', async (path, body, selector) => {
    const api = createTestApi();
    await post(api, path, body);
    const { json } = await api.send('GET', `${path}?fieldSelector=${encodeURIComponent(selector)}`, {
      as: 'admin',
    });
    expect(json.items).toHaveLength(1);
  });
});
