import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claimFolder, statusOf } from '../../../../agent/adapters/instance.ts';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';

const STATUS = { nodeName: 'n1' };
const flock = findProgram('flock') ?? '';

describe.skipIf(flock === '')('the agent of a folder', () => {
  let folder: string;
  let children: ChildProcess[];
  let servers: Server[];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-instance-'));
    [children, servers] = [[], []];
  });

  afterEach(async () => {
    for (const child of children) if (child.kill('SIGKILL')) await once(child, 'close');
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true });
  });

  const claim = async (root = folder) => {
    const claimed = await claimFolder(flock, root, () => STATUS);
    if (!('close' in claimed)) throw new Error(`process ${claimed.pid} has it`);
    return claimed;
  };

  /** Another process, which has the folder. */
  const otherAgent = async (): Promise<ChildProcess> => {
    const script = `
      const { claimFolder } = await import(${JSON.stringify(resolve('agent/adapters/instance.ts'))});
      await claimFolder(${JSON.stringify(flock)}, ${JSON.stringify(folder)}, () => (${JSON.stringify(STATUS)}));
      process.stdout.write('claimed');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    if (child.stdout) await once(child.stdout, 'data');
    return child;
  };

  const listen = async (path: string, answer: string): Promise<void> => {
    const server = createServer((socket) => socket.on('error', () => {}).end(answer));
    servers.push(server);
    await once(server.listen(path), 'listening');
  };

  it('tells how it is, by files that no other user can open', async () => {
    const agent = await claim();
    expect(await statusOf(folder)).toEqual(STATUS);
    expect(readdirSync(folder).toSorted()).toEqual(['agent.sock', 'lock']);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    agent.close();
    expect(await statusOf(folder)).toBeUndefined();
  });

  it('is one, whichever process it is, and the next one says which', async () => {
    const { pid } = await otherAgent();
    expect(await claimFolder(flock, folder, () => STATUS)).toEqual({ pid });
    expect(await statusOf(folder)).toEqual(STATUS);
  });

  it('is followed by another once it was killed, though its socket is left', async () => {
    const other = await otherAgent();
    other.kill('SIGKILL');
    await once(other, 'close');
    expect(readdirSync(folder)).toContain('agent.sock');
    expect(await statusOf(folder)).toBeUndefined();
    const agent = await claim();
    expect(await statusOf(folder)).toEqual(STATUS);
    agent.close();
    (await claim()).close();
  });

  it('cannot be kept away by a program that takes a name that all can take', async () => {
    const digest = createHash('sha256').update(folder).digest('hex');
    await listen(`\0rollcall-agent-${digest}`, '{"nodeName":"squatted"}');
    expect(await statusOf(folder)).toBeUndefined();
    const agent = await claim();
    expect(await statusOf(folder)).toEqual(STATUS);
    agent.close();
  });

  it('may have a folder whose name is too long for a socket', async () => {
    const long = join(folder, 'x'.repeat(120), 'y'.repeat(120));
    mkdirSync(long, { recursive: true });
    const agent = await claim(long);
    expect(await statusOf(long)).toEqual(STATUS);
    expect(readdirSync(long).toSorted()).toEqual(['agent.sock', 'lock']);
    agent.close();
    expect(readdirSync(long)).toEqual(['lock']);
    expect(await statusOf(long)).toBeUndefined();
  });

  it.each(['', 'no JSON', '{'.repeat(5_000_000)])(
    'has not answered where the answer is no JSON',
    async (text) => {
      await listen(join(folder, 'agent.sock'), text);
      expect(await statusOf(folder)).toBeUndefined();
    },
  );

  it('does not follow a link in the place of its lock', async () => {
    writeFileSync(join(folder, 'other'), '');
    symlinkSync('other', join(folder, 'lock'));
    await expect(claim()).rejects.toThrow(/ELOOP/);
  });

  it('says what the program said that could not lock', async () => {
    await expect(claimFolder('/bin/sh', folder, () => STATUS)).rejects.toThrow(/sh failed with \d+/);
  });
});
