import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCpuSets } from '../../../../../../agent/adapters/linux/groups/cpusets.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-cpusets-'));
  mkdirSync(join(root, 'proc/self'), { recursive: true });
});

afterEach(() => rmSync(root, { recursive: true }));

const machine = (mount: string, files: Readonly<Record<string, string>>): void => {
  writeFileSync(join(root, 'proc/self/mountinfo'), `30 1 0:1 / /cg rw - ${mount}\n`);
  mkdirSync(join(root, 'cg'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'cg', name), text);
};

const textOf = (path: string): string => readFileSync(join(root, 'cg', path), 'utf8').trim();

describe('control groups that bind containers to CPUs', () => {
  test('version 1: a new group has what the one above it has, or what it is given', () => {
    machine('cgroup cgroup rw,cpuset', { 'cpuset.cpus': '0-7\n', 'cpuset.mems': '0-1\n' });
    const sets = createCpuSets('/agent', root);
    sets?.make('/agent/pod', {});
    sets?.make('/agent/pod/c', { cpus: '2-3', memoryNodes: '1' });
    expect(['', '/pod', '/pod/c'].map((group) => textOf(`agent${group}/cpuset.cpus`))).toEqual([
      '0-7',
      '0-7',
      '2-3',
    ]);
    expect(['', '/pod', '/pod/c'].map((group) => textOf(`agent${group}/cpuset.mems`))).toEqual([
      '0-1',
      '0-1',
      '1',
    ]);
    expect(sets?.ownTree).toBe(join(root, 'cg'));
    sets?.bind('/agent/pod/c', '4');
    expect(textOf('agent/pod/c/cpuset.cpus')).toBe('4');
  });

  test('version 2: the controller is switched on from the top, and only what is given is written', () => {
    machine('cgroup2 cgroup2 rw', { 'cgroup.controllers': 'cpuset cpu memory\n' });
    const sets = createCpuSets('/agent', root);
    sets?.make('/agent/pod', {});
    sets?.make('/agent/pod/c', { cpus: '2-3' });
    expect(['', 'agent', 'agent/pod'].map((group) => textOf(join(group, 'cgroup.subtree_control')))).toEqual(
      Array.from({ length: 3 }, () => '+cpuset'),
    );
    expect(textOf('agent/pod/c/cpuset.cpus')).toBe('2-3');
    expect(sets?.ownTree).toBeUndefined();
  });

  test('a machine without the controller has none', () => {
    machine('cgroup cgroup rw,cpu', {});
    expect(createCpuSets('/agent', root)).toBeUndefined();
  });
});
