/** What cloud-node costs on DynamoDB for what happens to one Node of 5 KB. */
import type { CloudNodeDeps } from '../../lambdas/cloud-node/deps.ts';
import { reconcile } from '../../lambdas/cloud-node/reconcile.ts';
import { sweep } from '../../lambdas/cloud-node/sweep.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../shared/adapters/system/id-source.ts';
import { toTime } from '../../shared/api/time.ts';
import { nodeKey } from '../../shared/ports/rows.ts';
import { createEventRecorder } from '../../shared/state/event-recorder.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import { createFakeCloud } from '../support/fake-cloud.ts';
import { type DynamoBench, onDynamoDb } from './dynamodb.ts';
import type { Bench, Figure } from './figures.ts';
import { aKubeletNode, nodeName } from './fleet.ts';

const NAME = nodeName(1);
const INSTANCE = 'i-0123456789abcdef0';
const PROVIDER_ID = `aws:///eu-west-1a/${INSTANCE}`;
const DAY_MS = 86_400_000;

const depsOf = ({ stores }: DynamoBench, cloud: ReturnType<typeof createFakeCloud>) => {
  const writer = createObjectWriter({ ...stores, clock, ids });
  const given = { writer, recorder: createEventRecorder({ writer, ids }), queues: { send: async () => {} } };
  const outOfService = { policy: 'manual', fencingDelayMs: 0 } as const;
  return { ...stores, clock, ids, cloud, ...given, config: { outOfService, maintenanceLeadMs: 3_600_000 } };
};

const said = (source: string, type: string, detail: Readonly<Record<string, unknown>>) => ({
  ...{ id: ids.uuid(), source, 'detail-type': type, time: toTime(clock.now()), detail },
});

const stateOf = (instance: string) =>
  said('aws.ec2', 'EC2 Instance State-change Notification', { 'instance-id': instance, state: 'terminated' });

const maintenance = () =>
  said('aws.health', 'AWS Health Event', {
    ...{ service: 'EC2', eventTypeCategory: 'scheduledChange', eventArn: 'arn:bench' },
    ...{
      startTime: new Date(clock.now() + 7 * DAY_MS).toUTCString(),
      affectedEntities: [{ entityValue: INSTANCE }],
    },
  });

const measureOn = async (bench: DynamoBench): Promise<readonly Figure[]> => {
  const cloud = createFakeCloud();
  const deps: CloudNodeDeps = depsOf(bench, cloud);
  const unitsOf = async (name: string, work: () => Promise<unknown>): Promise<readonly Figure[]> => {
    bench.meter.take();
    await work();
    const { readUnits, writeUnits } = bench.meter.take();
    return [
      { name, unit: 'RRU', value: readUnits },
      { name: 'the same', unit: 'WRU', value: writeUnits },
    ];
  };
  const node = aKubeletNode(NAME, { at: clock.now() });
  const next = { ...node, spec: { ...node.spec, providerID: PROVIDER_ID } };
  await deps.writer.write(nodeKey(NAME), () => ({ next, writer: 'client' }));
  cloud.set(PROVIDER_ID, 'running');
  const look = { v: 1, kind: 'nodes', names: [NAME] } as const;
  return [
    ...(await unitsOf('a look at a new Node', () => reconcile(deps, { ...look, names: [NAME] }))),
    ...(await unitsOf('a look at a Node that is known', () => reconcile(deps, { ...look, names: [NAME] }))),
    ...(await unitsOf('a sweep of one Node', () => sweep(deps))),
    ...(await unitsOf('an event about an instance that is no Node', () => reconcile(deps, stateOf('i-2')))),
    ...(await unitsOf('maintenance is announced', () => reconcile(deps, maintenance()))),
    ...(await unitsOf('a machine has ended', () => reconcile(deps, stateOf(INSTANCE)))),
  ];
};

export const cloudNodeUnits: Bench = () => onDynamoDb(measureOn);
