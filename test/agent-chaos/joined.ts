/**
 * Real agents that have joined a real host are killed at random points, with their keepers, OCI runtimes and programs, while the pods of a Deployment come and
 * go. Then it is looked whether anything ran twice, was forgotten, or was left behind.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentPod } from '../../agent/rules/containers/agent-pod.ts';
import { createMounter } from '../../agent/volumes/mounts.ts';
import { stateFolderOf } from '../../cli/agent/agent-oci.ts';
import { podsGroupOf } from '../../cli/agent/agent-pods.ts';
import { byText } from '../../shared/kube/text/compare-text.ts';
import {
  type AgentHere,
  type ClusterHere,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { bundleProcesses } from '../support/agent/oci/bundle-processes.ts';
import { groupFolders, killed, oneOf, runtimePids } from './machine.ts';

const NAMES = ['chaos-a', 'chaos-b'];
const MOST_REPLICAS = 6;
const REPLICAS_AT_END = 4;
/** The pause before a container that was killed several times is started again is part of it. */
const PATIENCE_MS = 180_000;
const LIFE_MS = 8_000;
const LONG_LIFE_MS = 40_000;
/** How often a run goes on for half its time, because too little was killed. */
const MOST_MORE = 4;
/** How often, and after what pauses (ms), a call of the OCI runtime is looked for. */
const RUNTIME_ROUNDS = 100;
const RUNTIME_ROUND_MS = 20;
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/churn';

/** What a run did, and what was wrong. */
export interface JoinedChaosReport {
  readonly violations: readonly string[];
  readonly agents: number;
  readonly keepers: number;
  readonly runtimes: number;
  readonly programs: number;
  readonly deletions: number;
  readonly starts: number;
}

/**
 * A container says that it was started, in a file that only one can make, and holds the lock of its pod and name while a process of its
 * tree lives. It leaves a process of another session behind. Its root is mounted from the folder of its pod, name and restart count.
 */
const program = (marks: string): string =>
  [
    String.raw`key=$(sed -n '/ \/ /s,.*/pods/\([^/]*\)/\([^/]*\)/.*,\1_\2,p' /proc/self/mountinfo)`,
    `(set -C; : > "${marks}/start-$key") 2>/dev/null || echo "twice $key" >> ${marks}/faults`,
    `exec 9>> "${marks}/lock-\${key%_*}"`,
    `flock -n 9 || echo "double $key" >> ${marks}/faults`,
    'setsid sleep 1000 &',
    'exec sleep 1000',
  ].join('\n');

const deployment = (marks: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'churn' },
  spec: {
    replicas: MOST_REPLICAS,
    selector: { matchLabels: { app: 'churn' } },
    template: {
      metadata: { labels: { app: 'churn' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        volumes: [
          { name: 'memory', emptyDir: { medium: 'Memory' } },
          { name: 'marks', hostPath: { path: marks } },
        ],
        containers: ['one', 'two'].map((name) => ({
          name,
          image: 'host',
          command: ['/bin/sh', '-c', program(marks)],
          volumeMounts: [
            { name: 'memory', mountPath: '/memory' },
            { name: 'marks', mountPath: marks },
          ],
        })),
      },
    },
  },
});

interface Chaos {
  readonly here: ClusterHere;
  readonly agents: readonly AgentHere[];
  readonly random: () => number;
  readonly counts: { agents: number; keepers: number; runtimes: number; programs: number; deletions: number };
}

/** Some are killed before they have begun to work. */
const restart = async ({ random, counts }: Chaos, agent: AgentHere): Promise<void> => {
  await agent.process().end('SIGKILL');
  counts.agents += 1;
  await wait(random() * 1000);
  agent.start();
};

const killProcess = ({ agents, random, counts }: Chaos, isKeeper: boolean): void => {
  const all = agents.flatMap(({ root }) => bundleProcesses(root));
  const found = oneOf(
    all.filter((one) => one.isKeeper === isKeeper),
    random,
  );
  if (killed(found?.pid)) counts[isKeeper ? 'keepers' : 'programs'] += 1;
};

const deleteOne = async ({ here, random, counts }: Chaos): Promise<void> => {
  const pod = oneOf(await here.host.pods(), random);
  if (!pod) return;
  await here.host
    .send('DELETE', `/api/v1/namespaces/default/pods/${pod.metadata.name}`)
    .catch(() => undefined);
  counts.deletions += 1;
};

/** A call of the runtime is short: the next one is waited for, which the end of a pod brings, some rounds at most. */
const killRuntime = async (chaos: Chaos): Promise<void> => {
  const { agents, random, counts } = chaos;
  await deleteOne(chaos);
  for (let left = RUNTIME_ROUNDS; left > 0; left -= 1) {
    const all = agents.flatMap(({ root }) => runtimePids(stateFolderOf(root)));
    if (killed(oneOf(all, random))) {
      counts.runtimes += 1;
      return;
    }
    await wait(RUNTIME_ROUND_MS);
  }
};

const scale = async ({ here }: Chaos, replicas: number): Promise<void> => {
  await here.kubectl('scale', 'deployment/churn', `--replicas=${replicas}`);
};

const disturb = async (chaos: Chaos): Promise<void> => {
  const chance = chaos.random();
  if (chance < 0.2) killProcess(chaos, false);
  else if (chance < 0.3) killProcess(chaos, true);
  else if (chance < 0.45) await killRuntime(chaos);
  else if (chance < 0.65) await deleteOne(chaos);
  else if (chance < 0.75) await scale(chaos, 1 + Math.floor(chaos.random() * MOST_REPLICAS));
};

