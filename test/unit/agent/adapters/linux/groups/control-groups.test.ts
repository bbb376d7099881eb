import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createControlGroups } from '../../../../../../agent/adapters/linux/groups/control-groups.ts';

const TREE = 'sys/fs/cgroup';
const POD = '/rollcall/pods/pod1';

let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const read = (path: string): string => readFileSync(join(root, TREE, path), 'utf8');
const mount = (line: string): void => write('proc/self/mountinfo', `${line}\n`);

describe('control groups in a folder that stands for the kernel', () => {
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'rollcall-groups-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const ofVersion2 = () => {
    mount('35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw');
    write(`${TREE}/cgroup.controllers`, 'cpu memory pids\n');
  };

  it('of version 2 let groups below have their controllers, and bound pod and container', () => {
    ofVersion2();
    const groups = createControlGroups('/rollcall/pods', root);
    groups.make(POD, { cpuRequestMilli: 1000, pidsLimit: 9 }, 'groups');
    groups.make(`${POD}/main_0`, { memoryLimitBytes: 1000 }, 'processes');
    expect(groups.missing()).toEqual([]);
    for (const path of ['', 'rollcall', 'rollcall/pods', POD])
      expect(existsSync(join(root, TREE, path, 'cgroup.subtree_control'))).toBe(true);
    expect(existsSync(join(root, TREE, POD, 'main_0/cgroup.subtree_control'))).toBe(false);
    expect(read(`${POD}/cpu.weight`)).toBe('39');
    expect(read(`${POD}/pids.max`)).toBe('9');
    expect(read(`${POD}/main_0/memory.max`)).toBe('1000');
    expect(existsSync(join(root, TREE, POD, 'memory.max'))).toBe(false);
  });

  it('of version 2 tell by which files a process enters them, and what is below', () => {
    ofVersion2();
    const groups = createControlGroups('/rollcall/pods', root);
    groups.make(`${POD}/main_0`, {}, 'processes');
    expect(groups.memberFiles(`${POD}/main_0`)).toEqual([`${join(root, TREE, POD)}/main_0/cgroup.procs`]);
    expect(groups.children(POD)).toEqual(['main_0']);
  });

  it('of commands are made in one tree, and removed there without a look at what else is mounted', () => {
    mount('35 24 0:30 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer');
    const groups = createControlGroups('/rollcall/pods', root, false, 'runtime');
    const folder = join(root, TREE, 'freezer', POD);
    mkdirSync(folder, { recursive: true });
    expect(groups.makeBelow(POD, 'e-1')).toBe('freezer:/e-1');
    mkdirSync(join(folder, 'e-1/made/by/it'), { recursive: true });
    rmSync(join(root, 'proc/self/mountinfo'));
    groups.removeBelow(POD, 'e-1');
    expect([existsSync(folder), existsSync(join(folder, 'e-1'))]).toEqual([true, false]);
    groups.removeBelow(POD, 'e-1');
  });

  it('are used without a controller that is not permitted, which is said', () => {
    ofVersion2();
    mkdirSync(join(root, TREE, 'cgroup.subtree_control'));
    const groups = createControlGroups('/rollcall/pods', root);
    groups.make(POD, { cpuRequestMilli: 1000, pidsLimit: 9 }, 'processes');
    expect(groups.memberFiles(POD)).toEqual([join(root, TREE, POD, 'cgroup.procs')]);
    expect(existsSync(join(root, TREE, POD, 'pids.max'))).toBe(false);
    expect(groups.missing()).toEqual(
      ['cpu', 'memory', 'pids'].map((name) =>
        expect.stringMatching(new RegExp(`^control groups: ${name}: not permitted: EISDIR`)),
      ),
    );
  });

  it('say which bound the kernel refuses', () => {
    ofVersion2();
    const groups = createControlGroups('/rollcall/pods', root);
    mkdirSync(join(root, TREE, POD, 'pids.max'), { recursive: true });
    groups.make(POD, { pidsLimit: 9 }, 'processes');
    expect(groups.missing()).toEqual([
      expect.stringMatching(/^control groups: pids: EISDIR.*: limits of processes are not held$/),
    ]);
  });

  it('are none where none are mounted', () => {
    mount('24 1 0:22 / / rw - ext4 /dev/vda rw');
    const groups = createControlGroups('/rollcall/pods', root);
    groups.make(POD, { pidsLimit: 9 }, 'groups');
    expect(groups.exists(POD)).toBe(true);
    expect(groups.memberFiles(POD)).toEqual([]);
    expect(groups.missing()).toHaveLength(5);
  });
});
