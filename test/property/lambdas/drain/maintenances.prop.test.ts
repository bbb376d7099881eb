// NodeMaintenances of a rack under races, crashes, stalls, lost, late and doubled messages and lost answers: never more nodes at a time than
// asked, no node twice in a window, and at quiet each node is done or has failed, and is schedulable again as asked. Its conditions say so.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextStart } from '../../../../lambdas/drain/nodes/next-start.ts';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { NodeMaintenance, NodeMaintenanceSpec } from '../../../../shared/kube/types/node-maintenance.ts';
import { MAINTENANCE_IN_PROGRESS } from '../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { liveRow } from '../../../../shared/ports/store/rows.ts';
import { withMaintenanceConditions } from '../../../../shared/rules/cloud/planned-maintenance.ts';
import { MAINTENANCE_DONE_ANNOTATION } from '../../../../shared/rules/drain/drain-annotations.ts';
import { isDrained } from '../../../../shared/rules/drain/drain-progress.ts';
import { trueCondition } from '../../../../shared/rules/drain/lifecycle-conditions.ts';
import { drainRequestOf, withDrainRequest } from '../../../../shared/rules/drain/node-drain.ts';
import { maintenanceOf } from '../../../../shared/rules/drain/node-in-maintenance.ts';
import { plannedWindows } from '../../../../shared/rules/drain/planned-windows.ts';
import type { Committed } from '../../../../simulation/plane/control-plane-types.ts';
import { unexplained } from '../../../support/planes/bad-day.ts';
import {
  aDrainWorld,
  allNodes,
  changeNode,
  NODES,
  oneOf,
  SKEW_MS,
  uncordoned,
  type World,
} from '../../../support/planes/drain-world.ts';

const RUNS = 8;
const RACK = { rack: 'r7' };
const IN_RACK = NODES.slice(0, 4);
const SECOND = 1_000;

interface Asked {
  readonly spec: NodeMaintenanceSpec;
  readonly startAt: number;
  readonly endAt: number;
}

/** A window that begins soon. Sometimes it is too short for all nodes. */
const ask = (chance: Chance, now: number): Asked => {
  const startAt = now + 20 * SECOND;
  const durationSeconds = oneOf(chance, [120, 1_800]);
  const spec = {
    nodeSelector: { matchLabels: RACK },
    startTime: toTime(startAt),
    durationSeconds,
    maxConcurrent: oneOf(chance, [1, 2, '50%']),
    doneWhen: oneOf(chance, ['Rebooted', 'Annotated', 'Drained'] as const),
    uncordon: chance.hit(0.6),
    drain: { force: true, deleteEmptyDirData: true, deleteAfterSeconds: 30 },
  };
  return { spec, startAt: Math.floor(startAt / SECOND) * SECOND, endAt: startAt + durationSeconds * SECOND };
};

const KEY = { resource: 'nodemaintenances', namespace: '', name: 'rack-r7' };

const putMaintenance = async ({ plane }: World, spec: NodeMaintenanceSpec): Promise<void> => {
  await plane.writer.write(KEY, (_, now) => {
    const metadata = { name: KEY.name, uid: 'uid-rack', generation: 1, creationTimestamp: toTime(now) };
    const next: NodeMaintenance = { apiVersion: 'rollcall.dev/v1', kind: 'NodeMaintenance', metadata, spec };
    return { next, writer: 'client' };
  });
};

/** A technician boots machines that are drained, and says so, each after a while. */
const playTechnician = async (world: World): Promise<void> => {
  const chance = world.chance.fork();
  for (let boot = 0; ; boot += 1) {
    for (const node of await allNodes(world.plane))
      if (isDrained(node) && maintenanceOf(node)?.phase === 'InProgress' && chance.hit(0.1))
        await changeNode(world, node.metadata.name, ({ metadata, status, ...rest }) => ({
          ...rest,
          metadata: {
            ...metadata,
            annotations: { ...metadata.annotations, [MAINTENANCE_DONE_ANNOTATION]: 'true' },
          },
          status: { ...status, nodeInfo: { bootID: `boot-${boot}` } },
        }));
    await world.plane.clock.sleep(2 * SECOND);
  }
};

/** Somebody takes a node back, or drains one of the rack for reasons of their own. */
const meddle = async (world: World): Promise<void> => {
  const chance = world.chance.fork();
  const { clock } = world.plane;
  for (let step = 0; step < 8; step += 1) {
    await clock.sleep(chance.upTo(60_000));
    const name = oneOf(chance, IN_RACK);
    if (chance.hit(0.2)) await changeNode(world, name, uncordoned);
    else if (chance.hit(0.1))
      await changeNode(world, name, (node, now) =>
        withDrainRequest(node, {
          id: `own-${step}`,
          requestedAt: now,
          by: 'bob',
          reason: 'disk',
          force: true,
          ignoreDaemonSets: true,
        }),
      );
  }
};

const atOnce = ({ maxConcurrent }: NodeMaintenanceSpec): number =>
  maxConcurrent === '50%' ? IN_RACK.length / 2 : Number(maxConcurrent);

const isMaintained = (node: Node | undefined): boolean =>
  node !== undefined && maintenanceOf(node)?.phase === 'InProgress';