const until = async (end: number, work: () => Promise<void>): Promise<void> => {
  while (performance.now() < end) await work();
};

/** Each agent lives for up to `longestLifeMs`. */
const run = async (chaos: Chaos, durationMs: number, longestLifeMs: number): Promise<void> => {
  const { random } = chaos;
  const end = performance.now() + durationMs;
  const killing = chaos.agents.map((agent) =>
    until(end, async () => {
      await wait(300 + random() * (longestLifeMs - 300));
      await restart(chaos, agent);
    }),
  );
  const disturbing = until(end, async () => {
    await wait(100 + random() * 500);
    await disturb(chaos);
  });
  await Promise.all([...killing, disturbing]);
};

/** On a machine where others work, an agent of eight seconds may start no container: then further ones live longer, up to a bound. */
const runUntilEnough = async (chaos: Chaos, durationMs: number, least: number): Promise<void> => {
  await run(chaos, durationMs, LIFE_MS);
  const isTooLittle = (): boolean => Object.values(chaos.counts).some((count) => count < least);
  for (let more = 0; more < MOST_MORE && isTooLittle(); more += 1)
    await run(chaos, durationMs / 2, LONG_LIFE_MS);
};

const isQuiet = ({ metadata, status }: AgentPod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.phase === 'Running' &&
  (status.containerStatuses ?? []).every(({ ready }) => ready);

/** `UID/NAME` of the containers whose programs live, with repeats. */
const liveContainers = (agents: readonly AgentHere[]): readonly string[] => {
  const programs = agents.flatMap(({ root }) => bundleProcesses(root)).filter(({ isKeeper }) => !isKeeper);
  return [...new Set(programs.map(({ container }) => container))]
    .map((container) => container.replace(/_\d+$/, ''))
    .toSorted(byText);
};

const wantedContainers = (pods: readonly AgentPod[]): readonly string[] =>
  pods
    .flatMap(({ metadata, spec }) => spec.containers.map(({ name }) => `${metadata.uid ?? ''}/${name}`))
    .toSorted(byText);

/** All that is wanted runs, once, and nothing else does. */
const settled = async ({ here, agents }: Chaos): Promise<void> => {
  await here.seen('exactly the wanted containers run', PATIENCE_MS, async () => {
    const pods = (await here.host.pods()) as readonly AgentPod[];
    const [wanted, live] = [wantedContainers(pods), liveContainers(agents)];
    return pods.length === REPLICAS_AT_END && pods.every(isQuiet) && wanted.join() === live.join();
  });
};

const entriesOf = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

const groupsOf = (root: string): readonly string[] =>
  groupFolders(podsGroupOf(root)).flatMap((folder) =>
    entriesOf(folder)
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isDirectory()),
  );

/** What an agent without pods still has. */
const leftOf = async (agent: AgentHere): Promise<readonly string[]> => {
  const { root } = agent;
  const lists = {
    process: bundleProcesses(root).map(({ container }) => container),
    container: entriesOf(stateFolderOf(root)),
    mount: await createMounter().below(root),
    group: groupsOf(root),
    folder: ['runtime/pods', 'pods', 'trash'].flatMap((name) => entriesOf(join(root, name))),
    log: entriesOf(join(root, '..', 'logs')),
  };
  return Object.entries(lists).flatMap(([what, all]) => all.map((one) => `${agent.name}: ${what}: ${one}`));
};

const cleared = async ({ here, agents }: Chaos): Promise<readonly string[]> => {
  await here.host.send('DELETE', DEPLOYMENT);
  await here.seen('no pod is left', PATIENCE_MS, async () => (await here.host.pods()).length === 0);
  const left = async () => (await Promise.all(agents.map(leftOf))).flat();
  await here
    .seen('nothing is left', PATIENCE_MS, async () => (await left()).length === 0)
    .catch(() => undefined);
  return await left();
};

const markFaults = (marks: string): readonly string[] =>
  readFileSync(join(marks, 'faults'), 'utf8').split('\n').filter(Boolean);

const begin = async (random: () => number): Promise<{ readonly chaos: Chaos; readonly marks: string }> => {
  const here = await startClusterHere();
  const marks = join(here.folder, 'marks');
  mkdirSync(marks);
  writeFileSync(join(marks, 'faults'), '');
  // Programs of any user write their marks.
  chmodSync(join(marks, 'faults'), 0o666);
  chmodSync(marks, 0o777);
  const agents = NAMES.map((name) => here.agent(name));
  for (const agent of agents) agent.start();
  await here.seen('both agents have joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 2);
  await here.apply(deployment(marks));
  return {
    chaos: {
      here,
      agents,
      random,
      counts: { agents: 0, keepers: 0, runtimes: 0, programs: 0, deletions: 0 },
    },
    marks,
  };
};

/** Runs for `durationMs`, longer if fewer than `least` of a kind were killed, and until all is quiet. `random`: from 0 up to 1. */
export const runJoinedChaos = async (
  durationMs: number,
  least: number,
  random: () => number,
): Promise<JoinedChaosReport> => {
  const { chaos, marks } = await begin(random);
  const { here, counts } = chaos;
  const violations: string[] = [];
  try {
    await runUntilEnough(chaos, durationMs, least);
    await scale(chaos, REPLICAS_AT_END);
    await settled(chaos);
    violations.push(...(await cleared(chaos)));
  } catch (error) {
    violations.push(error instanceof Error ? error.message : String(error));
  }
  violations.push(...markFaults(marks));
  const starts = entriesOf(marks).filter((name) => name.startsWith('start-')).length;
  await here.close();
  return { ...counts, starts, violations };
};
