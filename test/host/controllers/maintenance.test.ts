import { expect, it } from 'vitest';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { NodeMaintenance } from '../../../shared/kube/types/node-maintenance.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { maintenanceOf } from '../../../shared/rules/drain/node-in-maintenance.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import type { HostProcess } from '../../support/servers/host-process.ts';
import { addReadyNode, newFolder, startPatientHost } from '../../support/servers/patient-host.ts';

const NODES = '/api/v1/nodes';
const MAINTENANCES = '/apis/rollcall.dev/v1/nodemaintenances';
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const AT_ONCE = 2;

const nodes = async (host: HostProcess): Promise<readonly Node[]> =>
  (await host.get<{ readonly items: readonly Node[] }>(NODES)).items;

const statusOf = async (host: HostProcess) =>
  (await host.get<NodeMaintenance>(`${MAINTENANCES}/site`)).status;

const going = (all: readonly Node[]): readonly Node[] =>
  all.filter((node) => maintenanceOf(node)?.phase === 'InProgress');

/** A technician says of each drained node that it is done. */
const workOn = async (host: HostProcess): Promise<readonly Node[]> => {
  const all = await nodes(host);
  expect(going(all).length).toBeLessThanOrEqual(AT_ONCE);
  for (const node of going(all)) {
    const isDrained = node.status?.conditions?.some(
      ({ type, status }) => type === 'Drained' && status === 'True',
    );
    const annotations = { 'rollcall.dev/maintenance-done': 'true' };
    if (isDrained) await host.send('PATCH', `${NODES}/${node.metadata.name}`, { metadata: { annotations } });
  }
  return all;
};

it('goes on with the maintenance of a site although the host is killed in the middle (E-21, E-23)', async () => {
  const folder = newFolder();
  const host = await startPatientHost(folder);
  for (const name of NAMES) await addReadyNode(host, name);
  await host.send('POST', MAINTENANCES, {
    metadata: { name: 'site' },
    spec: {
      nodeSelector: {},
      startTime: toTime(Date.now()),
      durationSeconds: 600,
      maxConcurrent: AT_ONCE,
      doneWhen: 'Annotated',
    },
  });
  await eventually('two nodes are drained', 30_000, async () => going(await nodes(host)).length === AT_ONCE);
  await host.kill();
  const next = await startPatientHost(folder);
  await eventually('all nodes are done', 120_000, async () =>
    (await workOn(next)).every((node) => maintenanceOf(node)?.phase === 'Done'),
  );
  await eventually('the status says so', 30_000, async () => (await statusOf(next))?.done === NAMES.length);
  expect((await nodes(next)).filter(({ spec }) => spec?.unschedulable)).toEqual([]);
  expect(await statusOf(next)).toMatchObject({ failed: 0, inProgress: 0, waiting: 0 });
}, 240_000);