/** Whether its condition says what its record says. */
const saysItself = (node: Node): boolean =>
  isMaintained(node) === (trueCondition(node, MAINTENANCE_IN_PROGRESS) !== undefined);

/** Follows the commits of Nodes, and says what must never have happened. */
const createWitness = ({ spec, startAt, endAt }: Asked) => {
  const going = new Set<string>();
  const begun = new Set<string>();
  const wrongs: string[] = [];
  let isTold = false;
  const noteTold = (given: NodeMaintenance | undefined): void => {
    const { nextStartTime, windowStartTime } = given?.status ?? {};
    isTold ||= nextStartTime !== undefined || windowStartTime !== undefined;
  };
  const begin = (name: string, node: Node | undefined, at: number): void => {
    if (begun.has(name)) wrongs.push(`${at}: ${name} has begun twice`);
    const requestedAt = (node && drainRequestOf(node)?.requestedAt) ?? 0;
    if (requestedAt < startAt - SKEW_MS || requestedAt >= endAt + SKEW_MS)
      wrongs.push(`${at}: ${name} has begun outside of the window`);
    if (!IN_RACK.includes(name)) wrongs.push(`${at}: ${name} is of another rack`);
    begun.add(name);
    going.add(name);
    if (going.size > atOnce(spec)) wrongs.push(`${at}: ${[...going].join(', ')} are in maintenance at once`);
  };
  const seeNode = (at: number, name: string, node: Node | undefined): void => {
    if (node && !saysItself(node)) wrongs.push(`${at}: ${name} does not say whether it is maintained`);
    const isGoing = isMaintained(node);
    if (isGoing && !going.has(name)) begin(name, node, at);
    if (!isGoing) going.delete(name);
    const request = node && drainRequestOf(node);
    if (isGoing && (request?.deadlineAt ?? 0) > endAt) wrongs.push(`${at}: ${name} drains after the window`);
  };
  return {
    wrongs,
    begun,
    isTold: () => isTold,
    see: ({ at, change: { after } }: Committed): void => {
      if (after?.key.resource === KEY.resource) noteTold(liveRow(after)?.object);
      if (after?.key.resource === 'nodes') seeNode(at, after.key.name, liveRow(after)?.object);
    },
  };
};

/** What is wrong with a node of the rack at quiet. */
const unfinished = (node: Node, { spec }: Asked, hasBegun: boolean): readonly string[] => {
  const record = maintenanceOf(node);
  if (!hasBegun) return record ? ['has a record, and has not begun'] : [];
  if (record?.phase !== 'Done' && record?.phase !== 'Failed') return [`is ${record?.phase}`];
  const request = drainRequestOf(node);
  if (request) return request.by === 'bob' ? [] : ['still drains'];
  const isCordoned = node.spec?.unschedulable === true;
  const staysCordoned = record.phase === 'Done' && spec.uncordon === false;
  return isCordoned && !staysCordoned ? ['is still cordoned'] : [];
};

const live = async (seed: number): Promise<number> => {
  const world = await aDrainWorld(seed);
  const { plane, calm } = world;
  const asked = ask(world.chance.fork(), plane.clock.now());
  for (const name of IN_RACK)
    await changeNode(world, name, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: { ...metadata, labels: RACK },
    }));
  void playTechnician(world);
  void meddle(world);
  await putMaintenance(world, asked.spec);
  await plane.run(600_000);
  calm();
  await plane.run(3_000_000);
  const witness = createWitness(asked);
  for (const commit of plane.commits) witness.see(commit);
  expect(witness.wrongs).toEqual([]);
  for (const node of await allNodes(plane)) {
    const { name } = node.metadata;
    expect([name, unfinished(node, asked, witness.begun.has(name))]).toEqual([name, []]);
  }
  const found: NodeMaintenance | undefined = liveRow(await plane.state.objects.read(KEY))?.object;
  expect(found?.status?.inProgress).toBe(0);
  const now = plane.clock.now();
  const windows = found ? plannedWindows(found, now, nextStart) : [];
  for (const node of await allNodes(plane))
    expect(withMaintenanceConditions(node, windows, now), 'conditions at quiet').toBe(node);
  const phases = (await allNodes(plane)).map((node) => maintenanceOf(node)?.phase);
  // Nobody looks back at a window that no status has told of, or that selected no node.
  if (witness.isTold() && witness.begun.size > 0)
    expect(found?.status).toMatchObject({
      selected: IN_RACK.length,
      done: phases.filter((phase) => phase === 'Done').length,
      failed: phases.filter((phase) => phase === 'Failed').length,
    });
  expect(unexplained(plane.failures)).toEqual([]);
  return witness.begun.size;
};

describe('the maintenance of a rack on a bad day', () => {
  it('keeps to its number of nodes, ends for each node that has begun, and is told by conditions (E-22 to E-25, V-70)', async () => {
    let begun = 0;
    const property = fc.asyncProperty(fc.integer(), async (seed) => {
      begun += await live(seed);
    });
    await fc.assert(property, { numRuns: RUNS });
    expect(begun).toBeGreaterThan(0);
  }, 180_000);
});
