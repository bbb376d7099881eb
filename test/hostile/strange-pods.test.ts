/** Pods that try all at once what a pod may ask for or do: the machine, the agent and a neighbour are as before, and all of them go. */
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';
import { bundleProcesses } from '../support/agent/oci/bundle-processes.ts';
import { type HostilePlace, hostilePlace } from '../support/agent/trees/foreign-files.ts';
import { watchHealth } from './health.ts';

const PATIENCE_MS = 60_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: strange pods: ${missing}\n`);

/** What an administrator cares for, without what other tests change. */
const OF_MACHINE = ['/etc', '/opt', '/usr/bin', '/usr/sbin', '/usr/local/bin'];
const ELSEWHERE = new Set(['/etc/systemd']);
const MOST_PROCESSES = 64;
const COMMANDS = 10;
/** The longest that Kubernetes allows for names of pods. */
const LONG_NAME = `long-${'n'.repeat(248)}`;

interface Strange {
  readonly script: string;
  readonly container?: object;
  /** Of the pod. */
  readonly spec?: object;
  /** Runs before, with the same volume at `/mnt/e`. */
  readonly before?: string;
}

const VOLUME = { name: 'e', mountPath: '/mnt/e' };

const podOf = (name: string, { script, container = {}, spec = {}, before }: Strange): object => {
  const make = (of: string, text: string, more: object) => ({
    name: of,
    image: 'host',
    command: ['/bin/bash', '-c', text],
    volumeMounts: [VOLUME],
    ...more,
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      nodeName: 'machine',
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      volumes: [{ name: 'e', emptyDir: {} }],
      ...(before !== undefined && { initContainers: [make('before', before, {})] }),
      ...spec,
      containers: [make('c', script, container)],
    },
  };
};

const SLEEP = 'exec sleep 100000';
/** What is written is the mark of a file that a container could change for all. */
const WRITES = [
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/hostname',
  '/proc/sys/net/ipv4/ip_forward',
  '/proc/sys/vm/drop_caches',
  '/proc/sysrq-trigger',
  '/sys/kernel/uevent_helper',
  '/sys/fs/cgroup/cgroup.procs',
  '/dev/kmsg',
];
const REACHES = `for file in ${WRITES.join(' ')}; do (echo 1 > $file) 2>/dev/null && echo "writes $file"; done
mount -t tmpfs x /mnt 2>/dev/null && echo mounts; unshare -Ur true 2>/dev/null && echo unshares
mknod /tmp/disk b 8 0 2>/dev/null && echo makes; cat /proc/kcore 2>/dev/null | head -c 1 | grep -q . && echo reads
for dir in /proc/[0-9]*; do [ $(cat $dir/comm) = node ] && echo sees; done
kill -9 -1 2>/dev/null; kill -9 1; echo end; ${SLEEP}`;
/** A line that is none of the agent's, and names that shells and terminals take for something else. */
const NAMES = `cd /mnt/e; touch $'a\\nlevel=error' $'\\e[2J' -- '-rf' '--no-preserve-root'; mkdir -p '$(reboot)/;reboot'; chmod 0 '$(reboot)'; ${SLEEP}`;
const LEAVES = `trap '' TERM INT HUP; setsid bash -c "trap '' TERM; while :; do sleep 1; done" & while :; do sleep 1; done`;
const LINKED = (target: string): string => `ln -s ${target} /mnt/e/link`;
const FLOODS = 'yes & setsid sleep 100000 & head -c 50000000 /dev/zero; exit 1';

const strangers = (foreign: string): Readonly<Record<string, Strange>> => ({
  [LONG_NAME]: { script: `echo here; ${SLEEP}` },
  guaranteed: { script: SLEEP, container: { resources: { limits: { memory: '50Mi', cpu: '100m' } } } },
  reaches: { script: REACHES },
  names: { script: NAMES },
  leaves: { script: LEAVES },
  'fork-bomb': { script: `f() { f | f & }; f; sleep 2; echo end; ${SLEEP}` },
  'link-out': {
    script: 'touch /data/of-an-enemy',
    before: LINKED(foreign),
    container: { volumeMounts: [{ ...VOLUME, mountPath: '/data', subPath: 'link' }] },
  },
  'mount-at-link': {
    script: SLEEP,
    before: LINKED(foreign),
    spec: {
      volumes: [
        { name: 'e', emptyDir: {} },
        { name: 'f', emptyDir: {} },
      ],
    },
    container: { volumeMounts: [VOLUME, { name: 'f', mountPath: '/mnt/e/link/deep' }] },
  },
  'fifo-part': {
    script: SLEEP,
    before: 'mkfifo /mnt/e/fifo',
    container: { volumeMounts: [{ ...VOLUME, mountPath: '/data', subPath: 'fifo' }] },
  },
  shm: {
    script: 'cat /dev/zero > /dev/shm/fill; exec sleep 100000',
    container: { resources: { limits: { memory: '20Mi' } } },
  },
  probe: {
    script: SLEEP,
    container: {
      readinessProbe: { exec: { command: ['/bin/bash', '-c', FLOODS] }, periodSeconds: 1, timeoutSeconds: 1 },
    },
  },
});

const listed = (path: string): readonly string[] => {
  if (ELSEWHERE.has(path)) return [];
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  const below = stat.isDirectory() ? readdirSync(path).flatMap((name) => listed(join(path, name))) : [];
  return [`${path} ${stat.mode.toString(8)} ${stat.uid} ${stat.gid}`, ...below];
};
const machineFiles = (): readonly string[] => OF_MACHINE.flatMap(listed);

describe.runIf(missing === undefined || isComplete)(
  'a machine with strange pods',
  { timeout: 3 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    let agent: AgentHere;
    let place: HostilePlace;
    let files: readonly string[];
    let facts: readonly string[];
    let answeredInTime: () => Promise<void>;

    const pod = (name: string) => here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`);
    const is = (name: string, what: (pod: Pod) => boolean) =>
      here.seen(`${name} is as it should be`, 2 * PATIENCE_MS, async () => what(await pod(name)));
    const hasPhase =
      (phase: string) =>
      ({ status }: Pod): boolean =>
        status?.phase === phase;
    const shows =
      (reason: string) =>
      ({ status }: Pod): boolean =>
        JSON.stringify(status).includes(`"${reason}"`);

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      place = hostilePlace();
      here = await startClusterHere();
      agent = here.agent('machine', { config: [`podPidsLimit: ${MOST_PROCESSES}`] });
      agent.start();
      await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
      await here.apply(podOf('neighbour', { script: `echo here; ${SLEEP}` }));
      await is('neighbour', hasPhase('Running'));
      answeredInTime = await watchHealth(here, agent);
      [files, facts] = [machineFiles(), place.facts()];
    }, 2 * PATIENCE_MS);

    afterAll(async () => {
      await here?.close();
      rmSync(place.root, { recursive: true, force: true });
    }, PATIENCE_MS);

    it('is changed by a pod that may do all, which the list of its files shows', async () => {
      const path = `/opt/of-an-administrator-${process.pid}`;
      const privileged = { securityContext: { privileged: true } };
      await here.apply(podOf('administrator', { script: `mkdir -p ${path}`, container: privileged }));
      await is('administrator', hasPhase('Succeeded'));
      const added = machineFiles().filter((line) => !files.includes(line));
      rmSync(path, { recursive: true });
      expect(added.some((line) => line.startsWith(path))).toBe(true);
    });

    it('gives each of them no more than is its own', async () => {
      const all = strangers(place.foreign);
      await here.apply(...Object.entries(all).map(([name, one]) => podOf(name, one)));
      for (const name of [LONG_NAME, 'guaranteed', 'names', 'leaves', 'mount-at-link', 'fifo-part'])
        await is(name, hasPhase('Running'));
      await is('reaches', hasPhase('Running'));
      await is('link-out', shows('CreateContainerConfigError'));
      await is('shm', shows('OOMKilled'));
      expect(await here.kubectl('logs', LONG_NAME)).toBe('here\n');
      await here.seen('it has tried all', PATIENCE_MS, async () =>
        (await here.kubectl('logs', 'reaches')).includes('end'),
      );
      expect(await here.kubectl('logs', 'reaches')).toBe('end\n');
    });

    it('has no more processes of a pod than it may have, with those that commands left', async () => {
      const of = async (name: string): Promise<number> => {
        const { metadata } = await pod(name);
        const all = bundleProcesses(agent.root).filter(({ isKeeper }) => !isKeeper);
        return all.filter(({ container }) => container.startsWith(`${metadata.uid}/`)).length;
      };
      expect(await of('fork-bomb')).toBeLessThanOrEqual(MOST_PROCESSES);
      const before = await of('neighbour');
      expect(before).toBeGreaterThan(0);
      const script = `trap '' TERM HUP; setsid sleep 100000 > /dev/null 2>&1 & echo here`;
      for (let count = 0; count < COMMANDS; count += 1)
        expect(await here.kubectl('exec', 'neighbour', '--', '/bin/bash', '-c', script)).toBe('here\n');
      expect(await of('neighbour')).toBe(before + COMMANDS);
    });

    it('has its neighbour and its Node as before', async () => {
      expect((await pod('neighbour')).status).toMatchObject({
        phase: 'Running',
        containerStatuses: [{ restartCount: 0, ready: true }],
      });
      const { status } = await here.host.get<Node>('/api/v1/nodes/machine');
      expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    });

    it('is rid of all of them within a minute, and has its own files as they were', async () => {
      await here.kubectl('delete', 'pod', '--all', '--timeout=60s');
      const places = ['trash', 'pods', join('runtime', 'pods'), join('..', 'logs')];
      await here.seen('nothing is left', PATIENCE_MS, async () =>
        places.every((name) => readdirSync(join(agent.root, name)).length === 0),
      );
      expect(bundleProcesses(agent.root)).toEqual([]);
      expect(place.facts()).toEqual(facts);
      expect(existsSync(join(place.foreign, 'deep'))).toBe(false);
      expect(machineFiles()).toEqual(files);
      expect(agent.process().output()).not.toMatch(/^level=error/m);
    });

    it('has an agent that answered for its health all the time', () => answeredInTime());
  },
);
