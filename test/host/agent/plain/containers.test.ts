/** Containers of plain mode, as real processes: how they start, what they write, how they end. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';
import { isAlive, markOf } from '../../../../agent/adapters/linux/processes.ts';
import { type PlainMachine, startPlainMachine } from '../../../support/agent/machines/plain-machine.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { kill } from '../../../support/shell/kill.ts';

let machine: PlainMachine;

/** The number of the process that the container writes in a line of this beginning. */
const pidIn = async (id: string, name: string) => {
  await machine.says(id, `${name}=`);
  const pid = Number(new RegExp(`${name}=(\\d+)`).exec(machine.log(id))?.[1]);
  const mark = markOf(pid);
  if (!mark) throw new Error(`${name}=${pid} is gone`);
  return mark;
};
const gone = (mark: { readonly pid: number; readonly startTime: string }) =>
  eventually(`${mark.pid} is gone`, 30_000, async () => !isAlive(mark), { everyMs: 20 });

beforeEach(async () => {
  machine = await startPlainMachine();
});
afterEach(() => machine.close());

describe('a container of plain mode', { timeout: 90_000 }, () => {
  it('runs as the user of the agent, with its folder and environment, and has two pipes', async () => {
    const script =
      'id -u; pwd; echo "$GREETING $HOSTNAME"; echo again >/dev/stdout; readlink /proc/self/fd/2 | tr -dc a-z; echo; cat; sleep 0.5; cat /proc/self/oom_score_adj; echo error >&2';
    const id = await machine.shell(script, { workingDirectory: '/usr', environment: { GREETING: "it's" } });
    expect(await machine.ended(id)).toMatchObject({ exitCode: 0, reason: 'Completed', image: 'host' });
    const lines = machine
      .log(id)
      .split('\n')
      .filter((line) => line !== 'error');
    expect(lines.slice(0, 4)).toEqual([`${process.getuid?.()}`, '/usr', "it's web", 'again']);
    expect(lines.slice(-2)).toEqual(['500', '']);
    expect(readFileSync(machine.logFiles(id)[0] ?? '', 'utf8')).toMatch(/^\S+ stderr F error$/m);
    expect(statSync(machine.logFiles(id)[0] ?? '').mode & 0o777).toBe(0o600);
  });

  it.each([
    ['succeeds', 'exit 0', 0, 'Completed'],
    ['fails', 'exit 3', 3, 'Error'],
    ['is killed', 'kill -9 $$', 137, 'Error'],
    ['is ended', 'kill -15 $$', 143, 'Error'],
  ])('tells how it ended when it %s', async (_, script, exitCode, reason) => {
    const told: string[] = [];
    machine.runtime().onChange((uid) => told.push(uid));
    const id = await machine.shell(script);
    const { startedAt = 0, finishedAt = 0, ...end } = await machine.ended(id);
    expect(end).toMatchObject({ exitCode, reason });
    expect(finishedAt).toBeGreaterThanOrEqual(startedAt);
    expect(told).toEqual([machine.pod.uid]);
  });

  it.each([
    ['nowhere', {}, 'exec: "nowhere": executable file not found in $PATH'],
    ['/nowhere', {}, 'exec: "/nowhere": stat /nowhere: no such file or directory'],
    ['/etc/passwd', {}, 'exec: "/etc/passwd": permission denied'],
    ['true', { workingDirectory: '/nowhere' }, 'the working directory /nowhere is not there'],
  ])('is not started as %s %j', async (program, more, message) => {
    await expect(machine.start([program], more)).rejects.toThrow(message);
    expect((await machine.runtime().pods())[0]?.containers).toMatchObject([
      { state: 'exited', exitCode: 128, reason: 'StartError', message },
    ]);
  });

  it('is started once for each restart count', async () => {
    const all = await Promise.all([machine.shell('echo once'), machine.shell('echo once')]);
    expect(new Set(all).size).toBe(1);
    await machine.ended(all[0]);
    expect(await machine.shell('echo once')).toBe(all[0]);
    expect(machine.log(all[0])).toBe('once\n');
  });

  it('gets its stop signal, and ends by it', async () => {
    const id = await machine.shell('trap "echo bye; exit 7" USR1; echo up; while :; do sleep 0.05; done', {
      stopSignal: 'SIGUSR1',
    });
    await machine.says(id, 'up');
    await machine.runtime().stopContainer(id, 60);
    expect(await machine.container(id)).toMatchObject({ state: 'exited', exitCode: 7 });
    expect(machine.log(id)).toBe('up\nbye\n');
  });

  it('is killed with all its processes when its time is over', async () => {
    const script =
      'trap "" TERM; sleep 1000 & echo own=$!; setsid sh -c "echo left=\\$\\$; exec sleep 1000" & env -i setsid sh -c "echo clean=\\$\\$; exec sleep 1000" & wait; wait; wait';
    const id = await machine.shell(script);
    const marks = [await pidIn(id, 'own'), await pidIn(id, 'left'), await pidIn(id, 'clean')];
    await machine.runtime().stopContainer(id, 1);
    expect(await machine.container(id)).toMatchObject({ state: 'exited', exitCode: 137 });
    for (const mark of marks) await gone(mark);
  });

  it('takes what it has started with it when it ends by itself', async () => {
    const id = await machine.shell('sleep 1000 & echo own=$!; sleep 0.2; exit 4');
    const own = await pidIn(id, 'own');
    expect(await machine.ended(id)).toMatchObject({ exitCode: 4 });
    await gone(own);
  });

  it('forgets, and cannot find, what clears its environment, leaves the session and outlives its parent', async () => {
    const id = await machine.shell(
      'env -i setsid sh -c "sleep 1000 >/dev/null 2>&1 & echo escaped=\\$!"; sleep 0.3; exit 5',
    );
    const escaped = await pidIn(id, 'escaped');
    expect(await machine.ended(id)).toMatchObject({ exitCode: 5 });
    expect(isAlive(escaped)).toBe(true);
    kill(escaped.pid);
  });

  it('runs on when it closes its outputs', async () => {
    const id = await machine.shell('echo last; exec >&- 2>&-; sleep 0.5; exit 6');
    await machine.says(id, 'last');
    expect(await machine.container(id)).toMatchObject({ state: 'running' });
    expect(await machine.ended(id)).toMatchObject({ exitCode: 6 });
  });

  it('tells the end of its log, if it asks for that and has failed', async () => {
    const id = await machine.shell('echo why; exit 1', { terminationMessageFallsBackToLogs: true });
    expect(await machine.ended(id)).toMatchObject({ message: 'why\n' });
  });

  it('says when nothing is measured, and refuses CPUs', async () => {
    const id = await machine.shell('sleep 1000');
    const [pod] = await machine.runtime().pods();
    expect(pod?.measure.containers).toMatchObject([
      { name: 'main', logs: join(machine.folder, 'logs/main') },
    ]);
    await expect(machine.runtime().bindContainer(id, '0')).rejects.toThrow('--unisolated');
  });

  it('is removed with its log, and its pod with all', async () => {
    const id = await machine.shell('echo a; sleep 1000');
    await machine.says(id, 'a');
    const [log = ''] = machine.logFiles(id);
    await machine.runtime().removeContainer(id);
    expect([existsSync(log), existsSync(machine.place(id)), machine.marked(id)]).toEqual([false, false, 0]);
    const other = await machine.shell('sleep 1000', { restartCount: 1 });
    await machine.runtime().removePod(machine.pod.uid);
    expect(await machine.runtime().pods()).toEqual([]);
    expect([existsSync(join(machine.folder, 'logs')), machine.marked(other)]).toEqual([false, 0]);
  });
});

