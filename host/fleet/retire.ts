/** Removes the machines of an earlier, larger fleet. They would send no heartbeats. */

import { type ApiClient, expectOk } from '../../shared/client/api-client.ts';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { HostLog } from '../../shared/serving/machine/host-log.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { isSimulated } from './objects.ts';
import type { PlannedMachine } from './plan.ts';

interface RetireDeps {
  readonly client: Pick<ApiClient, 'call'>;
  readonly adminToken: string;
  readonly hostLog: HostLog;
}

/** Number of machines that are removed at the same time. */
const LEAVING = 8;
/** Maximum number of names in a log line. */
const MOST_NAMES = 12;

const AT_ONCE = { gracePeriodSeconds: 0 };

const retire = async ({ client, adminToken }: RetireDeps, name: string): Promise<void> => {
  const path = `/api/v1/pods?fieldSelector=spec.nodeName=${name}`;
  const { items } = await expectOk<{ items: readonly Pod[] }>(client.call('GET', path, adminToken));
  for (const { metadata } of items) {
    const pod = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    await expectOk(client.call('DELETE', pod, adminToken, AT_ONCE), [404, 409]);
  }
  await expectOk(client.call('DELETE', `/api/v1/nodes/${name}`, adminToken), [404]);
};

const others = async (
  { client, adminToken }: RetireDeps,
  plans: readonly PlannedMachine[],
): Promise<readonly string[]> => {
  const planned = new Set(plans.map(({ name }) => name));
  const { items } = await expectOk<{ items: readonly Node[] }>(
    client.call('GET', '/api/v1/nodes', adminToken),
  );
  return items.filter(isSimulated).flatMap(({ metadata: { name } }) => (planned.has(name) ? [] : [name]));
};

/**
 * Deletes Nodes and pods of simulated machines that are not in `plans`. A failure is logged, and the machine stays without
 * heartbeats.
 */
export const retireOthers = async (deps: RetireDeps, plans: readonly PlannedMachine[]): Promise<void> => {
  try {
    const names = await others(deps, plans);
    if (names.length === 0) return;
    const shown = names.slice(0, MOST_NAMES).join(' ') + (names.length > MOST_NAMES ? ' …' : '');
    deps.hostLog.info(
      `the fleet has ${plans.length} machines now; removing those of an earlier one: ${shown}`,
    );
    await inParallel(names, LEAVING, (name) => retire(deps, name));
  } catch (error) {
    deps.hostLog.warn('failed to remove machines of an earlier fleet', { error });
  }
};
