/**
 * `node agent.ts FOLDER GROUP SLOTS`: an agent with a runtime and no API. It keeps two containers running in each slot's pod, stops and
 * removes some of them, and never ends by itself.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PodIdentity, Runtime, RuntimePod } from '../../agent/ports/machine/runtime.ts';
import { newestFirst } from '../../agent/rules/containers/runtime-status.ts';
import { bundleRuntime } from './bundle-runtime.ts';
import { chaosProgram, marksOf } from './options.ts';

const [folder = '', group = '', slots = '3'] = process.argv.slice(2);
const NAMES = ['a', 'b'];
const ROUND_MS = 30;

const happens = (chance: number): boolean => Math.random() < chance;

/** A bundle sees of the machine only what is mounted. */
const bundleOf = (name: string, command: readonly string[]) => {
  const container = { name, image: 'host', command };
  const marks = marksOf(folder);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [container] },
  } as const;
  return {
    mounts: [{ source: marks, target: marks, isReadOnly: false }],
    source: { pod, container, command, args: [] },
  };
};

const keepContainer = async (runtime: Runtime, found: RuntimePod, name: string): Promise<void> => {
  const all = newestFirst(found.containers.filter((one) => one.name === name));
  const [newest, ...older] = all.toSorted((a, b) => b.restartCount - a.restartCount);
  for (const one of older.slice(1)) await runtime.removeContainer(one.id);
  // The request to start its program may have been lost with an agent.
  const isToStart = newest?.state === 'created';
  if (newest && newest.state !== 'exited' && !isToStart) {
    if (happens(0.1)) await runtime.stopContainer(newest.id, happens(0.5) ? 0 : 1);
    return;
  }
  const restartCount = newest ? newest.restartCount + (isToStart ? 0 : 1) : 0;
  const key = `${found.pod.uid}/${name}`;
  const command = ['/bin/sh', '-c', chaosProgram(folder, key, restartCount)];
  await runtime.startContainer({
    pod: found.pod,
    name,
    restartCount,
    image: 'host',
    environment: {},
    bounds: {},
    oomScoreAdjust: 900,
    command,
    ...bundleOf(name, command),
  });
};

const keepPod = async (runtime: Runtime, pods: readonly RuntimePod[], slot: string): Promise<void> => {
  const found = pods.find(({ pod }) => pod.name === slot);
  if (found && happens(0.03)) {
    await runtime.removePod(found.pod.uid);
    return;
  }
  const pod: PodIdentity = found?.pod ?? {
    namespace: 'default',
    name: slot,
    uid: `${slot}-${randomUUID().slice(0, 8)}`,
  };
  if (found?.sandboxCreatedAt === undefined)
    await runtime.createSandbox({
      pod,
      hostname: slot,
      bounds: {},
      logFolder: join(folder, 'logs', pod.uid),
    });
  for (const name of NAMES)
    await keepContainer(
      runtime,
      found ?? { pod, containers: [], measure: { cgroup: '', containers: [] } },
      name,
    );
};

const runtime = await bundleRuntime(folder, group);
setInterval(() => undefined, ROUND_MS);
process.stdout.write('started\n');
for (;;) {
  const pods = await runtime.pods();
  const work = Array.from({ length: Number(slots) }, (_, slot) =>
    keepPod(runtime, pods, `slot${slot}`).catch((error: unknown) => {
      process.stdout.write(`refused ${error instanceof Error ? error.message : String(error)}\n`);
    }),
  );
  await Promise.all(work);
  await wait(ROUND_MS);
}
