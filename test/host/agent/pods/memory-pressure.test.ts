/** Needs a control group for memory that this process may write, as root has. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCgroups, readCgroup } from '../../../../agent/adapters/linux/groups/cgroups.ts';
import { createLinuxStats } from '../../../../agent/adapters/linux/groups/stats-source.ts';
import { createLinuxMachine } from '../../../../agent/adapters/linux/machine-source.ts';
import { createEviction } from '../../../../agent/node/run-eviction.ts';
import type { EvictionSettings } from '../../../../agent/rules/eviction/synchronize.ts';
import { thresholdsOf } from '../../../../agent/rules/eviction/thresholds/threshold-config.ts';
import { NOT_YET } from '../../../../agent/rules/stats/pod-storage.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';

const MI = 2 ** 20;
const LIMIT_MI = 400;
/** Node itself takes 10 to 60 MiB more, by what it shares with others. */
const PODS = { small: 60, large: 130 } as const;
type Name = keyof typeof PODS;
const NAMES = Object.keys(PODS) as readonly Name[];

const layout = findCgroups();
const mount = layout.mounts.memory;
const GROUP = `/rollcall-test-${process.pid}`;

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const folderOf = (cgroup: string): string => join(mount?.mountPoint ?? '', cgroup);

const makeGroup = (cgroup: string): void => {
  mkdirSync(folderOf(cgroup));
  if (mount?.version === 'v2') writeFileSync(join(folderOf(cgroup), 'cgroup.subtree_control'), '+memory');
};

const aPod = (name: Name): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [{ name: 'c', resources: { requests: { memory: '100Mi' } } }] },
});

/** A process that joins the group and then takes memory. */
const hog = (cgroup: string, mebibytes: number): ChildProcess => {
  const program = `const taken = Array.from({ length: ${mebibytes} }, () => Buffer.alloc(${MI}, 1)); setInterval(() => taken.length, 1000);`;
  const join = `echo $$ > "$0/cgroup.procs" && exec "$1" -e "$2"`;
  return spawn('sh', ['-c', join, folderOf(cgroup), process.execPath, program], { stdio: 'ignore' });
};

describe.runIf(mount && isWritable(mount.mountPoint))(
  'a machine that is a control group with a limit',
  () => {
    const processes = new Map<Name, ChildProcess>();
    const end = async (name: Name): Promise<void> => {
      const child = processes.get(name);
      processes.delete(name);
      if (!child) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    };

    const workingSetMi = (name: Name): number =>
      (readCgroup(layout, `${GROUP}/${name}`).memory?.workingSetBytes ?? 0) / MI;

    beforeAll(async () => {
      makeGroup(GROUP);
      const limit = mount?.version === 'v2' ? 'memory.max' : 'memory.limit_in_bytes';
      writeFileSync(join(folderOf(GROUP), limit), String(LIMIT_MI * MI));
      for (const name of NAMES) {
        mkdirSync(folderOf(`${GROUP}/${name}`));
        processes.set(name, hog(`${GROUP}/${name}`, PODS[name]));
      }
      while (NAMES.some((name) => workingSetMi(name) < PODS[name])) await sleep(50);
    });

    afterAll(async () => {
      for (const name of NAMES) await end(name);
      for (const cgroup of [...NAMES.map((name) => `${GROUP}/${name}`), GROUP]) rmdirSync(folderOf(cgroup));
    });

    it('evicts the pod that uses more than it asks for, and has enough again', async () => {
      const parsed = thresholdsOf({ evictionHard: { 'memory.available': '60%' } });
      if ('error' in parsed) throw new Error(parsed.error);
      const settings: EvictionSettings = {
        thresholds: parsed.thresholds,
        layout: { hasImageFs: false, hasContainerFs: false },
        limitsLocalStorage: true,
        maxPodGracePeriodSeconds: 0,
        pressureTransitionMs: 0,
      };
      const told: string[] = [];
      const uptime = (): number => performance.now();
      const eviction = createEviction({
        settings,
        clock: { now: Date.now, uptime, sleep: (ms) => sleep(ms) },
        stats: createLinuxStats({
          layout,
          fileSystem: createLinuxMachine().fileSystem,
          storageOf: () => NOT_YET,
          uptime,
          nodeCgroup: GROUP,
          podsCgroup: GROUP,
          paths: { node: '/' },
        }),
        pods: {
          active: () => [...processes.keys()].map(aPod),
          measurable: () =>
            [...processes.keys()].map((name) => ({
              podRef: { name, namespace: 'default', uid: name },
              cgroup: `${GROUP}/${name}`,
              containers: [{ name: 'c', cgroup: `${GROUP}/${name}` }],
              volumes: [],
            })),
          isCleanedUp: () => true,
          end: ({ metadata }) => end(metadata.name as Name),
        },
        events: {
          ofPod: (_, { message }) => told.push(message),
          ofNode: ({ message }) => told.push(message),
        },
        onEviction: () => undefined,
        reclaim: () => Promise.resolve(),
        log: () => undefined,
      });
      expect((await eviction.round()).map(({ metadata }) => metadata.name)).toEqual(['large']);
      expect(told).toEqual([
        'Attempting to reclaim memory',
        expect.stringMatching(
          /^The node was low on resource: memory\. Threshold quantity: 251658\d+, available: \S+\. Container c was using \S+, request is 100Mi, has larger consumption of memory\. $/,
        ),
      ]);
      expect(await eviction.round()).toEqual([]);
      expect([...processes.keys()]).toEqual(['small']);
    });
  },
);
