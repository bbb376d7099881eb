import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { type HostRecord, isRunning, ownProcess } from '../../../../local/host/host-record.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/config/node-lifecycle.ts';

const record = (more: Partial<HostRecord>): HostRecord => ({
  ...{ url: 'https://127.0.0.1:1', host: '127.0.0.1', port: 1, clusterId: 'c', timeFactor: 1 },
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
  // The shell becomes a program that never asks for the exit codes of its children.
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [text] = await once(parent.stdout, 'data');
    const pid = Number(String(text));
    await expect.poll(() => isRunning(record({ pid })), { timeout: 10_000 }).toBe(false);
    expect(() => process.kill(pid, 0)).not.toThrow();
  } finally {
    parent.kill('SIGKILL');
  }
});
