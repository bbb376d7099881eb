/** What cloud-node costs on DynamoDB for what happens to one Node of 5 KB. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { CloudNodeDeps } from '../../../lambdas/cloud-node/deps.ts';
import { reconcile } from '../../../lambdas/cloud-node/reconcile.ts';
import { sweep } from '../../../lambdas/cloud-node/sweep.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { withHolds } from '../../../shared/store/writer/destruction.ts';
import { createKnownHolds } from '../../../shared/store/writer/known-holds.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { aKubeletNode, nodeName } from '../../bench/fleet/fleet.ts';
import { createFakeCloud } from '../../support/planes/fake-cloud.ts';
import type { DynamoStores } from '../../support/stores/dynamodb-stores.ts';
import { type CreateStores, STANDING_CLOCK as clock, type Meter, spentUnits } from './spent-units.ts';

const NAME = nodeName(1);
const INSTANCE = 'i-0123456789abcdef0';
const PROVIDER_ID = `aws:///eu-west-1a/${INSTANCE}`;
const DAY_MS = 86_400_000;
const LOOK = { v: 1 as const, kind: 'nodes' as const, names: [NAME] };

const depsOf = (stores: DynamoStores, cloud: ReturnType<typeof createFakeCloud>): CloudNodeDeps => {
  const holds = createKnownHolds({ ...stores, clock });
  const writer = withHolds(createObjectWriter({ ...stores, clock, ids }), holds);
  const given = {
    writer,
    holds,
    ids,
    recorder: createEventRecorder({ writer, ids }),
    queues: { send: async () => {} },
  };
  const outOfService = { policy: 'manual', fencingDelayMs: 0 } as const;
  return { ...stores, clock, cloud, ...given, config: { outOfService, maintenanceLeadMs: 3_600_000 } };
};

const event = (source: string, type: string, detail: Readonly<Record<string, unknown>>) => ({
  id: ids.uuid(),
  source,
  'detail-type': type,
  time: toTime(clock.now()),
  detail,
});

const terminated = (instance: string) =>
  event('aws.ec2', 'EC2 Instance State-change Notification', {
    'instance-id': instance,
    state: 'terminated',
  });

const maintenance = () =>
  event('aws.health', 'AWS Health Event', {
    service: 'EC2',
    eventTypeCategory: 'scheduledChange',
    eventArn: 'arn:units',
    startTime: new Date(clock.now() + 7 * DAY_MS).toUTCString(),
    affectedEntities: [{ entityValue: INSTANCE }],
  });

/** A running machine, and its Node, which cloud-node has not looked at. */
const prepare = async (stores: DynamoStores): Promise<CloudNodeDeps> => {
  const cloud = createFakeCloud();
  const deps = depsOf(stores, cloud);
  const node = aKubeletNode(NAME, { at: clock.now() });
  const next = { ...node, spec: { ...node.spec, providerID: PROVIDER_ID } };
  await deps.writer.write(nodeKey(NAME), () => ({ next, writer: 'client' }));
  cloud.set(PROVIDER_ID, 'running', { nodeName: NAME });
  return deps;
};

type Work = (deps: CloudNodeDeps) => Promise<unknown>;

/** One after the other: each finds what the one before has left. */
const ROWS: readonly (readonly [string, Work, readUnits: number, writeUnits: number])[] = [
  ['a look at a new Node', (deps) => reconcile(deps, LOOK), 3, 10],
  ['a look at a Node that is known', (deps) => reconcile(deps, LOOK), 3, 0],
  ['a sweep of one Node', (deps) => sweep(deps), 1.5, 1],
  ['an event about an instance that is no Node', (deps) => reconcile(deps, terminated('i-2')), 1, 0],
  ['the announcement of maintenance', (deps) => reconcile(deps, maintenance()), 4, 20],
  ['the end of a machine, whose Node goes', (deps) => reconcile(deps, terminated(INSTANCE)), 3, 22],
];

export const cloudNodeUnits = (create: CreateStores, meter: Meter): void => {
  describe('cloud-node pays', () => {
    let deps: CloudNodeDeps;
    beforeAll(async () => {
      deps = await prepare(await create());
    });

    it.each(ROWS)('for %s', async (_, work, readUnits, writeUnits) => {
      expect(await spentUnits(meter, () => work(deps))).toEqual({ readUnits, writeUnits });
    });
  });
};
