/** What a plain mode agent does to its pods when it ends, and what the next one finds of an agent that was killed. */
import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, markOf } from '../../../../agent/adapters/linux/processes.ts';
import { type PlainMachine, startPlainMachine } from '../../../support/agent/machines/plain-machine.ts';

let machine: PlainMachine;
const mainFile = (id: string): string => join(machine.place(id), 'main.json');
const mainOf = (id: string) =>
  JSON.parse(readFileSync(mainFile(id), 'utf8')) as { pid: number; startTime: string };
/** As an agent that was killed before it wrote down the end. */
const LOST = { state: 'exited', exitCode: 255, reason: 'Unknown' };

beforeEach(async () => {
  machine = await startPlainMachine();
});
afterEach(() => machine.close());

describe('an agent of plain mode that ends', { timeout: 90_000 }, () => {
  it('ends its pods, and the next one tells with which codes', async () => {
    const id = await machine.shell('trap "exit 9" TERM; echo up; while :; do sleep 0.05; done');
    await machine.says(id, 'up');
    const main = mainOf(id);
    await machine.runtime().close();
    expect(isAlive(main)).toBe(false);
    await expect(machine.shell('true', { restartCount: 1 })).rejects.toThrow('the agent ends');
    await machine.startNext();
    expect(await machine.container(id)).toMatchObject({ state: 'exited', exitCode: 9, reason: 'Error' });
    const [pod] = await machine.runtime().pods();
    expect(pod?.sandboxCreatedAt).toBeGreaterThan(0);
  });

  it('kills in the end what does not heed its signal', async () => {
    const id = await machine.shell('trap "" TERM; echo up; while :; do sleep 0.05; done');
    await machine.says(id, 'up');
    await machine.runtime().close();
    expect(await machine.container(id)).toMatchObject({ state: 'exited', exitCode: 137 });
  });
});

describe('an agent after one that was killed', { timeout: 90_000 }, () => {
  it('ends what it finds, with its session and what left that, and tells 255', async () => {
    const id = await machine.shell('setsid sleep 1000 & env -i sleep 1000 & echo up; wait');
    await machine.says(id, 'up');
    const main = mainOf(id);
    expect(machine.marked(id)).toBeGreaterThanOrEqual(2);
    await machine.startNext();
    expect([isAlive(main), machine.marked(id)]).toEqual([false, 0]);
    expect(await machine.container(id)).toMatchObject(LOST);
    expect(await machine.shell('true')).toBe(id);
    expect(await machine.container(id)).toMatchObject(LOST);
  });

  it('leaves alone a process that has got the number since', async () => {
    const other = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const mark = markOf(other.pid ?? 0);
    try {
      const id = await machine.shell('sleep 1000');
      writeFileSync(mainFile(id), JSON.stringify({ ...mainOf(id), ...mark, startTime: '1' }));
      await machine.startNext();
      expect(await machine.container(id)).toMatchObject(LOST);
      expect(mark && isAlive(mark)).toBe(true);
      expect(machine.marked(id)).toBe(0);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('trusts no number of another start of the machine', async () => {
    const other = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
    const mark = markOf(other.pid ?? 0);
    try {
      const id = await machine.shell('sleep 1000');
      writeFileSync(mainFile(id), JSON.stringify({ ...mainOf(id), ...mark, bootId: 'before' }));
      await machine.startNext();
      expect(mark && isAlive(mark)).toBe(true);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('finds by its environment what no file names', async () => {
    const id = await machine.shell('sleep 1000');
    renameSync(mainFile(id), join(machine.folder, 'main.json'));
    await machine.startNext();
    expect(machine.marked(id)).toBe(0);
    expect(await machine.container(id)).toMatchObject(LOST);
  });

  it.each(['pod.json', 'main_0/spec.json'])('ends and deletes what is damaged: %s', async (name) => {
    const id = await machine.shell('sleep 1000');
    writeFileSync(join(machine.place(id), '..', name), '{');
    await machine.startNext();
    expect(machine.marked(id)).toBe(0);
    expect(await machine.container(id)).toBeUndefined();
  });

  it('tells times in their order, though the clock was set back', async () => {
    const id = await machine.shell('sleep 1000');
    const before = await machine.container(id);
    const hourAgo = Date.now() - 3_600_000;
    await machine.startNext({ now: () => hourAgo });
    const { finishedAt = 0 } = (await machine.container(id)) ?? {};
    expect(finishedAt).toBeGreaterThanOrEqual(before?.startedAt ?? Number.POSITIVE_INFINITY);
    const next = await machine.shell('true', { restartCount: 1 });
    expect((await machine.ended(next)).createdAt).toBeGreaterThanOrEqual(before?.createdAt ?? 0);
  });
});
