// Machines that are stopped, started, ended and announced to leave, and Nodes that are made anew under their names, while the cloud's words
// are lost, late, doubled and out of order, the cloud is sometimes down, and processes crash: at quiet each Node agrees with the last word of
// its cloud, no Node goes by a word about another machine, and the taint out-of-service has a proof and comes off.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CloudNodeMessage } from '../../../../lambdas/cloud-node/message.ts';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../../shared/adapters/hostile/process.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow, nodeKey } from '../../../../shared/ports/store/rows.ts';
import { hasShutdownTaint } from '../../../../shared/rules/cloud/cloud-step.ts';
import { isUninitialised } from '../../../../shared/rules/cloud/initialise.ts';
import { type InstanceState, instanceKey, providerIdOf } from '../../../../shared/rules/cloud/instance.ts';
import { nextDrainAt } from '../../../../shared/rules/cloud/scheduled-maintenance.ts';
import { drainRequestOf } from '../../../../shared/rules/drain/node-drain.ts';
import { readyStatusOf } from '../../../../shared/rules/nodes/node-conditions.ts';
import { hasOutOfServiceTaint } from '../../../../shared/rules/nodes/out-of-service.ts';
import { PROOF_ANNOTATION, provenSince } from '../../../../shared/rules/nodes/out-of-service-proof.ts';
import type { Committed } from '../../../../simulation/plane/control-plane-types.ts';
import { type BadDay, createBadDay, unexplained } from '../../../support/planes/bad-day.ts';
import { allNodes, oneOf } from '../../../support/planes/drain-world.ts';
import { createFakeCloud, type FakeCloud } from '../../../support/planes/fake-cloud.ts';

const RUNS = 10;
const STEPS = 60;
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const HOUR = 3_600_000;
const PATIENT = { nodeMonitorGracePeriodMs: 10 * HOUR, nodeStartupGracePeriodMs: 10 * HOUR };
const EVENTS: readonly [string, string][] = [
  ['aws.ec2', 'EC2 Spot Instance Interruption Warning'],
  ['aws.ec2', 'EC2 Instance Rebalance Recommendation'],
];

interface World extends BadDay {
  readonly cloud: FakeCloud;
  /** Uids of Nodes that clients have deleted. */
  readonly byClients: Set<string>;
  /** The instance that each notice is about, by the id of its event. */
  readonly notices: Map<string, string>;
  made: number;
}

const idOf = (machine: string): string => `aws:///eu-west-1a/${machine}`;

/** A machine registers: with its providerID, or as one that waits for its cloud. */
const register = async (world: World, name: string, chance: Chance): Promise<void> => {
  world.made += 1;
  const machine = `i-${world.made.toString(16).padStart(8, '0')}`;
  const uid = `node-${world.made}`;
  const waits = chance.hit(0.4);
  for (const [id, one] of world.cloud.machines)
    if (one.labels?.['name'] === name) world.cloud.set(id, one.state, { labels: {} });
  world.cloud.set(idOf(machine), 'running', { labels: { name }, nodeName: name });
  await world.plane.writer.write(nodeKey(name), (row, now) => {
    if (liveRow(row)) return undefined;
    const taints = [
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
    ];
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: toTime(now) }] as const;
    const metadata = { name, uid, creationTimestamp: toTime(now) };
    const spec = waits ? { taints } : { providerID: idOf(machine) };
    return {
      next: { apiVersion: 'v1', kind: 'Node', metadata, spec, status: { conditions } } as Node,
      writer: 'client',
    };
  });
};

const remove = async ({ plane, byClients }: World, name: string): Promise<void> => {
  await plane.writer.write(nodeKey(name), (row) => {
    const live = liveRow(row);
    if (live) byClients.add(live.uid);
    return live && { next: 'delete', writer: 'client' };
  });
};

const setReady = async ({ plane }: World, name: string, status: 'True' | 'Unknown'): Promise<void> => {
  await plane.writer.write(nodeKey(name), (row, now) => {
    const node: Node | undefined = liveRow(row)?.object;
    if (!node || readyStatusOf(node) === status) return undefined;
    const conditions = [{ type: 'Ready', status, lastTransitionTime: toTime(now) }] as const;
    return { next: { ...node, status: { ...node.status, conditions } }, writer: 'client' };
  });
};

