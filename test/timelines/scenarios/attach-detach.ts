import { APPS, type Cluster, NODES, PODS } from '../cluster.ts';
import type { Scenario } from '../scenario.ts';

const STORAGE = '/apis/storage.k8s.io/v1';
const DRIVER = 'd.example.com';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';
const MANAGED = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' };
/** What was off in the recordings, and acts on these pods and nodes. The scenarios bind claims and volumes by themselves. */
const SETTINGS = ['--controllers', '*,-node-monitor,-pod-gc,-volume-binder'] as const;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** A node whose volumes the controller attaches. */
const addNode = async (cluster: Cluster, name: string): Promise<void> => {
  await cluster.addNode(name, { annotations: MANAGED });
  await cluster.api.post(`${STORAGE}/csinodes`, {
    metadata: { name },
    spec: { drivers: [{ name: DRIVER, nodeID: `${name}-id`, topologyKeys: null }] },
  });
};

/** The volume `pv-<name>` and its claim `pvc-<name>`, bound to each other. */
const addVolume = async (
  { api }: Cluster,
  name: string,
  accessModes: readonly string[] = ['ReadWriteOnce'],
): Promise<void> => {
  const storage = '1Gi';
  await api.post(VOLUMES, {
    metadata: { name: `pv-${name}` },
    spec: {
      capacity: { storage },
      accessModes,
      persistentVolumeReclaimPolicy: 'Retain',
      csi: { driver: DRIVER, volumeHandle: `handle-${name}`, fsType: 'ext4', volumeAttributes: { a: 'b' } },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: `pvc-${name}` },
    },
  });
  const { body } = await api.post(CLAIMS, {
    metadata: { name: `pvc-${name}`, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: {
      accessModes,
      storageClassName: '',
      volumeName: `pv-${name}`,
      resources: { requests: { storage } },
    },
  });
  const { uid } = (body as { metadata: { uid: string } }).metadata;
  await api.patch(`${VOLUMES}/pv-${name}`, { spec: { claimRef: { uid } } });
  const status = { phase: 'Bound', accessModes, capacity: { storage } };
  await api.patch(`${CLAIMS}/pvc-${name}/status`, { status });
  await api.patch(`${VOLUMES}/pv-${name}/status`, { status: { phase: 'Bound' } });
};

const volumesOf = (names: readonly string[]) =>
  names.map((name) => ({ name, persistentVolumeClaim: { claimName: `pvc-${name}` } }));

/** A pod with the claims of these volumes. */
const addUser = (
  cluster: Cluster,
  name: string,
  node: string,
  ...volumes: readonly string[]
): Promise<void> => {
  const volumeMounts = volumes.map((volume) => ({ name: volume, mountPath: `/${volume}` }));
  const containers = [{ name: 'c', image: 'img', volumeMounts }];
  return cluster.addPod(name, node, { spec: { volumes: volumesOf(volumes), containers } });
};

/** What the kubelet of the node says that it uses. */
const setInUse = async ({ api }: Cluster, node: string, ...volumes: readonly string[]): Promise<void> => {
  const names = volumes.map((name) => `kubernetes.io/csi/${DRIVER}^handle-${name}`);
  await api.patch(`${NODES}/${node}/status`, { status: { volumesInUse: names.length > 0 ? names : null } });
};

const attachedTo = (cluster: Cluster, node: string): readonly unknown[] => {
  const status = cluster.find('Node', node)?.['status'] as
    | { volumesAttached?: readonly unknown[] }
    | undefined;
  return status?.volumesAttached ?? [];
};

const endPod = ({ api }: Cluster, name: string): Promise<unknown> =>
  api.delete(`${PODS}/${name}`, { gracePeriodSeconds: 0 });

const setReady = async ({ api }: Cluster, node: string, status: string): Promise<void> => {
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const instants = { lastHeartbeatTime: now, lastTransitionTime: now };
  const conditions = [{ type: 'Ready', status, reason: 'Test', message: 'test', ...instants }];
  await api.patch(`${NODES}/${node}/status`, { status: { conditions } }, 'strategic');
};

const OUT_OF_SERVICE = {
  key: 'node.kubernetes.io/out-of-service',
  value: 'nodeshutdown',
  effect: 'NoExecute',
};

/** Longer than changes count as one: on a fast machine the first attachment would be one with the making of its node. */
const SETTLE_S = 0.7;

const COMMON = {
  settings: SETTINGS,
  watched: ['Node', 'event', 'VolumeAttachment', 'Pod'],
  tolerance: 2,
  hasAttacher: true,
} as const;

const inUse: Scenario = {
  ...COMMON,
  play: async (cluster) => {
    await addNode(cluster, 'n1');
    await addVolume(cluster, 'a');
    await cluster.pause(SETTLE_S);
    cluster.begin();
    await addUser(cluster, 'p1', 'n1', 'a');
    await cluster.seen(8, () => attachedTo(cluster, 'n1').length > 0);
    await setInUse(cluster, 'n1', 'a');
    await cluster.until(5);
    await endPod(cluster, 'p1');
    await cluster.until(11);
    cluster.fact('attached while in use', attachedTo(cluster, 'n1').length > 0);
    await setInUse(cluster, 'n1');
    await cluster.seen(9, () => cluster.all('VolumeAttachment').length === 0);
    await cluster.pause(0.7);
  },
};

