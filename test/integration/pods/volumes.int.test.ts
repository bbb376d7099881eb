/** A machine with a volume is lost, and an operator who is sure says so by the taint: pod and volume go to another node. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import type { VolumeAttachment } from '../../../shared/kube/types/storage.ts';
import { volumesAttachedOf } from '../../../shared/rules/attachments/volumes-attached.ts';
import { hasKubectl } from '../../support/shell/kubectl.ts';
import { type DeployedStage, openStage } from '../support/stage.ts';
import { eventually } from '../support/wait.ts';

const NAME = 'lost-volume';
const [LOST, OTHER] = ['lost-volume-1', 'lost-volume-2'];
const LABELS = { 'lost-volume': 'here' };
const DRIVER = 'lost.example.com';
const DISK = `kubernetes.io/csi/${DRIVER}^disk`;
const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments';
const POD = `/api/v1/namespaces/${NAME}/pods/db-0`;
/** For each step: an emulator may take seconds for each request and each message. */
const WITHIN_MS = 120_000;
const TEST_MS = 600_000;

const DATABASE = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${NAME}}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: ${NAME}
  csi: {driver: ${DRIVER}, volumeHandle: disk}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: ${NAME}}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      schedulerName: rollcall
      nodeSelector: ${JSON.stringify(LABELS)}
      containers: [{name: app, image: image:1, volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {accessModes: [ReadWriteOnce], storageClassName: ${NAME}, resources: {requests: {storage: 1Gi}}}
`;

let stage: DeployedStage;
let attacher: ReturnType<typeof startAttacher>;

const kubectl = (...args: readonly string[]): Promise<string> => stage.kubectl(args);

const attachments = async (): Promise<readonly VolumeAttachment[]> => {
  const { items } = await stage.call<ApiList<VolumeAttachment>>('GET', ATTACHMENTS);
  return items.filter(({ spec }) => spec?.attacher === DRIVER);
};

/** What the attacher of a driver does with a VolumeAttachment. */
const attend = async ({ metadata, status }: VolumeAttachment): Promise<void> => {
  const path = `${ATTACHMENTS}/${metadata.name}`;
  const { uid } = metadata;
  if (metadata.deletionTimestamp !== undefined)
    await stage.call('PATCH', path, { metadata: { uid, finalizers: null } });
  else if (status?.attached !== true) {
    await stage.call('PATCH', path, {
      metadata: { uid, finalizers: ['external-attacher/lost-example-com'] },
    });
    await stage.call('PATCH', `${path}/status`, { metadata: { uid }, status: { attached: true } });
  }
};

/** Looks again and again until it is stopped. Whatever fails is tried again with the next look. */
const startAttacher = () => {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const all = await attachments().catch(() => []);
      await Promise.allSettled(all.map(attend));
      await wait(500);
    }
  };
  const running = run();
  return {
    stop: async (): Promise<void> => {
      stopping.abort();
      await running;
    },
  };
};

const readNode = (name: string): Promise<Node> => stage.call<Node>('GET', `/api/v1/nodes/${name}`);
const hasDisk = async (name: string): Promise<boolean> =>
  volumesAttachedOf(await readNode(name)).includes(DISK);
const statusOf = ({ status }: Node | Pod, condition: string): string | undefined =>
  (status?.conditions ?? []).find(({ type }) => type === condition)?.status;

/** The pod, once it is ready on the node. A name of a StatefulSet has no pod for a moment. */
const readyOn = (node: string): Promise<Pod> =>
  eventually(`db-0 is ready on ${node}`, WITHIN_MS, async () => {
    const { items } = await stage.call<ApiList<Pod>>('GET', `/api/v1/namespaces/${NAME}/pods`);
    return items.find((pod) => pod.spec.nodeName === node && statusOf(pod, 'Ready') === 'True');
  });

beforeAll(async () => {
  if (!hasKubectl) return;
  stage = await openStage();
  await stage.addNamespace(NAME);
  await stage.addNodes([LOST, OTHER], LABELS);
  attacher = startAttacher();
}, TEST_MS);

afterAll(async () => {
  if (!hasKubectl) return;
  await stage.call('DELETE', `/api/v1/namespaces/${NAME}`);
  await stage.call('DELETE', `/api/v1/persistentvolumes/${NAME}`);
  for (const name of [LOST, OTHER]) await stage.call('DELETE', `/api/v1/nodes/${name}`);
  await attacher.stop();
  await stage.stop();
}, TEST_MS);

/** The machine has the volume mounted, and is not heard of again; nobody ends the pod there. */
const loseMachine = async (): Promise<void> => {
  await stage.call('PATCH', `/api/v1/nodes/${LOST}/status`, { status: { volumesInUse: [DISK] } });
  await kubectl('label', 'pod', 'db-0', '-n', NAME, 'unattended=true');
  stage.silence(LOST);
  await eventually('the node is not heard of', WITHIN_MS, async () =>
    statusOf(await readNode(LOST), 'Ready') === 'Unknown' ? true : undefined,
  );
};

if (!hasKubectl) process.stdout.write('skipped: volumes by kubectl: this machine has no kubectl\n');

describe.skipIf(!hasKubectl)('a StatefulSet with a volume', () => {
  it(
    'goes on elsewhere when its node is out of service',
    async () => {
      await kubectl(
        'annotate',
        'node',
        LOST,
        OTHER,
        'volumes.kubernetes.io/controller-managed-attach-detach=true',
      );
      await kubectl('cordon', OTHER);
      const file = join(stage.folder, 'database.yaml');
      writeFileSync(file, DATABASE);
      await kubectl('create', '-f', file);
      const first = await readyOn(LOST);
      await eventually('the volume is at the first node', WITHIN_MS, () => hasDisk(LOST));

      await loseMachine();
      await kubectl('uncordon', OTHER);
      expect((await stage.call<Pod>('GET', POD)).metadata.uid).toBe(first.metadata.uid);
      await kubectl('taint', 'node', LOST, 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute');

      const next = await readyOn(OTHER);
      expect(next.metadata.uid).not.toBe(first.metadata.uid);
      await eventually('the volume is at the second node', WITHIN_MS, () => hasDisk(OTHER));
      expect(await hasDisk(LOST)).toBe(false);
      const rows = (await kubectl('get', 'volumeattachments', '--no-headers')).split('\n');
      const own = rows.filter((row) => row.includes(DRIVER)).map((row) => row.split(/ +/).slice(1, 5));
      expect(own).toEqual([[DRIVER, NAME, OTHER, 'true']]);
    },
    TEST_MS,
  );
});
