/** Puts a world on a host, where a kube-scheduler sees it, and takes it away. */
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { ApiList, ApiObject } from '../../shared/kube/types/meta.ts';
import type { Call } from '../clients/kubelets.ts';
import { CLASSES, NAMESPACES, TEAM, type World, type WorldNode, type WorldPod } from './worlds.ts';

const HOLD = 'example.com/hold';
const NOW = { gracePeriodSeconds: 0 };

const podPath = ({ namespace, name }: Pick<WorldPod, 'namespace' | 'name'>): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}`;

/** What all worlds share. Without controllers nobody else makes the service accounts. */
export const prepareStage = async (call: Call): Promise<void> => {
  for (const { name, ...rest } of CLASSES)
    await call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, ...rest });
  for (const name of NAMESPACES) {
    const labels = name === NAMESPACES[1] ? TEAM : {};
    await call('POST', '/api/v1/namespaces', { metadata: { name, labels } });
    await call('POST', `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
  }
};

const putNode = async (call: Call, { name, labels, spec, status }: WorldNode): Promise<void> => {
  await call('POST', '/api/v1/nodes', { metadata: { name, labels }, status });
  // Admission gives a new Node a taint.
  await call('PATCH', `/api/v1/nodes/${name}`, { spec });
};

const putPod = async (call: Call, pod: WorldPod): Promise<void> => {
  const { name, namespace, labels, spec, phase, startTime, isLeaving } = pod;
  const metadata = { name, labels, finalizers: isLeaving ? [HOLD] : [] };
  await call('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata, spec });
  await call('PATCH', `${podPath(pod)}/status`, { status: { phase, startTime } });
  if (isLeaving) await call('DELETE', podPath(pod), NOW);
};

const SERVICES = `/api/v1/namespaces/${NAMESPACES[0]}/services`;
const BUDGETS = `/apis/policy/v1/namespaces/${NAMESPACES[0]}/poddisruptionbudgets`;

export const putWorld = async (call: Call, { nodes, bound, serviceOf, budgetOf }: World): Promise<void> => {
  for (const node of nodes) await putNode(call, node);
  for (const pod of bound) await putPod(call, pod);
  if (serviceOf)
    await call('POST', SERVICES, {
      metadata: { name: 'pairs' },
      spec: { clusterIP: 'None', ports: [{ port: 80 }], selector: { app: serviceOf } },
    });
  if (budgetOf)
    await call('POST', BUDGETS, {
      metadata: { name: 'pairs' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: budgetOf } } },
    });
};

/** The pod that is to be placed, as it is stored. */
export const putPending = (call: Call, { pod: { name, labels, spec } }: World): Promise<Pod> =>
  call('POST', `/api/v1/namespaces/${NAMESPACES[0]}/pods`, { metadata: { name, labels }, spec });

/** A preempted pod may go at any moment. */
const unlessGone = (error: unknown): void => {
  if (!String(error).includes('answered 404')) throw error;
};

const removePod = async (call: Call, { metadata: { namespace = '', name } }: Pod): Promise<void> => {
  const path = podPath({ namespace, name });
  await call('PATCH', path, { metadata: { finalizers: null } }).catch(unlessGone);
  await call('DELETE', path, NOW).catch(unlessGone);
};

export const clearStage = async (call: Call, { serviceOf, budgetOf }: World): Promise<void> => {
  const { items: pods } = await call<ApiList<Pod>>('GET', '/api/v1/pods');
  for (const pod of pods) await removePod(call, pod);
  const { items: nodes } = await call<ApiList<Node>>('GET', '/api/v1/nodes');
  for (const { metadata } of nodes) await call('DELETE', `/api/v1/nodes/${metadata.name}`);
  if (serviceOf) await call('DELETE', `${SERVICES}/pairs`);
  if (budgetOf) await call('DELETE', `${BUDGETS}/pairs`);
};

const LISTS = [
  ['v1', 'Node', '/api/v1/nodes'],
  ['v1', 'Pod', '/api/v1/pods'],
  ['v1', 'Service', '/api/v1/services'],
  ['v1', 'Namespace', '/api/v1/namespaces'],
  ['policy/v1', 'PodDisruptionBudget', '/apis/policy/v1/poddisruptionbudgets'],
] as const;

/** All objects that a scheduler looks at. */
export const readStage = async (call: Call): Promise<readonly ApiObject[]> => {
  const lists = await Promise.all(
    LISTS.map(async ([apiVersion, kind, path]) => {
      const { items } = await call<ApiList<ApiObject>>('GET', path);
      return items.map((item) => ({ ...item, apiVersion, kind }));
    }),
  );
  return lists.flat();
};
