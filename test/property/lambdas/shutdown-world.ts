/** Nodes with the pods of one ReplicaSet, whose machines shut down, die and come back. The test plays their agents. */
import type { Chance } from '../../../shared/adapters/hostile/chance.ts';
import { BAD_DAY } from '../../../shared/adapters/hostile/process.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { liveRow } from '../../../shared/ports/store/rows.ts';
import { withDrainRequest } from '../../../shared/rules/drain/node-drain.ts';
import { isPodReady } from '../../../shared/rules/pods/pod-conditions.ts';
import {
  hasShutdownEnded,
  type ShutdownReport,
  withShutdownEnded,
  withShutdownReport,
} from '../../../shared/rules/shutdown/shutdown-report.ts';
import { withNotReady } from '../../../shared/rules/shutdown/shutting-down-node.ts';
import { runningPod } from '../../support/objects/running-pod.ts';
import { type BadDay, createBadDay } from '../../support/planes/bad-day.ts';
import {
  addNode,
  allNodes,
  allPods,
  changeNode,
  NODES,
  uncordoned,
  type World,
} from '../../support/planes/drain-world.ts';
import { beat } from '../../support/planes/fleet.ts';

/** Replicas of the ReplicaSet. */
export const WEB = 6;
/** Nodes that may be down at the same time: there is room on the others. */
const MOST_DOWN = 2;

export interface ShutdownWorld extends BadDay {
  /** From now on no machine goes down, and all that are down come back. */
  settle(): void;
}

interface Machine {
  readonly name: string;
  readonly chance: Chance;
  isDead: boolean;
  isEnding: boolean;
}

const replicaSet = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { namespace: 'default', name: 'web', uid: 'uid-web', generation: 1 },
  spec: {
    replicas: WEB,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        tolerations: ['not-ready', 'unreachable'].map((key) => ({
          key: `node.kubernetes.io/${key}`,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 20,
        })),
      },
    },
  },
} as unknown as ApiObject;

const withStatus = (node: Node, ready: 'True' | 'False', bootID: string, now: number): Node => ({
  ...node,
  status: {
    ...node.status,
    allocatable: { cpu: '8', memory: '8Gi', pods: '110' },
    capacity: { cpu: '8', memory: '8Gi', pods: '110' },
    nodeInfo: { bootID },
    conditions: [
      ...(node.status?.conditions ?? []).filter(({ type }) => type !== 'Ready'),
      { type: 'Ready', status: ready, reason: 'KubeletReady', lastTransitionTime: toTime(now) },
    ],
  },
});

const changePod = ({ plane }: BadDay, name: string, change: (pod: Pod, now: number) => Pod | 'delete') =>
  plane.writer.write({ resource: 'pods', namespace: 'default', name }, (row, now) => {
    const pod = liveRow(row)?.object as Pod | undefined;
    return pod && { next: change(pod, now), writer: 'client' };
  });

const failed = (pod: Pod): Pod => ({
  ...pod,
  status: { ...pod.status, phase: 'Failed', reason: 'Terminated' },
});

const podsOn = async (world: BadDay, name: string): Promise<readonly Pod[]> =>
  (await allPods(world.plane)).filter(
    ({ spec, status }) => spec.nodeName === name && status?.phase !== 'Failed',
  );

/** An agent that is alive: it beats, runs what is bound, refuses it while it shuts down, and ends what is deleted. */
const serve = async (world: BadDay, machine: Machine): Promise<void> => {
  if (machine.isDead) return;
  await beat(world.beating, machine.name);
  for (const pod of await podsOn(world, machine.name)) {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined) await changePod(world, name, () => 'delete');
    else if (!isPodReady(pod)) await changePod(world, name, machine.isEnding ? failed : runningPod);
  }
};

/** What the API does with a report; it may come twice. */
const tell = async (world: BadDay, { name, chance }: Machine, report: ShutdownReport): Promise<void> => {
  for (let times = chance.hit(0.3) ? 2 : 1; times > 0; times -= 1)
    await changeNode(world, name, (node, now) =>
      hasShutdownEnded(node, report.id) ? undefined : withNotReady(withShutdownReport(node, report), now),
    );
};

