/** Each controller of workloads on the deployed stack: makes pods, changes them, and takes them away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ApiList, ApiObject } from '../../../shared/kube/types/meta.ts';
import { type DeployedStage, openStage } from '../support/stage.ts';
import { eventually } from '../support/wait.ts';

const NAMESPACE = 'workloads-test';
const LABELS = { 'workloads-test': 'here' };
const NODES = ['work-1', 'work-2'];
const LATER = 'work-3';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
/** For each step: an emulator may take seconds for each message. */
const WITHIN_MS = 300_000;
const TEST_MS = 600_000;

interface JobObject {
  readonly status?: {
    readonly succeeded?: number;
    readonly conditions?: readonly { readonly type: string }[];
  };
}

let stage: DeployedStage;

beforeAll(async () => {
  stage = await openStage();
  await stage.addNamespace(NAMESPACE);
  await stage.addNodes(NODES, LABELS);
}, TEST_MS);

afterAll(async () => {
  for (const name of [...NODES, LATER]) await stage.call('DELETE', `/api/v1/nodes/${name}`);
  await stage.call('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
  await stage.stop();
}, TEST_MS);

const at = (group: string, resource: string, name = ''): string =>
  `/apis/${group}/v1/namespaces/${NAMESPACE}/${resource}${name && `/${name}`}`;

const templateOf = (app: string, image: string, more: object = {}) => ({
  metadata: { labels: { app, ...more } },
  spec: {
    schedulerName: 'rollcall',
    nodeSelector: LABELS,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'c', image }],
  },
});

const workload = (app: string, spec: object = {}): object => ({
  metadata: { name: app },
  spec: { selector: { matchLabels: { app } }, template: templateOf(app, 'image:1'), ...spec },
});

const podsOf = async (app: string): Promise<readonly Pod[]> =>
  (await stage.call<ApiList<Pod>>('GET', `${PODS}?labelSelector=app%3D${app}`)).items;

const imageOf = ({ spec }: Pod): string | undefined =>
  (spec['containers'] as readonly { readonly image: string }[])[0]?.image;

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/** The pods, sorted by `part`, once all of them are ready and `part` of them is as expected. */
const podsBecome = (app: string, part: (pod: Pod) => string | undefined, expected: readonly string[]) =>
  eventually(`${app}: ${expected.join(', ') || 'no pods'}`, WITHIN_MS, async () => {
    const pods = await podsOf(app);
    const parts = pods.map((pod) => part(pod) ?? '').toSorted();
    return pods.every(isReady) && parts.join() === expected.join() ? pods : undefined;
  });

const nameOf = ({ metadata }: ApiObject): string => metadata.name;
const placeOf = ({ spec }: Pod): string | undefined => spec.nodeName;

const create = (group: string, resource: string, object: object): Promise<unknown> =>
  stage.call('POST', at(group, resource), object);
const change = (group: string, resource: string, name: string, spec: object): Promise<unknown> =>
  stage.call('PATCH', at(group, resource, name), { spec });
const remove = (group: string, resource: string, name: string): Promise<unknown> =>
  stage.call('DELETE', at(group, resource, name));

const updated = (app: string): object => ({ template: templateOf(app, 'image:2') });

const daemonSet = async (): Promise<void> => {
  await create('apps', 'daemonsets', workload('agent'));
  await podsBecome('agent', placeOf, NODES);
  await stage.addNodes([LATER], LABELS);
  await podsBecome('agent', placeOf, [...NODES, LATER]);
  await change('apps', 'daemonsets', 'agent', updated('agent'));
  await podsBecome('agent', imageOf, ['image:2', 'image:2', 'image:2']);
  await remove('apps', 'daemonsets', 'agent');
  await podsBecome('agent', nameOf, []);
};

const statefulSet = async (): Promise<void> => {
  await create('apps', 'statefulsets', workload('db', { serviceName: 'db', replicas: 2 }));
  const pods = await podsBecome('db', nameOf, ['db-0', 'db-1']);
  const first = pods.find((pod) => nameOf(pod) === 'db-0');
  await stage.call('DELETE', `${PODS}/db-0`, { preconditions: { uid: first?.metadata.uid } });
  await eventually('another db-0', WITHIN_MS, async () =>
    (await podsOf('db')).some((pod) => nameOf(pod) === 'db-0' && pod.metadata.uid !== first?.metadata.uid),
  );
  await podsBecome('db', nameOf, ['db-0', 'db-1']);
  await change('apps', 'statefulsets', 'db', { replicas: 1 });
  await podsBecome('db', nameOf, ['db-0']);
};

const deployment = async (): Promise<void> => {
  await create('apps', 'deployments', workload('web', { replicas: 2 }));
  await podsBecome('web', imageOf, ['image:1', 'image:1']);
  await change('apps', 'deployments', 'web', updated('web'));
  await podsBecome('web', imageOf, ['image:2', 'image:2']);
  await remove('apps', 'deployments', 'web');
  await podsBecome('web', nameOf, []);
  const { items } = await stage.call<ApiList>('GET', at('apps', 'replicasets'));
  expect(items.map(nameOf), 'ReplicaSets of a Deployment that is gone').toEqual([]);
};

const job = async (): Promise<void> => {
  const { metadata, spec } = templateOf('sum', 'image:1', { unattended: 'true' });
  const template = { metadata, spec: { ...spec, restartPolicy: 'Never' } };
  await create('batch', 'jobs', {
    metadata: { name: 'sum' },
    spec: { completions: 2, parallelism: 2, template },
  });
  const pods = await eventually('both pods of the Job are bound', WITHIN_MS, async () => {
    const bound = (await podsOf('sum')).filter((pod) => pod.spec.nodeName !== undefined);
    return bound.length === 2 ? bound : undefined;
  });
  for (const pod of pods)
    await stage.call('PATCH', `${PODS}/${nameOf(pod)}/status`, { status: { phase: 'Succeeded' } });
  await eventually('the Job is complete', WITHIN_MS, async () => {
    const { status } = await stage.call<JobObject>('GET', at('batch', 'jobs', 'sum'));
    return status?.succeeded === 2 && status.conditions?.some(({ type }) => type === 'Complete');
  });
};

describe.concurrent('on the deployed stack', () => {
  it.each([
    ['a DaemonSet follows its nodes, and its pods are replaced', daemonSet],
    ['a StatefulSet has one pod of each name', statefulSet],
    ['a Deployment replaces its pods, and they go with it', deployment],
    ['a Job is complete when its pods have ended', job],
  ])(
    '%s',
    async (_what, story) => {
      await story();
    },
    TEST_MS,
  );
});