describe('the log of a container of plain mode', { timeout: 120_000 }, () => {
  it('is rotated, and stays within its bounds under a flood', async () => {
    await machine.close();
    machine = await startPlainMachine({ logs: { maxSize: 200_000, maxFiles: 3 } });
    const id = await machine.shell(
      'i=0; while [ $i -lt 40000 ]; do i=$((i+1)); echo "line $i"; done; sleep 1000',
    );
    await machine.says(id, 'line 40000\n');
    // While an older file is compressed, both forms of it are there.
    await eventually(
      'there are no more files than allowed',
      30_000,
      async () => readdirSync(join(machine.folder, 'logs/main')).length <= 3,
    );
    const sizes = machine.logFiles(id).map((file) => statSync(file).size);
    for (const size of sizes) expect(size).toBeLessThan(200_000 + 3_000_000);
    const numbers = machine
      .logFiles(id)
      .flatMap((file) => readFileSync(file, 'utf8').match(/(?<=line )\d+/g) ?? []);
    const first = Number(numbers[0]);
    expect(numbers.map(Number)).toEqual(numbers.map((_, index) => first + index));
  });

  it('has 100 MB without an end of a line in parts, and holds none of it in memory', async () => {
    const before = process.memoryUsage().rss;
    const id = await machine.shell('head -c 100000000 /dev/zero | tr "\\0" x; echo; echo done');
    await machine.ended(id);
    expect(machine.log(id)).toMatch(/done\n$/);
    const text = readFileSync(machine.logFiles(id)[0] ?? '', 'latin1');
    for (const line of text.split('\n')) expect(line.length).toBeLessThan(17_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it('loses lines on a full disk, says so once, and goes on', async () => {
    await machine.close();
    machine = await startPlainMachine();
    const id = await machine.shell('while :; do echo tick; sleep 0.02; done');
    await machine.says(id, 'tick');
    const [log = ''] = machine.logFiles(id);
    // A file that is larger than the process may write is like a disk without room.
    spawnSync(findProgram('prlimit') ?? '', [
      '--pid',
      String(process.pid),
      `--fsize=${statSync(log).size}:unlimited`,
    ]);
    try {
      await eventually('it is reported', 30_000, async () => machine.reports.length > 0);
      expect(await machine.container(id)).toMatchObject({ state: 'running' });
    } finally {
      spawnSync(findProgram('prlimit') ?? '', ['--pid', String(process.pid), '--fsize=unlimited:unlimited']);
    }
    const { size } = statSync(log);
    await eventually('it writes again', 30_000, async () => statSync(log).size > size + 200);
    expect(machine.reports).toHaveLength(1);
    expect(machine.reports[0]).toContain('EFBIG');
    for (const line of readFileSync(log, 'utf8').trim().split('\n').slice(-3))
      expect(line).toMatch(/F tick$/);
  });
});
