// Maintenance that AWS Health announces, in virtual time.
import { expect, it } from 'vitest';
import { reconcile } from '../../../../lambdas/cloud-node/reconcile.ts';
import { byText } from '../../../../shared/kube/text/compare-text.ts';
import type { Event, Node } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { drainRequestOf } from '../../../../shared/rules/drain/node-drain.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import { createFakeCloud } from '../../../support/planes/fake-cloud.ts';
import * as fleet from '../../../support/planes/fleet.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const ID = 'aws:///eu-west-1a/i-1';

const aPlane = async () => {
  const cloud = createFakeCloud();
  cloud.set(ID, 'running', { nodeName: 'n1' });
  const plane = createMemoryControlPlane({ cloud });
  fleet.keepBeating(plane, new Set(['n1']));
  await fleet.addNode(plane, 'n1', { ready: 'True' });
  await fleet.changeNode(plane, 'n1', (node) => ({ ...node, spec: { ...node.spec, providerID: ID } }));
  await plane.run(10_000);
  const says = (startsAt: number, statusCode = 'upcoming') =>
    reconcile(plane.invoke(), {
      id: `e-${plane.clock.now()}`,
      source: 'aws.health',
      'detail-type': 'AWS Health Event',
      time: toTime(plane.clock.now()),
      detail: {
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        eventArn: 'arn:1',
        statusCode,
        startTime: new Date(startsAt).toUTCString(),
        affectedEntities: [{ entityValue: 'i-1' }],
      },
    });
  const node = async (): Promise<Node> =>
    liveRow(await plane.state.objects.read(nodeKey('n1')))?.object as Node;
  const drainedBy = async () => drainRequestOf(await node())?.by;
  // In the order of time: their names, by which they are listed, come from uids.
  const events = async () =>
    (await plane.state.objects.page({ resource: 'events', namespace: 'default' })).rows
      .map(({ object }) => object as Event)
      .toSorted((one, other) => byText(String(one.firstTimestamp), String(other.firstTimestamp)))
      .flatMap(({ reason, message }) => (reason?.startsWith('ScheduledEvent') ? [message] : []));
  return { plane, says, node, drainedBy, events };
};

it('drains a node an hour before maintenance that was announced days ahead, and tells it until then (J-110)', async () => {
  const { plane, says, drainedBy, events } = await aPlane();
  const startsAt = Math.ceil(plane.clock.now() / 1000) * 1000 + 5 * HOUR;
  await says(startsAt);
  await says(startsAt);
  await plane.run(3 * HOUR);
  expect(await drainedBy()).toBeUndefined();
  expect(await events()).toEqual([
    `Node n1 is cordoned and drained from ${toTime(startsAt - HOUR)}: maintenance of the instance is scheduled for ${toTime(startsAt)}`,
  ]);
  await plane.run(HOUR + 2 * MINUTE);
  expect(await drainedBy()).toBe('cloud-node');
  expect(await events()).toContain(
    `Node n1 is cordoned and drained until ${toTime(startsAt)}: maintenance of the instance is scheduled`,
  );
  expect(await plane.state.control.sightings('planned-drain')).toEqual([]);
  expect(plane.failures).toEqual([]);
});

it('does not drain for maintenance that is cancelled, and puts a node back into service whose maintenance is over (J-110)', async () => {
  const { plane, says, node, drainedBy, events } = await aPlane();
  const startsAt = plane.clock.now() + 5 * HOUR;
  await says(startsAt);
  await plane.run(MINUTE);
  await says(startsAt, 'closed');
  expect(await plane.state.control.sightings('planned-drain')).toEqual([]);
  await plane.run(5 * HOUR);
  expect(await drainedBy()).toBeUndefined();
  await says(plane.clock.now() + 10 * MINUTE);
  expect((await node()).spec?.unschedulable).toBe(true);
  await plane.run(MINUTE);
  await says(plane.clock.now(), 'closed');
  expect((await node()).spec?.unschedulable).not.toBe(true);
  expect((await events()).join()).toContain('is over or cancelled');
});

it('moves the drain when the maintenance is moved (J-110)', async () => {
  const { plane, says, drainedBy } = await aPlane();
  const startsAt = plane.clock.now() + 3 * HOUR;
  await says(startsAt);
  await plane.run(MINUTE);
  await says(startsAt + 3 * HOUR);
  await plane.run(4 * HOUR);
  expect(await drainedBy()).toBeUndefined();
  await plane.run(HOUR + 2 * MINUTE);
  expect(await drainedBy()).toBe('cloud-node');
});

it('is planned from its announcement until its drain, or until it is cancelled (V-70)', async () => {
  const { plane, says, node } = await aPlane();
  const planned = async () =>
    (await node()).status?.conditions?.find(({ type }) => type === 'MaintenancePlanned');
  const startsAt = Math.ceil(plane.clock.now() / 1000) * 1000 + 5 * HOUR;
  await says(startsAt);
  expect(await planned()).toMatchObject({
    status: 'True',
    reason: 'Maintenance',
    message: `The cloud has announced maintenance of the machine for ${toTime(startsAt)}: the node is drained from ${toTime(startsAt - HOUR)} on`,
  });
  await plane.run(11 * MINUTE);
  expect(await planned()).toBeDefined();
  await says(startsAt, 'closed');
  expect(await planned()).toBeUndefined();
  await plane.run(MINUTE);
  await says(startsAt + 2 * HOUR);
  expect(await planned()).toBeDefined();
  await plane.run(7 * HOUR);
  expect(await planned()).toBeUndefined();
});