/** By a process of its own: the word may be lost, doubled or late. */
const tell = async ({ plane }: World, message: CloudNodeMessage): Promise<void> => {
  await plane
    .invoke()
    .queues.send('cloud-node', [{ body: message }])
    .catch(() => undefined);
};

const tellState = (world: World, providerId: string, state: InstanceState): Promise<void> => {
  const instance = instanceKey(providerId);
  const event = { id: 'state', source: 'aws.ec2', time: toTime(world.plane.clock.now()) };
  return world.chance.hit(0.5)
    ? tell(world, { v: 1, kind: 'news', instance })
    : tell(world, {
        ...event,
        'detail-type': 'EC2 Instance State-change Notification',
        detail: { 'instance-id': instance, state },
      });
};

/** Maintenance is announced, moved, cancelled; each change has a name that its events share. */
const announce = async (world: World, instance: string, step: number): Promise<void> => {
  const { chance, notices, plane } = world;
  const [now, eventArn] = [plane.clock.now(), `change-${instance}`];
  notices.set(eventArn, instance);
  await tell(world, {
    id: `event-${step}`,
    source: 'aws.health',
    'detail-type': 'AWS Health Event',
    time: toTime(now),
    detail: {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      eventArn,
      startTime: new Date(now + chance.upTo(2 * HOUR)).toUTCString(),
      statusCode: chance.hit(0.3) ? 'closed' : 'upcoming',
      affectedEntities: [{ entityValue: instance }],
    },
  });
};

const giveNotice = async (world: World, providerId: string, step: number): Promise<void> => {
  if (world.chance.hit(0.4)) return announce(world, instanceKey(providerId), step);
  const [source, type] = oneOf(world.chance, EVENTS);
  const [id, instance] = [`event-${step}`, instanceKey(providerId)];
  world.notices.set(id, instance);
  await tell(world, {
    id,
    source,
    'detail-type': type,
    time: toTime(world.plane.clock.now()),
    detail: { 'instance-id': instance },
  });
};

const STATES: readonly InstanceState[] = ['running', 'stopped', 'stopped', 'stopping', 'terminated'];

/** A machine changes its state, and its kubelet with it. An ended one never comes back. */
const turn = async (world: World, chance: Chance, name: string, providerId: string): Promise<void> => {
  const machine = world.cloud.machines.get(providerId);
  if (!machine || machine.state === 'terminated') return;
  const state = oneOf(chance, STATES);
  world.cloud.set(providerId, state, machine);
  if (state === 'running' || chance.hit(0.8))
    await setReady(world, name, state === 'running' ? 'True' : 'Unknown');
  await tellState(world, providerId, state);
};

const userStep = async (world: World, chance: Chance, step: number): Promise<void> => {
  const name = oneOf(chance, NAMES);
  const node: Node | undefined = liveRow(await world.plane.state.objects.read(nodeKey(name)))?.object;
  world.cloud.isDown = chance.hit(0.1);
  if (!node) return register(world, name, chance);
  if (chance.hit(0.12)) {
    await remove(world, name);
    return chance.hit(0.7) ? register(world, name, chance) : undefined;
  }
  const providerId = providerIdOf(node);
  if (chance.hit(0.15)) return giveNotice(world, providerId, step);
  // Words about machines that Nodes of before had come late.
  const all = [...world.cloud.machines.values()];
  if (chance.hit(0.15)) {
    const { providerId: old, state } = oneOf(chance, all);
    return tellState(world, old, state);
  }
  return turn(world, chance, name, providerId);
};

/** What is wrong with the taint out-of-service of a Node. */
const taintFaults = (was: Node | undefined, is: Node): readonly string[] => {
  const isOut = hasOutOfServiceTaint(is);
  const hasProof = is.metadata.annotations?.[PROOF_ANNOTATION] !== undefined;
  const isNew = was !== undefined && isOut && !hasOutOfServiceTaint(was);
  const hadGrounds = was !== undefined && hasShutdownTaint(was) && readyStatusOf(was) !== 'True';
  return [
    ...(isOut && provenSince(is) === undefined ? ['has the taint without a proof'] : []),
    ...(!isOut && hasProof ? ['has a proof without the taint'] : []),
    ...(isNew && !hadGrounds ? ['has the taint without grounds'] : []),
  ];
};

