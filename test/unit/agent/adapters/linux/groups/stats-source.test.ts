import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findCgroups, readCgroup } from '../../../../../../agent/adapters/linux/groups/cgroups.ts';
import { createLinuxStats } from '../../../../../../agent/adapters/linux/groups/stats-source.ts';
import { treeSizes } from '../../../../../../agent/adapters/linux/trees/tree-size.ts';
import { createPodStorages } from '../../../../../../agent/stats/pod-storages.ts';
import {
  HYBRID_MOUNTS,
  V1_MEMORY_STAT,
  V2_CONTROLLERS,
  V2_CPU_STAT,
  V2_MEMORY_STAT,
  V2_MOUNTS,
} from '../../../../../support/agent/machines/cgroup-files.ts';

type Files = Readonly<Record<string, string>>;

const PROC: Files = {
  'proc/meminfo':
    'MemTotal:       24684084 kB\nMemFree:        18657224 kB\nMemAvailable:   20558720 kB\nSwapTotal:             0 kB\n',
  'proc/loadavg': '9.34 7.44 5.53 10/290 19116\n',
  'proc/sys/kernel/pid_max': '32768\n',
  'proc/sys/kernel/threads-max': '192730\n',
};

const inFolder = (folder: string, files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([name, text]) => [join('sys/fs/cgroup', folder, name), text]),
  );

const V2: Files = {
  'proc/self/mountinfo': V2_MOUNTS,
  ...inFolder('', {
    'cgroup.controllers': V2_CONTROLLERS,
    'memory.stat': V2_MEMORY_STAT,
    'cpu.stat': V2_CPU_STAT,
  }),
  ...inFolder('rollcall', {
    'memory.current': '300000000\n',
    'memory.max': '1000000000\n',
    'memory.stat': 'anon 200000000\ninactive_file 50000000\n',
    'pids.current': '9\n',
    'pids.max': 'max\n',
  }),
  ...inFolder('rollcall/u1', {
    'memory.current': '100000000\n',
    'memory.max': 'max\n',
    'memory.stat': 'anon 90000000\ninactive_file 0\n',
    'pids.current': '3\n',
    'pids.max': '64\n',
    'cpu.stat': 'usage_usec 1500\n',
  }),
  ...inFolder('rollcall/u1/app', { 'memory.current': '70000000\n', 'memory.stat': 'inactive_file 0\n' }),
};

const HYBRID: Files = {
  'proc/self/mountinfo': HYBRID_MOUNTS,
  ...inFolder('unified', { 'cgroup.controllers': 'hugetlb\n', 'cpu.stat': V2_CPU_STAT }),
  ...inFolder('memory', {
    'memory.usage_in_bytes': '4245049344\n',
    'memory.limit_in_bytes': '9223372036854771712\n',
    'memory.stat': V1_MEMORY_STAT,
  }),
  ...inFolder('cpuacct', { 'cpuacct.usage': '39876345157960\n' }),
};

const roots: string[] = [];

