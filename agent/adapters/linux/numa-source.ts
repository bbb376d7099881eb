/** CPUs and NUMA nodes, read from Linux' own files. Source: cadvisor `utils/sysfs`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCpuSet } from '../../rules/config/cpu-set.ts';
import { type CpuReading, type NodeReading, nodesBySocket } from '../../rules/machine/numa-topology.ts';
import { hugePagesIn, memoryIn, numberIn } from '../../rules/machine/proc-files.ts';

const CPUS = 'sys/devices/system/cpu';
const NODES = 'sys/devices/system/node';

const textIn = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;

const numberAt = (path: string): number | undefined => numberIn(textIn(path) ?? '');

/** Numbers at the ends of names such as `cpu12`. */
const numbered = (folder: string, name: string): readonly number[] => {
  const pattern = new RegExp(`^${name}(\\d+)$`);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .flatMap((entry) => {
      const [, digits] = pattern.exec(entry) ?? [];
      return digits === undefined ? [] : [Number(digits)];
    })
    .sort((a, b) => a - b);
};

const countIn = (list: string | undefined): number => {
  const cpus = parseCpuSet(list ?? '');
  return 'error' in cpus ? 0 : cpus.length;
};

const outerCaches = (folder: string): CpuReading['outerCaches'] =>
  numbered(join(folder, 'cache'), 'index').flatMap((index) => {
    const cache = join(folder, 'cache', `index${index}`);
    if ((numberAt(join(cache, 'level')) ?? 0) <= 2) return [];
    return [{ id: numberAt(join(cache, 'id')) ?? 0, cpus: countIn(textIn(join(cache, 'shared_cpu_list'))) }];
  });

/** `undefined`: it is off, or the machine does not tell where it belongs. */
const cpuReading = (root: string, cpu: number): CpuReading | undefined => {
  const folder = join(root, CPUS, `cpu${cpu}`);
  if (textIn(join(folder, 'online')) === '0') return undefined;
  const coreId = numberAt(join(folder, 'topology/core_id'));
  const packageId = numberAt(join(folder, 'topology/physical_package_id'));
  if (coreId === undefined || packageId === undefined) return undefined;
  return { cpu, coreId, packageId, outerCaches: outerCaches(folder) };
};

const readings = (root: string, cpus: readonly number[]): readonly CpuReading[] =>
  cpus.map((cpu) => cpuReading(root, cpu)).filter((reading) => reading !== undefined);

const nodeReading = (root: string, id: number): NodeReading => {
  const folder = join(root, NODES, `node${id}`);
  // A node's own file begins each line with "Node 0 ".
  const memInfo = (textIn(join(folder, 'meminfo')) ?? '').replaceAll(/^Node \d+ +/gm, '');
  const sizes = existsSync(join(folder, 'hugepages')) ? readdirSync(join(folder, 'hugepages')) : [];
  const distances = textIn(join(folder, 'distance'));
  return {
    id,
    cpus: readings(root, numbered(folder, 'cpu')),
    memoryBytes: memoryIn(memInfo)?.totalBytes ?? 0,
    hugePages: sizes
      .map((size) => hugePagesIn(size, textIn(join(folder, 'hugepages', size, 'nr_hugepages')) ?? ''))
      .filter((pages) => pages !== undefined),
    ...(distances !== undefined && { distances: distances.split(/\s+/).map(Number) }),
  };
};

/** The nodes of the machine below `root`, which is `/` outside of tests. `memoryBytes`: of the whole machine. */
export const readNumaNodes = (root: string, memoryBytes: number): readonly NodeReading[] => {
  const ids = numbered(join(root, NODES), 'node');
  if (ids.length > 0) return ids.map((id) => nodeReading(root, id));
  return nodesBySocket(readings(root, numbered(join(root, CPUS), 'cpu')), memoryBytes);
};
