import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readNumaNodes } from '../../../../../agent/adapters/linux/numa-source.ts';
import { distancesOf, machineTopology } from '../../../../../agent/rules/machine/numa-topology.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-numa-'));
});

afterEach(() => rmSync(root, { recursive: true }));

const write = (files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, 'sys/devices/system', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
};

/** A CPU whose cache of the third level is shared by `cache`. */
const cpu = (number: number, core: number, socket: number, cache: readonly [number, string]): void =>
  write({
    [`cpu/cpu${number}/online`]: '1',
    [`cpu/cpu${number}/topology/core_id`]: String(core),
    [`cpu/cpu${number}/topology/physical_package_id`]: String(socket),
    [`cpu/cpu${number}/cache/index0/level`]: '1',
    [`cpu/cpu${number}/cache/index3/level`]: '3',
    [`cpu/cpu${number}/cache/index3/id`]: String(cache[0]),
    [`cpu/cpu${number}/cache/index3/shared_cpu_list`]: cache[1],
  });

const node = (id: number, cpus: readonly number[], distance: string): void => {
  write({
    [`node/node${id}/meminfo`]: `Node ${id} MemTotal:       1048576 kB\nNode ${id} MemFree:        1024 kB`,
    [`node/node${id}/distance`]: distance,
    [`node/node${id}/hugepages/hugepages-2048kB/nr_hugepages`]: '4',
  });
  for (const number of cpus) mkdirSync(join(root, `sys/devices/system/node/node${id}/cpu${number}`));
};

/** Two sockets, each with two nodes of two cores with two threads; the cores of node 0 have caches of their own. */
const twoSockets = (): void => {
  for (let number = 0; number < 16; number += 1) {
    const place = number % 8;
    const home = Math.trunc(place / 2);
    const shared: readonly [number, string] =
      home === 0
        ? [100 + place, `${place},${place + 8}`]
        : [home, `${home * 2}-${home * 2 + 1},${home * 2 + 8}-${home * 2 + 9}`];
    cpu(number, place % 4, Math.trunc(place / 4), shared);
  }
  for (const id of [0, 1, 2, 3])
    node(
      id,
      [id * 2, id * 2 + 1, id * 2 + 8, id * 2 + 9],
      [0, 1, 2, 3].map((to) => (to === id ? 10 : 20)).join(' '),
    );
};

test('cores, sockets, nodes and caches of two sockets with four NUMA nodes', () => {
  twoSockets();
  const nodes = readNumaNodes(root, 0);
  const { cpus, ...counts } = machineTopology(nodes);
  expect(counts).toEqual({ cores: 8, sockets: 2, numaNodes: 4, uncoreCaches: 4 });
  expect(cpus.filter(({ cpu: number }) => [0, 9, 15].includes(number))).toEqual([
    { cpu: 0, core: 0, socket: 0, numa: 0, uncore: 100 },
    { cpu: 9, core: 1, socket: 0, numa: 0, uncore: 101 },
    // Its node has one cache for all, so that the socket stands for it.
    { cpu: 15, core: 7, socket: 1, numa: 3, uncore: 1 },
  ]);
  expect(nodes[1]).toMatchObject({ memoryBytes: 2 ** 30, hugePages: [{ pageSizeKiB: 2048, numPages: 4 }] });
  expect(distancesOf(nodes)?.[2]).toEqual([20, 20, 10, 20]);
});

test('a CPU that is off does not count', () => {
  twoSockets();
  write({ 'cpu/cpu9/online': '0' });
  expect(machineTopology(readNumaNodes(root, 0)).cpus).toHaveLength(15);
});

test('distances have their places by the numbers of the nodes, though one is missing', () => {
  for (const number of [0, 1]) cpu(number, number, 0, [0, '0-1']);
  node(0, [0], '10 30');
  node(3, [1], '30 10');
  expect(distancesOf(readNumaNodes(root, 0))).toEqual({ 0: [10, 0, 0, 30], 3: [30, 0, 0, 10] });
});

test('a machine that does not know NUMA has a node for each socket', () => {
  for (const number of [0, 1, 2, 3]) cpu(number, number % 2, Math.trunc(number / 2), [number, '0-3']);
  const nodes = readNumaNodes(root, 4096);
  expect(nodes.map(({ id, memoryBytes, cpus }) => [id, memoryBytes, cpus.length])).toEqual([
    [0, 4096, 2],
    [1, 0, 2],
  ]);
  expect(distancesOf(nodes)).toBeUndefined();
});
