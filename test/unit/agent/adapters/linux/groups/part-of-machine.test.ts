import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCgroups } from '../../../../../../agent/adapters/linux/groups/cgroups.ts';
import { hasCgroup, partOfMachine } from '../../../../../../agent/adapters/linux/groups/part-of-machine.ts';
import { createLinuxMachine } from '../../../../../../agent/adapters/linux/machine-source.ts';
import { V1_MOUNTS, V2_CONTROLLERS, V2_MOUNTS } from '../../../../../support/agent/machines/cgroup-files.ts';

const TOTAL = 16_000_000 * 1024;
const MI = 2 ** 20;

let root: string;

const write = (path: string, text: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-part-'));
  write('proc/meminfo', `MemTotal:       16000000 kB\nSwapTotal:             0 kB\n`);
  write('proc/cpuinfo', 'processor : 0\n');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const version1 = (limit: string): string => {
  write('proc/self/mountinfo', V1_MOUNTS);
  write('sys/fs/cgroup/memory/part/memory.usage_in_bytes', '1000\n');
  write('sys/fs/cgroup/memory/part/memory.limit_in_bytes', `${limit}\n`);
  return '/part';
};
const version2 = (limit: string): string => {
  write('proc/self/mountinfo', V2_MOUNTS);
  write('sys/fs/cgroup/cgroup.controllers', V2_CONTROLLERS);
  write('sys/fs/cgroup/part/memory.current', '1000\n');
  write('sys/fs/cgroup/part/memory.max', `${limit}\n`);
  return '/part';
};
const memoryOf = async (cgroup: string): Promise<number> => {
  const part = partOfMachine(createLinuxMachine(root), cgroup, findCgroups(root));
  return (await part.machine()).memoryCapacity;
};

describe('the memory of a machine that is a control group', () => {
  it.each([
    { what: 'the limit of version 1', group: () => version1(String(400 * MI)), memory: 400 * MI },
    { what: 'the limit of version 2', group: () => version2(String(400 * MI)), memory: 400 * MI },
    { what: 'all, without a limit', group: () => version1('9223372036854771712'), memory: TOTAL },
    { what: 'all, without a limit of version 2', group: () => version2('max'), memory: TOTAL },
    { what: 'never more than there is', group: () => version2(String(TOTAL + MI)), memory: TOTAL },
  ])('is $what', async ({ group, memory }) => {
    expect(await memoryOf(group())).toBe(memory);
  });

  it('is that of the machine without control groups', async () => {
    expect(await memoryOf('/')).toBe(TOTAL);
  });
});

it('is there if one tree has it', () => {
  const group = version1(String(MI));
  expect(hasCgroup(group, findCgroups(root))).toBe(true);
  expect(hasCgroup('/other', findCgroups(root))).toBe(false);
});
