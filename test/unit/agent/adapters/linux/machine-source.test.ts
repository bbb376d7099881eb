import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLinuxMachine } from '../../../../../agent/adapters/linux/machine-source.ts';

const FILES = {
  'proc/cpuinfo':
    'processor	: 0\nmodel name	: AMD EPYC 7B13\n\nprocessor	: 1\nmodel name	: AMD EPYC 7B13\n',
  'proc/meminfo': 'MemTotal:       24684084 kB\nMemFree:        19788696 kB\nSwapTotal:             0 kB\n',
  'proc/stat': 'cpu  1 2 3\nbtime 1795400071\nprocesses 2915\n',
  'proc/sys/kernel/random/boot_id': '58005399-c2f0-4f1b-a2a5-f1cbc374c05a\n',
  'proc/net/route': 'Iface	Destination	Gateway\neth0	00000000	010200C0	0003\n',
  'etc/machine-id': '3d1219c7c4c5404aaa1f6d2a48adfda4\n',
  'etc/os-release': 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n',
  'sys/class/dmi/id/product_uuid': 'ec2d6b1a-0000-4000-8000-3f1a2b3c4d5e\n',
  'sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '512\n',
  'sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages': '0\n',
};

const roots: string[] = [];

/** A machine with these files, and those that are `undefined` missing. */
const aMachine = async (changed: Readonly<Record<string, string | undefined>> = {}): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'machine-'));
  roots.push(root);
  for (const [path, text] of Object.entries({ ...FILES, ...changed })) {
    if (text === undefined) continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
};

afterEach(async () => {
  for (const root of roots.splice(0)) await rm(root, { recursive: true });
});

describe('a Linux machine', () => {
  it('is read from its files', async () => {
    const source = createLinuxMachine(await aMachine());
    expect(await source.machine()).toEqual({
      machineID: '3d1219c7c4c5404aaa1f6d2a48adfda4',
      systemUUID: 'ec2d6b1a-0000-4000-8000-3f1a2b3c4d5e',
      bootID: '58005399-c2f0-4f1b-a2a5-f1cbc374c05a',
      numCores: 2,
      memoryCapacity: 24_684_084 * 1024,
      swapCapacity: 0,
      hugePages: [
        { pageSizeKiB: 2048, numPages: 512 },
        { pageSizeKiB: 1_048_576, numPages: 0 },
      ],
    });
    expect(await source.bootTime()).toBe(1_795_400_071_000);
    expect((await source.system()).osImage).toBe('Debian GNU/Linux 12 (bookworm)');
    expect(await source.defaultRoutes()).toEqual([{ family: 4, interfaceName: 'eth0' }]);
  });

  it('wakes no other thread to be read', async () => {
    const source = createLinuxMachine(await aMachine());
    const isWaiting = (): boolean =>
      process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
    const reads = [source.machine(), source.system(), source.bootTime(), source.defaultRoutes()];
    expect(isWaiting()).toBe(false);
    await Promise.all(reads);
  });

  it('without firmware has the id of its system for a UUID', async () => {
    const source = createLinuxMachine(
      await aMachine({
        'sys/class/dmi/id/product_uuid': undefined,
        'etc/machine-id': '\n',
        'var/lib/dbus/machine-id': 'b0b5\n',
      }),
    );
    expect(await source.machine()).toMatchObject({ machineID: 'b0b5', systemUUID: 'b0b5' });
  });

  it('that does not tell its system is Unknown, and huge pages may be missing', async () => {
    const source = createLinuxMachine(await aMachine({ 'etc/os-release': undefined }));
    expect((await source.system()).osImage).toBe('Unknown');
    const small = Object.fromEntries(
      Object.keys(FILES)
        .filter((path) => path.includes('hugepages'))
        .map((path) => [path, undefined]),
    );
    expect((await createLinuxMachine(await aMachine(small)).machine()).hugePages).toEqual([]);
  });

  it('that cannot be read says which file is wrong', async () => {
    const without = await aMachine({ 'proc/meminfo': undefined });
    await expect(createLinuxMachine(without).machine()).rejects.toThrow(/proc\/meminfo/);
    const empty = createLinuxMachine(await aMachine({ 'proc/meminfo': '', 'proc/stat': '' }));
    await expect(empty.machine()).rejects.toThrow(/proc\/meminfo has no line "MemTotal"/);
    await expect(empty.bootTime()).rejects.toThrow(/proc\/stat has no line "btime"/);
  });

  it('has interfaces, among them the loopback one, and file systems', async () => {
    const source = createLinuxMachine(await aMachine());
    expect(source.interfaces().find(({ isLoopback }) => isLoopback)?.addresses).toContain('127.0.0.1');
    const { capacity, available, inodes } = await source.fileSystem(tmpdir());
    expect(capacity).toBeGreaterThanOrEqual(available);
    expect(Number.isInteger(inodes)).toBe(true);
  });

  it('knows no address of a name that does not resolve', async () => {
    expect(await createLinuxMachine().lookUp('no-such-machine.invalid')).toEqual([]);
  });
});
