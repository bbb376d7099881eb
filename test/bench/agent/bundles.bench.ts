/** What containers of an OCI runtime cost: their starts, commands in them, looks at all of them, and their keepers. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createPlaces } from '../../../agent/adapters/containers/places.ts';
import { keeperPid } from '../../../agent/adapters/oci-runtime/bundles/conmon.ts';
import { attemptFolder, readRecord } from '../../../agent/adapters/oci-runtime/containers/records.ts';
import type { OciRuntime } from '../../../agent/adapters/oci-runtime/oci-runtime.ts';
import type { ContainerSpec } from '../../../agent/ports/machine/runtime.ts';
import { bundleRuntime } from '../../agent-chaos/bundle-runtime.ts';
import { removeTrees } from '../../support/agent/machines/agent-process.ts';
import { missingForBundles } from '../../support/agent/oci/bundle-machine.ts';
import { podOf } from '../../support/agent/pods/pod-world.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { memoryUse, processorUse } from './process-use.ts';

const COUNT = 30;
const EXECS = 100;
const LOOKS = 100;
const KB_PER_MB = 1024;
/** 100 probes with a period of 10 s. */
const PROBES_PER_SECOND = 10;

const AS_IN_AN_AGENT = { logPeriodMs: 10_000, sweepPeriodMs: 10_000 };

const CONTAINER = { name: 'c', image: 'host', command: ['/bin/sleep', '100000'] };

const uids = Array.from({ length: COUNT }, (_, index) => `uid-${index}`);

const specOf = (uid: string): ContainerSpec => ({
  pod: { namespace: 'default', name: uid, uid },
  name: CONTAINER.name,
  restartCount: 0,
  image: CONTAINER.image,
  command: CONTAINER.command,
  source: {
    pod: podOf(uid, { containers: [CONTAINER] }),
    container: CONTAINER,
    command: CONTAINER.command,
    args: [],
  },
  environment: {},
  mounts: [],
  bounds: { pidsLimit: 64 },
  oomScoreAdjust: 1000,
  terminationMessagePath: '/dev/termination-log',
});

/** Milliseconds that each of the calls takes, one after the other. */
const timed = async <T>(of: readonly T[], call: (one: T) => Promise<unknown>): Promise<readonly number[]> => {
  const times: number[] = [];
  for (const one of of) {
    const began = performance.now();
    await call(one);
    times.push(performance.now() - began);
  }
  return times;
};

const keeperMb = async (folder: string, group: string): Promise<readonly number[]> => {
  const places = createPlaces(join(folder, 'root'), group, 'runc');
  const used: number[] = [];
  for (const podUid of uids) {
    const place = places.container({ podUid, name: CONTAINER.name, restartCount: 0 });
    const record = readRecord(place);
    const pid = record && (await keeperPid(attemptFolder(place, record)));
    if (pid !== undefined) used.push(memoryUse(pid).pssMb);
  }
  return used;
};

const logFolder = (folder: string, uid: string): string => join(folder, 'logs', uid);

const measure = async (runtime: OciRuntime, folder: string, group: string): Promise<readonly Figure[]> => {
  for (const uid of uids)
    await runtime.createSandbox({
      pod: specOf(uid).pod,
      hostname: uid,
      bounds: {},
      logFolder: logFolder(folder, uid),
    });
  const ids: string[] = [];
  const starts = await timed(uids, async (uid) => ids.push(await runtime.startContainer(specOf(uid))));
  const looks = await timed(Array.from({ length: LOOKS }), () => runtime.pods());
  const before = processorUse(process.pid);
  const execs = await timed(Array.from({ length: EXECS }), () =>
    runtime.exec(ids[0] ?? '', ['true'], 60_000),
  );
  const after = processorUse(process.pid);
  const execMs = (after.ownMs + after.childrenMs - before.ownMs - before.childrenMs) / EXECS;
  const keepers = await keeperMb(folder, group);
  const removals = await timed(uids, (uid) => runtime.removePod(uid));
  return [
    { name: 'start of a container', unit: 'ms', ...spread(starts), target: { atMost: 120 } },
    { name: 'command in a container', unit: 'ms', ...spread(execs) },
    {
      name: 'its processor, of 100 probes each 10 s',
      unit: 'cores',
      value: (execMs * PROBES_PER_SECOND) / 1000,
      target: { atMost: 0.35 },
    },
    { name: `a look at ${COUNT} pods`, unit: 'ms', ...spread(looks), target: { atMost: 10 } },
    {
      name: 'keeper of a container: PSS',
      unit: 'KB',
      ...spread(keepers.map((mb) => mb * KB_PER_MB)),
      target: { atMost: 600 },
    },
    { name: 'removal of a pod, killed', unit: 'ms', ...spread(removals) },
  ];
};

export const bundlesOfAgent: Bench = async () => {
  const missing = missingForBundles();
  if (missing !== undefined) return { skipped: missing };
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bundles-'));
  const group = `/${basename(folder)}`;
  // What the runtime waits for keeps no process alive.
  const awake = setInterval(() => undefined, 60_000);
  const runtime = await bundleRuntime(folder, group, AS_IN_AN_AGENT);
  try {
    return await measure(runtime, folder, group);
  } finally {
    for (const uid of uids) await runtime.removePod(uid);
    runtime.close();
    await removeTrees(group);
    clearInterval(awake);
    rmSync(folder, { recursive: true, force: true });
  }
};