/** Follows the commits, and says what must never have happened. */
const createWitness = ({ cloud, byClients, notices }: World) => {
  const nodes = new Map<string, Node>();
  const wrongs: string[] = [];
  const checkGone = (was: Node, at: number): void => {
    const { name, uid = '' } = was.metadata;
    const state = cloud.machines.get(providerIdOf(was))?.state;
    if (!byClients.has(uid) && state !== 'terminated')
      wrongs.push(`${at}: ${name} went, its machine is ${state}`);
  };
  const checkChange = (was: Node | undefined, is: Node, at: number): void => {
    const { name } = is.metadata;
    wrongs.push(...taintFaults(was, is).map((fault) => `${at}: ${name} ${fault}`));
    const { id = '', by } = drainRequestOf(is) ?? {};
    const about = notices.get(id.replace(/^(spot|rebalance|maintenance)-/, ''));
    const isOther = by === 'cloud-node' && about !== instanceKey(providerIdOf(is));
    if (isOther) wrongs.push(`${at}: ${name} drains for ${about}`);
  };
  return {
    wrongs,
    see: ({ at, change: { after } }: Committed): void => {
      if (after?.key.resource !== 'nodes') return;
      const { name } = after.key;
      const was = nodes.get(name);
      const is: Node | undefined = liveRow(after)?.object;
      if (is) checkChange(was?.metadata.uid === is.metadata.uid ? was : undefined, is, at);
      if (was && was.metadata.uid !== is?.metadata.uid) checkGone(was, at);
      if (is) nodes.set(name, is);
      else nodes.delete(name);
    },
  };
};

/** What is wrong with a Node at quiet. */
const disagrees = (node: Node, cloud: FakeCloud, now: number): readonly string[] => {
  const state = cloud.machines.get(providerIdOf(node))?.state;
  const isDown = readyStatusOf(node) !== 'True';
  return [
    ...((nextDrainAt(node) ?? now) + 120_000 < now ? ['a drain is overdue'] : []),
    ...(isUninitialised(node) ? ['still waits for its cloud'] : []),
    ...(state === 'terminated' ? ['its machine has ended'] : []),
    ...(hasShutdownTaint(node) && !isDown ? ['has the taint of a machine that is off'] : []),
    ...(isDown && state === 'stopped' && !hasShutdownTaint(node) ? ['lacks that taint'] : []),
    ...(isDown && state === 'stopped' && !hasOutOfServiceTaint(node) ? ['is not out of service'] : []),
    ...(!isDown && hasOutOfServiceTaint(node) ? ['is still out of service'] : []),
  ];
};

const live = async (seed: number): Promise<void> => {
  const cloud = createFakeCloud();
  const outOfService = { policy: 'proven', fencingDelayMs: 0 } as const;
  const day = createBadDay(seed, BAD_DAY, PATIENT, { cloud, outOfService });
  const world: World = { ...day, cloud, byClients: new Set(), notices: new Map(), made: 0 };
  const { plane } = world;
  const chance = world.chance.fork();
  for (const name of NAMES) await register(world, name, chance);
  const user = async (): Promise<void> => {
    for (let step = 0; step < STEPS; step += 1) {
      await plane.clock.sleep(chance.hit(0.4) ? chance.upTo(500) : chance.upTo(40_000));
      await userStep(world, chance, step);
    }
  };
  await plane.clock.run(user());
  cloud.isDown = false;
  world.calm();
  // Each hour a sweep looks at all Nodes.
  await plane.run(1.2 * HOUR);
  const witness = createWitness(world);
  for (const commit of plane.commits) witness.see(commit);
  expect(witness.wrongs).toEqual([]);
  for (const node of await allNodes(plane))
    expect([node.metadata.name, disagrees(node, cloud, plane.clock.now())]).toEqual([node.metadata.name, []]);
  expect(unexplained(plane.failures)).toEqual([]);
};

describe('clouds on a bad day', () => {
  it('have the last word, about their own machines only (J-70, J-110, J-73, J-74, J-77, J-80, J-81, J-86, J-87)', async () => {
    await fc.assert(fc.asyncProperty(fc.integer(), live), { numRuns: RUNS });
  }, 180_000);
});