/** Ends pods in phases. Resolves to whether the machine then goes off. */
const shutDown = async (world: BadDay, machine: Machine, id: string): Promise<boolean> => {
  const { chance, name } = machine;
  const { clock } = world.plane;
  const seconds = Array.from(
    { length: 1 + Math.floor(chance.upTo(3)) },
    () => 10 + Math.round(chance.upTo(80)),
  );
  const totalSeconds = seconds.reduce((sum, one) => sum + one, 0);
  machine.isEnding = true;
  for (const [index, phaseSeconds] of seconds.entries()) {
    const remainingSeconds = seconds.slice(index).reduce((sum, one) => sum + one, 0);
    const phase = { id, phase: index + 1, phases: seconds.length };
    await tell(world, machine, { ...phase, phaseSeconds, remainingSeconds, totalSeconds });
    await clock.sleep(chance.upTo(phaseSeconds * 1_000));
    if (chance.hit(0.15)) return true;
    const pods = await podsOn(world, name);
    const due = index === seconds.length - 1 ? pods : pods.filter(() => chance.hit(0.5));
    for (const { metadata } of due) await changePod(world, metadata.name, failed);
    if (chance.hit(0.15)) return false;
  }
  return true;
};

const live = async (world: World, machine: Machine, down: Set<Machine>, isSettled: () => boolean) => {
  const { chance, name } = machine;
  const { clock } = world.plane;
  for (let boot = 1; ; boot += 1) {
    await changeNode(world, name, (node, now) => withStatus(withShutdownEnded(node), 'True', `${boot}`, now));
    Object.assign(machine, { isDead: false, isEnding: false });
    down.delete(machine);
    do await clock.sleep(1_000 + chance.upTo(120_000));
    while (isSettled() || down.size >= MOST_DOWN);
    down.add(machine);
    if (chance.hit(0.3)) {
      await changeNode(world, name, (node, now) => withStatus(node, 'False', `${boot}`, now));
      await clock.sleep(chance.upTo(30_000));
    }
    machine.isDead = await shutDown(world, machine, `${name}-${boot}`);
    if (machine.isDead) await clock.sleep(chance.upTo(150_000));
    // A cancelled shutdown leaves the boot as it is.
    else boot -= 1;
  }
};

/** A scheduler without faults, so that the pods of a day are not those of its first minutes. */
const bind = async (world: World): Promise<void> => {
  const chance = world.chance.fork();
  for (;;) {
    const open = (await allNodes(world.plane)).filter(
      ({ spec }) => !spec?.unschedulable && !spec?.taints?.length,
    );
    const unbound = (await allPods(world.plane)).filter(({ spec }) => !spec.nodeName);
    for (const { metadata } of open.length === 0 ? [] : unbound) {
      const nodeName = open[Math.floor(chance.upTo(open.length))]?.metadata.name ?? '';
      await changePod(world, metadata.name, (pod) => ({ ...pod, spec: { ...pod.spec, nodeName } }));
    }
    await world.plane.clock.sleep(2_000);
  }
};

/** Somebody drains a node now and then, and takes it back. */
const drainSometimes = async (world: World, isSettled: () => boolean): Promise<void> => {
  const chance = world.chance.fork();
  for (let step = 0; ; step += 1) {
    await world.plane.clock.sleep(20_000 + chance.upTo(60_000));
    const name = isSettled() ? 'n1' : (NODES[Math.floor(chance.upTo(2))] ?? 'n1');
    const request = { id: `d${step}`, requestedAt: 0, by: 'alice', reason: '', force: true } as const;
    if (isSettled()) for (const one of NODES) await changeNode(world, one, uncordoned);
    else await changeNode(world, name, (node) => withDrainRequest(node, request));
    await world.plane.clock.sleep(chance.upTo(60_000));
    if (chance.hit(0.7)) await changeNode(world, name, uncordoned);
  }
};

/** A world in which faults strike at the rates of a bad day, until `calm`. */
export const aShutdownWorld = async (seed: number): Promise<ShutdownWorld> => {
  const world: World = { ...createBadDay(seed, BAD_DAY), made: 0 };
  const { plane } = world;
  let isSettled = false;
  await plane.state.ownerEdges.complete();
  for (const name of NODES) await addNode(world, name);
  await plane.writer.write({ resource: 'replicasets', namespace: 'default', name: 'web' }, () => ({
    next: replicaSet,
    writer: 'client',
  }));
  const down = new Set<Machine>();
  for (const name of NODES) {
    const machine: Machine = { name, chance: world.chance.fork(), isDead: false, isEnding: false };
    void live(world, machine, down, () => isSettled);
    void (async () => {
      for (;;) {
        await serve(world, machine);
        await plane.clock.sleep(5_000);
      }
    })();
  }
  plane.set('scheduler', false);
  void bind(world);
  void drainSometimes(world, () => isSettled);
  return {
    ...world,
    settle: () => {
      isSettled = true;
    },
  };
};
