/** The work that runs on the fleet: a Deployment, a StatefulSet and a DaemonSet. */

import { type ApiClient, expectOk } from '../../shared/client/api-client.ts';
import type { Workload } from '../../shared/kube/types/workloads.ts';
import type { FleetSize } from '../../shared/settings/host/host-configuration.ts';
import { FLEET_NAMESPACE, templateOf } from './objects.ts';

/** Seconds for which pods of the Deployment and of the StatefulSet tolerate a node that is not ready or unreachable. */
const WEB_TOLERATES = 15;
const STORE_TOLERATES = 30;
const STORES = 3;

const PLURALS: Readonly<Record<string, string>> = {
  Deployment: 'deployments',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
};

const workload = (kind: string, name: string, spec: object): Workload => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace: FLEET_NAMESPACE, labels: { app: name } },
  spec: { selector: { matchLabels: { app: name } }, ...spec },
});

/** The workloads of a fleet of this size; none without machines or pods. Tolerations are divided by `timeFactor`. */
export const workloadsOf = ({ nodes, pods }: FleetSize, timeFactor: number): readonly Workload[] => {
  if (nodes === 0 || pods === 0) return [];
  const tolerates = (seconds: number): number => Math.ceil(seconds / timeFactor);
  return [
    workload('Deployment', 'web', { replicas: pods, template: templateOf('web', tolerates(WEB_TOLERATES)) }),
    workload('StatefulSet', 'store', {
      replicas: Math.min(STORES, pods),
      serviceName: 'store',
      podManagementPolicy: 'Parallel',
      template: templateOf('store', tolerates(STORE_TOLERATES)),
    }),
    workload('DaemonSet', 'agent', { template: templateOf('agent') }),
  ];
};

/** Creates the workloads that are not there yet. One that somebody has changed stays as it is. */
export const createWorkloads = async (
  { client, adminToken }: { readonly client: Pick<ApiClient, 'call'>; readonly adminToken: string },
  workloads: readonly Workload[],
): Promise<void> => {
  for (const one of workloads) {
    const path = `/apis/apps/v1/namespaces/${FLEET_NAMESPACE}/${PLURALS[one.kind]}`;
    await expectOk(client.call('POST', path, adminToken, one), [409]);
  }
};
