/** Pods that wait for a node when a host starts: how long the scheduler takes to place all of them. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createGroupCommit } from '../../../host/folder/group-commit.ts';
import { type Host, startHost } from '../../../host/host.ts';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { LABEL_HOSTNAME, LABEL_ZONE, READY } from '../../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { parseHostConfiguration } from '../../../shared/settings/host/host-configuration.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { podKey } from '../../support/stores/builders.ts';
import { entriesOf } from '../../support/stores/log-entries.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { nodeName, uidOf } from '../fleet/fleet.ts';
import { inHostFolder } from './bench-host.ts';
import { type Watched, watched } from './watched.ts';

const AT_ONCE = 256;
/** Rarely: the reads are on the same loop. The instants of the binds come from the log. */
const POLL_MS = 3_000;
const MOST_MS = 300_000;
const TURN_MS = 100;

interface Wave {
  readonly nodes: number;
  readonly pods: number;
  /** Seconds that are aimed at; absent: only the throughput is of interest. */
  readonly atMostSeconds?: number;
}

const WAVES: readonly Wave[] = [
  { nodes: 1_000, pods: 1_000, atMostSeconds: 5 },
  { nodes: 5_000, pods: 10_000 },
];

const aNode = (index: number): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: nodeName(index),
    uid: uidOf(nodeName(index)),
    creationTimestamp: toTime(clock.now()),
    labels: { [LABEL_HOSTNAME]: nodeName(index), [LABEL_ZONE]: `z${index % 3}` },
  },
  spec: {},
  status: {
    allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
    conditions: [{ type: READY, status: 'True', reason: 'KubeletReady' }],
  },
});

const podName = (index: number): string => `web-${index}`;

const aPod = (index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: podName(index),
    namespace: 'default',
    uid: uidOf(podName(index)),
    generation: 1,
    creationTimestamp: toTime(clock.now()),
    labels: { app: `app-${index % 20}` },
  },
  spec: {
    terminationGracePeriodSeconds: 30,
    containers: [
      {
        name: 'web',
        image: 'registry.k8s.io/pause:3.10',
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      },
    ],
  },
  status: { phase: 'Pending' },
});

const indices = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Stores what is there before the host starts. */
const store = async (folder: string, { nodes, pods }: Wave): Promise<void> => {
  const state = openSqliteState({ folder, clock });
  const objects = { ...state.objects, commit: createGroupCommit(state.commitTogether).patient };
  const capacityEffects = createCapacityEffects(state.capacity);
  const writer = createObjectWriter({ ...state, objects, clock, ids, capacityEffects });
  await inParallel(indices(nodes), AT_ONCE, (index) =>
    writer.write(nodeKey(nodeName(index)), () => ({ next: aNode(index), writer: 'client' })),
  );
  await inParallel(indices(pods), AT_ONCE, (index) =>
    writer.write(podKey(podName(index)), () => ({ next: aPod(index), writer: 'client' })),
  );
  state.close();
};

/** When (ms) each pod got its node. */
const bindsIn = async ({ objects }: Host['state']): Promise<readonly EpochMs[]> => {
  const bound = new Map<string, EpochMs>();
  for (const { key, object, at } of await entriesOf(objects, 'pods'))
    if ((object as Pod).spec.nodeName && !bound.has(key.name)) bound.set(key.name, at);
  return [...bound.values()].toSorted((a, b) => a - b);
};

const untilBound = async ({ state }: Host): Promise<void> => {
  const end = performance.now() + MOST_MS;
  const isOneLeft = async (): Promise<boolean> => {
    for await (const { value } of state.objects.unboundPods()) if (value.length > 0) return true;
    return false;
  };
  while ((await isOneLeft()) && performance.now() < end) await wait(POLL_MS);
};

interface Course {
  readonly binds: readonly EpochMs[];
  readonly startedAt: EpochMs;
  readonly watched: Watched;
}

const figuresOf = ({ nodes, pods, atMostSeconds }: Wave, course: Course): readonly Figure[] => {
  const { binds, startedAt } = course;
  const { stallMs, turnMs, cpuMs } = course.watched;
  const name = `${pods.toLocaleString('en')} pods on ${nodes.toLocaleString('en')} nodes`;
  const [first = 0, last = 0] = [binds[0], binds.at(-1)];
  const seconds = (last - first) / 1_000;
  const target = atMostSeconds === undefined ? {} : { target: { atMost: atMostSeconds } };
  return [
    { name: `${name}: bound`, unit: 'pods', value: binds.length, target: { atLeast: pods } },
    { name: `${name}: from the first to the last bind`, unit: 's', value: seconds, ...target },
    { name: `${name}: throughput`, unit: 'pods/s', value: binds.length / seconds },
    { name: `${name}: from the start of the host`, unit: 's', value: (last - startedAt) / 1_000 },
    { name: `${name}: processor time per pod`, unit: 'ms', value: cpuMs / binds.length },
    { name: `${name}: longest turn, processor time`, unit: 'ms', value: turnMs, target: { atMost: TURN_MS } },
    { name: `${name}: longest stall, wall time`, unit: 'ms', value: stallMs },
  ];
};

const measure = (wave: Wave): Promise<readonly Figure[]> =>
  inHostFolder(async (folder) => {
    await store(join(folder, 'state'), wave);
    // No node falls silent while it is measured.
    const settings = { folder, listen: '127.0.0.1:0', nodeMonitorGracePeriod: 3_600 };
    const hostLog = createHostLog({ format: 'text', clock, write: () => undefined });
    const startedAt = clock.now();
    const host = await startHost(parseHostConfiguration(settings), hostLog);
    try {
      const course = await watched(() => untilBound(host));
      return figuresOf(wave, { binds: await bindsIn(host.state), startedAt, watched: course });
    } finally {
      await host.stop();
    }
  });

/** The scheduler on a host, from a cold start. */
export const hostPlacement: Bench = async () => {
  const figures: Figure[] = [];
  for (const wave of WAVES) figures.push(...(await measure(wave)));
  return figures;
};