const aMachine = (files: Files): string => {
  const root = mkdtempSync(join(tmpdir(), 'stats-'));
  roots.push(root);
  for (const [path, text] of Object.entries({ ...PROC, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
};

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

const DISK = { capacity: 1000, available: 400, inodes: 100, inodesFree: 90 };

const storages = () =>
  createPodStorages({ measure: treeSizes, uptime: () => 0, periodMs: 60_000, onFault: () => {} });

const statsOf = (root: string, folders = storages()) =>
  createLinuxStats({
    layout: findCgroups(root),
    fileSystem: (path) => (path === '/missing' ? Promise.reject(new Error('ENOENT')) : Promise.resolve(DISK)),
    storageOf: folders.storageOf,
    uptime: () => 1000,
    root,
    nodeCgroup: '/',
    podsCgroup: '/rollcall',
    paths: { node: '/var', images: '/missing' },
  });

const POD = {
  podRef: { name: 'web', namespace: 'default', uid: 'u1' },
  cgroup: '/rollcall/u1',
  containers: [{ name: 'app', cgroup: '/rollcall/u1/app' }],
  volumes: [],
};

describe('a machine with version 2', () => {
  it('wakes no other thread to be measured', async () => {
    const node = statsOf(aMachine(V2)).node();
    expect(process.getActiveResourcesInfo().filter((name) => name.startsWith('FSReq'))).toEqual([]);
    await node;
  });

  it('is measured with its pods', async () => {
    const stats = statsOf(aMachine(V2));
    const [node, pods] = [await stats.node(), await stats.pods([POD], 'all')];
    expect(node.memory).toMatchObject({ usageBytes: 790_425_600 + 6_502_666_240 });
    expect(node.systemContainers?.[0]?.memory).toEqual({
      time: 1000,
      usageBytes: 300_000_000,
      workingSetBytes: 250_000_000,
      availableBytes: 750_000_000,
    });
    expect(node.fs).toMatchObject({ availableBytes: 400, capacityBytes: 1000 });
    expect(node.runtime).not.toHaveProperty('imageFs');
    expect(node.runtime?.containerFs).toEqual(node.fs);
    expect(node.rlimit).toEqual({ time: 1000, maxpid: 32_768, curproc: 290 });
    expect(pods[0]).toMatchObject({
      memory: { workingSetBytes: 100_000_000 },
      cpu: { usageCoreNanoSeconds: 1_500_000 },
      containers: [{ name: 'app', memory: { workingSetBytes: 70_000_000 } }],
      process_stats: { process_count: 3 },
    });
  });
});

describe('a machine that swaps', () => {
  it('tells of itself what its kernel says, and of its pods what their control groups say', async () => {
    const root = aMachine({
      ...V2,
      'proc/meminfo':
        'MemTotal:       24684084 kB\nSwapTotal:      20971520 kB\nSwapFree:       20970496 kB\n',
      ...inFolder('rollcall/u1', { 'memory.swap.current': '1048576\n', 'memory.swap.max': 'max\n' }),
      ...inFolder('rollcall/u1/app', { 'memory.swap.current': '1048576\n', 'memory.swap.max': '2097152\n' }),
    });
    const [node, [pod]] = await Promise.all([statsOf(root).node(), statsOf(root).pods([POD], 'all')]);
    const capacity = 20_971_520 * 1024;
    expect(node.swap).toEqual({
      time: 1000,
      swapUsageBytes: 2 ** 20,
      swapAvailableBytes: capacity - 2 ** 20,
    });
    expect(pod?.swap).toEqual({ time: 1000, swapUsageBytes: 2 ** 20 });
    expect(pod?.containers?.[0]?.swap).toEqual({
      time: 1000,
      swapUsageBytes: 2 ** 20,
      swapAvailableBytes: 2 ** 20,
    });
  });
});

describe('a machine with both versions', () => {
  it('is measured where each controller is, and says which one is missing', async () => {
    const root = aMachine(HYBRID);
    const layout = findCgroups(root);
    expect(layout).toMatchObject({ kind: 'hybrid', absent: ['pids'] });
    expect(readCgroup(layout, '/')).toEqual({
      memory: { usageBytes: 4_245_049_344, workingSetBytes: 4_245_049_344 - 255_041_536 },
      cpuNanoSeconds: 39_876_345_157_960,
    });
    const stats = statsOf(root);
    const [node, pods] = [await stats.node(), await stats.pods([POD], 'all')];
    expect(node.systemContainers).toEqual([{ name: 'pods' }]);
    expect(pods[0]).toMatchObject({ containers: [{ name: 'app' }], process_stats: {} });
  });
});

describe('a machine without control groups', () => {
  it('is measured by what its kernel says', async () => {
    const root = aMachine({});
    expect(findCgroups(root)).toMatchObject({ kind: 'none', absent: ['cpu', 'cpuacct', 'memory', 'pids'] });
    const node = await statsOf(root).node();
    expect(node.memory).toEqual({
      time: 1000,
      availableBytes: 20_558_720 * 1024,
      workingSetBytes: (24_684_084 - 20_558_720) * 1024,
    });
  });

  it('whose memory cannot be read is not measured', async () => {
    const stats = statsOf(aMachine({ 'proc/meminfo': '' }));
    await expect(stats.node()).rejects.toThrow(/proc\/meminfo has no line "MemTotal"/);
  });
});

describe('what a pod stores', () => {
  it('is part of the pod once it is known', async () => {
    const root = aMachine({ ...V2, 'logs/0.log': 'x', 'scratch/file': 'y' });
    const folders = storages();
    const stats = statsOf(root, folders);
    const pod = {
      ...POD,
      containers: [{ name: 'app', cgroup: '/rollcall/u1/app', logs: join(root, 'logs') }],
      volumes: [{ name: 'scratch', folder: join(root, 'scratch'), isEphemeral: true }],
    };
    const [first] = await stats.pods([pod], 'storage');
    expect(first?.volume).toEqual([]);
    expect(first).not.toHaveProperty('ephemeral-storage');
    await folders.idle();
    const [second] = await stats.pods([pod], 'storage');
    expect(second).toMatchObject({
      containers: [{ logs: { inodesUsed: 2 } }],
      volume: [{ name: 'scratch', inodesUsed: 2 }],
      'ephemeral-storage': { inodesUsed: 4 },
    });
  });
});