const outOfService: Scenario = {
  ...COMMON,
  play: async (cluster) => {
    for (const name of ['n1', 'n2']) await addNode(cluster, name);
    for (const name of ['a', 'b']) await addVolume(cluster, name);
    await cluster.pause(SETTLE_S);
    cluster.begin();
    await addUser(cluster, 'p1', 'n1', 'a', 'b');
    await cluster.seen(8, () => attachedTo(cluster, 'n1').length === 2);
    await setInUse(cluster, 'n1', 'a', 'b');
    await setReady(cluster, 'n1', 'Unknown');
    await cluster.until(5);
    await endPod(cluster, 'p1');
    await addUser(cluster, 'p2', 'n2', 'a');
    await cluster.until(12);
    cluster.fact('still attached without the taint', attachedTo(cluster, 'n1').length);
    await cluster.taint('n1', [OUT_OF_SERVICE]);
    await cluster.seen(15, () => attachedTo(cluster, 'n2').length > 0);
    await cluster.pause(0.7);
  },
};

const severalUsers: Scenario = {
  ...COMMON,
  play: async (cluster) => {
    for (const name of ['n1', 'n2']) await addNode(cluster, name);
    await addVolume(cluster, 'a');
    await addVolume(cluster, 'r', ['ReadOnlyMany']);
    await cluster.pause(SETTLE_S);
    cluster.begin();
    for (const name of ['p1', 'p2']) await addUser(cluster, name, 'n1', 'a');
    await addUser(cluster, 'r1', 'n1', 'r');
    await addUser(cluster, 'r2', 'n2', 'r');
    await cluster.until(5);
    await endPod(cluster, 'p1');
    await cluster.until(9);
    cluster.fact('a stays while p2 uses it', cluster.all('VolumeAttachment').length);
    await cluster.setPodStatus('p2', { phase: 'Succeeded' });
    await cluster.until(18);
  },
};

/** The node renews its Lease each second while it lives. */
const keepBeating = (cluster: Cluster, name: string): void => {
  const lease = () => ({ spec: { renewTime: new Date().toISOString().replace('Z', '000Z') } });
  const beat = async (): Promise<void> => {
    const made = { holderIdentity: name, leaseDurationSeconds: 40, ...lease().spec };
    await cluster.api.post(LEASES, { metadata: { name }, spec: made });
    while (cluster.live.has(name)) {
      await cluster.api.patch(`${LEASES}/${name}`, lease());
      await cluster.pause(1);
    }
  };
  // The host may be gone by then.
  beat().catch(() => undefined);
};

const placeOf = (cluster: Cluster): unknown =>
  (cluster.find('Pod', 'db-0')?.['spec'] as { nodeName?: string })?.nodeName;
const nodesWithVolume = (cluster: Cluster): readonly unknown[] =>
  cluster.all('VolumeAttachment').map(({ spec }) => (spec as { nodeName?: string }).nodeName);
const taintsOf = (
  cluster: Cluster,
  node: string,
): readonly { readonly key: string; readonly effect: string }[] =>
  (cluster.find('Node', node)?.['spec'] as { taints?: [] } | undefined)?.taints ?? [];

const makeStatefulSet = async ({ api }: Cluster): Promise<void> => {
  const tolerations = ['not-ready', 'unreachable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 3,
  }));
  const labels = { app: 'db' };
  const containers = [{ name: 'c', image: 'img:1' }];
  const template = {
    metadata: { labels },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 30,
      containers,
      tolerations,
      volumes: volumesOf(['a']),
    },
  };
  await api.post(`${APPS}/statefulsets`, {
    metadata: { name: 'db' },
    spec: { replicas: 1, serviceName: 'db', selector: { matchLabels: labels }, template },
  });
};

const shutDown: Scenario = {
  settings: [
    '--controllers',
    '*,-volume-binder',
    '--node-monitor-period',
    '1s',
    '--node-monitor-grace-period',
    '8s',
    '--node-startup-grace-period',
    '10s',
    '--node-eviction-rate',
    '0.5',
  ],
  watched: ['StatefulSet', 'Pod', 'Node', 'VolumeAttachment', 'event'],
  silenced: [],
  // The recorded pod-gc runs each 20 s, at any phase of the scenario.
  tolerance: 20,
  passSeconds: 1,
  kubelets: { running: ['c'] },
  hasAttacher: true,
  play: async (cluster) => {
    await addNode(cluster, 'n1');
    keepBeating(cluster, 'n1');
    await addVolume(cluster, 'a');
    await makeStatefulSet(cluster);
    await cluster.seen(15, () => attachedTo(cluster, 'n1').length > 0);
    await setInUse(cluster, 'n1', 'a');
    await addNode(cluster, 'n2');
    keepBeating(cluster, 'n2');
    await cluster.pause(4);
    cluster.begin();
    cluster.live.delete('n1');
    await cluster.until(30);
    const isLeaving = cluster.find('Pod', 'db-0')?.metadata['deletionTimestamp'] !== undefined;
    cluster.fact('before', [placeOf(cluster), isLeaving, nodesWithVolume(cluster)]);
    await cluster.taint('n1', [...taintsOf(cluster, 'n1'), OUT_OF_SERVICE]);
    await cluster.seen(45, () => attachedTo(cluster, 'n2').length > 0);
    await cluster.pause(1.5);
    cluster.fact('after', [placeOf(cluster), nodesWithVolume(cluster)]);
    cluster.live.add('n1');
    keepBeating(cluster, 'n1');
    await setReady(cluster, 'n1', 'True');
    await setInUse(cluster, 'n1');
    await cluster.pause(4);
    const left = taintsOf(cluster, 'n1').map(({ key, effect }) => `${key}:${effect}`);
    cluster.fact('taints after the return', left);
    await cluster.taint('n1', null);
    await cluster.pause(3);
  },
};

export const ATTACH_DETACH = { A1: inUse, A3: outOfService, A6: severalUsers, S8: shutDown };
