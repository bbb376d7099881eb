import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type HostRecord, isRunning, ownProcess } from '../../../../host/folder/host-record.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

const record = (more: Partial<HostRecord>): HostRecord => ({
  url: 'https://127.0.0.1:1',
  host: '127.0.0.1',
  port: 1,
  clusterId: 'c',
  timeFactor: 1,
  nodeLifecycle: NODE_LIFECYCLE_DEFAULTS,
  ...more,
});

it('a host runs as long as its process does, with or without the time of its start', () => {
  expect(isRunning(record(ownProcess()))).toBe(true);
  expect(isRunning(record({ pid: process.pid }))).toBe(true);
  expect(isRunning(record({}))).toBe(false);
});

it('a process that has its number by now is not the host', () => {
  expect(isRunning(record({ ...ownProcess(), processStart: '1' }))).toBe(false);
});

it('a process that has ended, and whose exit code nobody has taken, does not run', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [text] = await once(parent.stdout, 'data');
  const pid = Number(String(text));
  try {
    // A shell may take the exit codes of its children; the program that it becomes never asks for them.
    await expect.poll(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isRunning(record({ pid })), { timeout: 10_000 }).toBe(false);
    expect(() => process.kill(pid, 0)).not.toThrow();
  } finally {
    parent.kill('SIGKILL');
  }
});
