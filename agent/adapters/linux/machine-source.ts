/** The machine, read from Linux' own files. Source: cadvisor `machine`, `utils/sysfs`; proc(5). */
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { arch, hostname, networkInterfaces, platform, release } from 'node:os';
import { join } from 'node:path';
import type { MachineSource, SystemFacts } from '../../ports/machine/machine-source.ts';
import type { FileSystemSize, HugePages, Machine } from '../../rules/machine/machine.ts';
import { goArchitecture, goSystem, osImageIn } from '../../rules/machine/platform.ts';
import { bootTimeIn, coresIn, hugePagesIn, idIn, memoryIn } from '../../rules/machine/proc-files.ts';
import {
  type DefaultRoute,
  defaultRoutes6In,
  defaultRoutesIn,
  type NetworkInterface,
} from '../../rules/machine/routes.ts';
import { kernelText } from './kernel-text.ts';
import { namesIn } from './names-in.ts';

const MACHINE_IDS = ['etc/machine-id', 'var/lib/dbus/machine-id'];
/** Firmware of a PC, of POWER, of a virtual machine on POWER; a container has none of them. */
const SYSTEM_UUIDS = [
  'sys/class/dmi/id/product_uuid',
  'proc/device-tree/system-id',
  'proc/device-tree/vm,uuid',
  ...MACHINE_IDS,
];
const BOOT_ID = 'proc/sys/kernel/random/boot_id';
const OS_RELEASES = ['etc/os-release', 'usr/lib/os-release'];
const HUGE_PAGES = 'sys/kernel/mm/hugepages';

/** What `read` makes of the first of these files below `root` from which it can make something. */
const firstFile = <T>(
  root: string,
  paths: readonly string[],
  read: (text: string) => T | undefined,
): T | undefined => {
  for (const path of paths) {
    const text = kernelText(join(root, path));
    const found = text === undefined ? undefined : read(text);
    if (found !== undefined) return found;
  }
  return undefined;
};

const hugePages = (root: string): readonly HugePages[] =>
  namesIn(join(root, HUGE_PAGES))
    .map((folder) =>
      firstFile(root, [join(HUGE_PAGES, folder, 'nr_hugepages')], (count) => hugePagesIn(folder, count)),
    )
    .filter((pages) => pages !== undefined)
    .toSorted((a, b) => a.pageSizeKiB - b.pageSizeKiB);

const machine = async (root: string): Promise<Machine> => {
  const [cpuInfo, memInfo] = ['proc/cpuinfo', 'proc/meminfo'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const memory = memoryIn(memInfo ?? '');
  if (!memory) throw new Error(`${join(root, 'proc/meminfo')} has no line "MemTotal"`);
  const [machineID = '', systemUUID = '', bootID = ''] = [MACHINE_IDS, SYSTEM_UUIDS, [BOOT_ID]].map((paths) =>
    firstFile(root, paths, idIn),
  );
  return {
    machineID,
    systemUUID,
    bootID,
    numCores: coresIn(cpuInfo ?? ''),
    memoryCapacity: memory.totalBytes,
    swapCapacity: memory.swapBytes,
    hugePages: hugePages(root),
  };
};

const system = async (root: string): Promise<SystemFacts> => ({
  hostName: hostname(),
  kernelVersion: release(),
  osImage: firstFile(root, OS_RELEASES, osImageIn) ?? 'Unknown',
  operatingSystem: goSystem(platform()),
  architecture: goArchitecture(arch()),
});

const bootTime = async (root: string): Promise<number> => {
  const path = join(root, 'proc/stat');
  const time = bootTimeIn(readFileSync(path, 'utf8'));
  if (time === undefined) throw new Error(`${path} has no line "btime"`);
  return time;
};

const interfaces = (): readonly NetworkInterface[] =>
  Object.entries(networkInterfaces()).map(([name, addresses = []]) => ({
    name,
    isLoopback: addresses.some(({ internal }) => internal),
    addresses: addresses.map(({ address }) => address),
  }));

/** A kernel without IPv6 has no table of its routes. */
const defaultRoutes = async (root: string): Promise<readonly DefaultRoute[]> => [
  ...(firstFile(root, ['proc/net/route'], defaultRoutesIn) ?? []),
  ...(firstFile(root, ['proc/net/ipv6_route'], defaultRoutes6In) ?? []),
];

const lookUp = async (name: string): Promise<readonly string[]> => {
  const found = await lookup(name, { all: true, order: 'verbatim' }).catch(() => []);
  return found.map(({ address }) => address);
};

const fileSystem = async (path: string): Promise<FileSystemSize> => {
  const { bsize, blocks, bavail, files, ffree } = await statfs(path);
  return { capacity: blocks * bsize, available: bavail * bsize, inodes: files, inodesFree: ffree };
};

/** Reads the machine below `root`, which is `/` outside of tests. */
export const createLinuxMachine = (root = '/'): MachineSource => ({
  machine: () => machine(root),
  system: () => system(root),
  bootTime: () => bootTime(root),
  interfaces,
  defaultRoutes: () => defaultRoutes(root),
  lookUp,
  fileSystem,
});
