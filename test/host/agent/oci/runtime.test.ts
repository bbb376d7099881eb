/** The OCI runtime through its port: how containers start, run, end, are limited and leave. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findTrees } from '../../../../agent/adapters/linux/groups/cgroup-trees.ts';
import { processesOfPods } from '../../../support/agent/machines/pod-processes.ts';
import {
  missingForGroups,
  type RuntimeMachine,
  startRuntimeMachine,
} from '../../../support/agent/machines/runtime-machine.ts';
import { busyboxImage } from '../../../support/agent/oci/bundle-machine.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { kill } from '../../../support/shell/kill.ts';

const PATIENCE_MS = 60_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForGroups();
if (missing !== undefined) process.stdout.write(`skipped: containers through their port: ${missing}\n`);

let machine: RuntimeMachine;
const keepers = () => processesOfPods(machine.options.podsCgroup).filter(({ isKeeper }) => isKeeper);
const killKeepers = (): void => {
  for (const { pid } of keepers()) kill(pid);
};
const USER = { own: { runAsUser: 1, runAsGroup: 1 } };
const logSays = (id: string, text: string) =>
  eventually(`the log says ${text}`, PATIENCE_MS, async () => machine.log(id).includes(text), {
    everyMs: 20,
  });

afterEach(() => machine.close());

describe.runIf(missing === undefined || isComplete)(
  'a container through its port',
  { timeout: 180_000 },
  () => {
    beforeEach(async () => {
      machine = await startRuntimeMachine();
    });

    it('runs with its user, folder, environment and host name, and writes both outputs to its log', async () => {
      const script =
        'id -u; id -g; id -G; pwd; hostname; echo "$GREETING"; env -0 | tr "\\0" "\\n" | grep my; echo error >&2; cat /proc/self/oom_score_adj';
      const id = await machine.shell(
        script,
        {
          workingDirectory: '/usr',
          environment: { GREETING: "it's $HOME", LD_LIBRARY_PATH: '/nowhere' },
        },
        { own: { runAsUser: 1001, runAsGroup: 1002 }, ofPod: { supplementalGroups: [1005, 1006] } },
      );
      expect(await machine.ended(id)).toMatchObject({ exitCode: 0, reason: 'Completed', restartCount: 0 });
      // Errors come by a pipe of their own.
      const lines = machine.log(id).split('\n');
      expect(lines).toContain('error');
      expect(lines.filter((line) => line !== 'error').join('\n')).toBe(
        "1001\n1002\n1002 1005 1006\n/usr\nweb\nit's $HOME\n500\n",
      );
    });

    it.each([
      ['succeeds', 'exit 0', 0, 'Completed'],
      ['fails', 'exit 3', 3, 'Error'],
      ['is killed from outside', 'sleep 1000', 137, 'Error'],
    ])('tells how it ended when it %s', async (_, script, exitCode, reason) => {
      const id = await machine.shell(script);
      if (script.startsWith('sleep')) for (const pid of machine.processes(id)) kill(pid);
      const { startedAt = 0, finishedAt = 0, ...end } = await machine.ended(id);
      expect(end).toMatchObject({ exitCode, reason, image: 'host' });
      expect(finishedAt).toBeGreaterThanOrEqual(startedAt);
    });

    it.each([
      ['nowhere', 'exec: "nowhere": executable file not found in $PATH'],
      ['/nowhere', 'exec: "/nowhere": stat /nowhere: no such file or directory'],
    ])('is not started as %s', async (program, message) => {
      await expect(machine.start([program])).rejects.toMatchObject({
        reason: 'CreateContainerError',
        message: expect.stringContaining(message),
      });
      expect((await machine.runtime().pods())[0]?.containers).toEqual([]);
    });

    it.each([
      ['an image that is no path', { image: 'nginx' }, 'InvalidImageName'],
      ['an image that is not there', { image: '/nowhere' }, 'ErrImageNeverPull'],
      ['no program', { command: [] }, 'CreateContainerError'],
    ])('is refused with %s', async (_, more, reason) => {
      await expect(machine.start(['true'], more)).rejects.toMatchObject({ reason });
      expect((await machine.runtime().pods())[0]?.containers).toEqual([]);
    });

    it('J-151: writes to its volumes only where its root is read-only', async () => {
      const source = join(machine.folder, 'volume');
      mkdirSync(source, { mode: 0o777 });
      chmodSync(source, 0o777);
      const tried = [
        'echo x > /volume/new && echo volume',
        'echo x > /dev/termination-log && echo message',
        'echo x > /dev/null && echo device',
        'echo x > /tmp/outside && echo outside',
        'mount -o remount,bind,rw / && echo remounted',
      ];
      const more = {
        mounts: [{ source, target: '/volume', isReadOnly: false }],
        terminationMessagePath: '/dev/termination-log',
      };
      const id = await machine.shell(tried.join('; '), more, { own: { readOnlyRootFilesystem: true } });
      await machine.ended(id);
      const done = machine
        .log(id)
        .split('\n')
        .filter((line) => /^\w+$/.test(line));
      expect(done).toEqual(['volume', 'message', 'device']);
      expect(readFileSync(join(source, 'new'), 'utf8')).toBe('x\n');
    });

    it('is not started with a capability that no kernel has: a dropped one would be kept', async () => {
      const own = { capabilities: { drop: ['NET_RAWW'] } };
      await expect(machine.start(['true'], {}, { own })).rejects.toMatchObject({
        reason: 'CreateContainerConfigError',
        message: 'unknown capability "NET_RAWW" in container main',
      });
    });

    it('sees what is mounted, where the machine does not', async () => {
      const source = join(machine.folder, 'config');
      const target = join(machine.folder, 'seen');
      mkdirSync(source);
      writeFileSync(join(source, 'key'), 'value\n');
      const id = await machine.shell(`cat ${target}/key; touch ${target}/new || echo refused`, {
        mounts: [{ source, target, isReadOnly: true }],
      });
      await machine.ended(id);
      expect(machine.log(id)).toContain('value\n');
      expect(machine.log(id)).toContain('refused\n');
      expect(existsSync(target)).toBe(false);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(target);
    });

    it('has a folder as its root', async () => {
      const image = busyboxImage(join(machine.folder, 'image'));
      const source = join(machine.folder, 'volume');
      mkdirSync(source);
      writeFileSync(join(source, 'key'), 'value\n');
      const id = await machine.shell(
        'ls /; pwd; id -u; cat /data/key; echo done > /message; echo x > /dev/null',
        {
          image,
          workingDirectory: '/work',
          mounts: [{ source, target: '/data', isReadOnly: false }],
          terminationMessagePath: '/message',
        },
        USER,
      );
      const end = await machine.ended(id);
      expect(end).toMatchObject({ exitCode: 0, message: 'done\n', image });
      expect(machine.log(id)).toMatch(/^bin\ndata\ndev\n[\s\S]*\/work\n1\nvalue\n$/);
      expect(readdirSync(image)).not.toContain('message');

      const more = { image, name: 'other', workingDirectory: '/work' };
      const other = await machine.start(['sleep', '100'], more, USER);
      expect(await machine.runtime().exec(other, ['sh', '-c', 'pwd; id -u; ls /'], PATIENCE_MS)).toEqual({
        exitCode: 0,
        output: expect.stringMatching(/^\/work\n1\nbin\n/),
      });
      await expect(machine.start(['awk'], { image, name: 'absent' })).rejects.toThrow(
        'executable file not found',
      );
    });

    it('tells what it wrote for its end, or the last lines of its log', async () => {
      const terminationMessagePath = '/dev/termination-log';
      const first = await machine.shell('echo why > /dev/termination-log; exit 1', {
        terminationMessagePath,
      });
      expect(await machine.ended(first)).toMatchObject({ message: 'why\n' });
      const second = await machine.shell('for n in 1 2 3; do echo $n; done; exit 1', {
        name: 'second',
        terminationMessagePath,
        terminationMessageFallsBackToLogs: true,
      });
      expect(await machine.ended(second)).toMatchObject({ message: '1\n2\n3\n' });
    });

    it('runs commands in its root, mounts, folder, user and group', async () => {
      const id = await machine.shell(
        'exec sleep 100',
        { workingDirectory: '/usr', environment: { A: 'b' } },
        { own: { runAsUser: 1001, runAsGroup: 1002 }, ofPod: { supplementalGroups: [1005] } },
      );
      const script = 'id -u; id -G; pwd; hostname; echo $A; exit 4';
      expect(await machine.runtime().exec(id, ['sh', '-c', script], PATIENCE_MS)).toEqual({
        exitCode: 4,
        output: '1001\n1002 1005\n/usr\nweb\nb\n',
      });
      expect(await machine.runtime().exec(id, ['sh', '-c', 'kill -15 $$'], PATIENCE_MS)).toMatchObject({
        exitCode: 143,
      });
      const late = await machine.runtime().exec(id, ['sh', '-c', 'echo a; setsid sleep 77 & sleep 78'], 300);
      expect(late).toEqual({ output: 'a\n' });
      expect(machine.processes(id)).toHaveLength(1);
      await machine.runtime().stopContainer(id, 0);
      await expect(machine.runtime().exec(id, ['true'], 1000)).rejects.toThrow('is not running');
    });

    it('tells at once that it has ended', async () => {
      const heard: string[] = [];
      const stop = machine.runtime().onChange((uid) => heard.push(uid));
      await machine.shell('sleep 0.2');
      await eventually('the end is told', PATIENCE_MS, async () => heard.length > 0, { everyMs: 10 });
      stop();
      expect(heard).toEqual([machine.pod.uid]);
    });

    it('is started once, however often it is asked for', async () => {
      const ids = await Promise.all(
        Array.from({ length: 5 }, () => machine.shell('echo started; sleep 100')),
      );
      expect(new Set(ids).size).toBe(1);
      const [id = ''] = ids;
      await logSays(id, 'started');
      await machine.restart();
      await machine.shell('echo started; sleep 100');
      expect(machine.log(id)).toBe('started\n');
    });

    it('runs on while the agent is away, which finds its end and all that it wrote', async () => {
      const id = await machine.shell('echo before; sleep 0.5; echo after; exit 5');
      await machine.restart();
      expect(await machine.container(id)).toMatchObject({ state: 'running' });
      expect(await machine.ended(id)).toMatchObject({ exitCode: 5, reason: 'Error' });
      expect(machine.log(id)).toBe('before\nafter\n');
    });

    it('is ended without its keeper, which nothing reads what it writes, and its end is unknown', async () => {
      const id = await machine.shell('setsid sleep 100 & sleep 100; echo end');
      killKeepers();
      expect(await machine.ended(id)).toMatchObject({ exitCode: 255, reason: 'Unknown' });
      expect(machine.processes(id)).toEqual([]);
    });

    it('is stopped without its keeper', async () => {
      const id = await machine.shell('trap "" TERM; echo on; sleep 100');
      await logSays(id, 'on');
      killKeepers();
      await machine.runtime().stopContainer(id, 1);
      expect(await machine.container(id)).toMatchObject({
        state: 'exited',
        exitCode: 255,
        reason: 'Unknown',
      });
      expect(machine.processes(id)).toEqual([]);
    });

    it('leaves nothing if it was never started', async () => {
      const folder = join(machine.options.root, 'pods', machine.pod.uid);
      mkdirSync(join(folder, 'main_0'));
      mkdirSync(join(folder, '.new-abc'));
      await machine.restart();
      expect((await machine.runtime().pods())[0]?.containers).toEqual([]);
      expect(readdirSync(folder)).toEqual(['pod.json']);
    });

    it('has ended when the machine was started since, and its sandbox is lost', async () => {
      const id = await machine.shell('exec sleep 100');
      await machine.runtime().stopContainer(id, 0);
      const folder = machine.place(id);
      const file = join(folder, 'spec.json');
      const spec = JSON.parse(readFileSync(file, 'utf8')) as { readonly attempt: string };
      writeFileSync(file, JSON.stringify({ ...spec, bootId: 'another-boot' }));
      rmSync(join(folder, spec.attempt, 'exits'), { recursive: true });
      const podFile = join(folder, '../pod.json');
      const record: unknown = JSON.parse(readFileSync(podFile, 'utf8'));
      writeFileSync(podFile, JSON.stringify(Object.assign({}, record, { bootId: 'another-boot' })));
      const runtime = await machine.restart();
      expect(await machine.container(id)).toMatchObject({
        state: 'exited',
        exitCode: 255,
        reason: 'Unknown',
      });
      expect((await runtime.pods())[0]).not.toHaveProperty('sandboxCreatedAt');
      const logFolder = join(machine.folder, 'logs');
      await runtime.createSandbox({ pod: machine.pod, hostname: 'web', bounds: {}, logFolder });
      expect((await runtime.pods())[0]).toHaveProperty('sandboxCreatedAt');
      await machine.ended(await machine.shell('echo again', { restartCount: 1 }));
      expect((await runtime.pods())[0]?.containers).toHaveLength(2);
    });

    it('costs the agent no file', async () => {
      const openFiles = () => readdirSync('/proc/self/fd').length;
      await machine.shell('sleep 100', { name: 'first' });
      const before = openFiles();
      for (let n = 0; n < 10; n += 1) await machine.shell('exec sleep 100', { name: `c${n}` });
      expect(openFiles() - before).toBeLessThan(3);
    });

    it('has a folder of logs only while its pod is known, so that none is left by a killed agent', async () => {
      const logs = join(machine.folder, 'logs');
      expect(existsSync(logs)).toBe(false);
      // What the agent has made for a container before it was killed.
      mkdirSync(join(logs, 'never'), { recursive: true });
      writeFileSync(join(logs, 'never', '0.log'), '');
      await machine.runtime().removePod(machine.pod.uid);
      expect(existsSync(logs)).toBe(false);
    });

    it('goes with its log when it is removed, and the pod with all folders', async () => {
      const first = await machine.shell('echo a');
      await machine.ended(first);
      await machine.shell('sleep 100', { restartCount: 1 });
      await machine.runtime().removeContainer(first);
      expect(readdirSync(join(machine.folder, 'logs/main'))).toEqual(['1.log']);
      await machine.runtime().removePod(machine.pod.uid);
      expect(await machine.runtime().pods()).toEqual([]);
      expect(readdirSync(machine.folder)).not.toContain('logs');
      for (const { mountPoint } of findTrees(machine.options.podsCgroup, '/').trees)
        expect(statSync(join(mountPoint, machine.options.podsCgroup)).nlink).toBe(2);
    });
  },
);

describe.runIf(missing === undefined || isComplete)('the tree of a container', { timeout: 180_000 }, () => {
  beforeEach(async () => {
    machine = await startRuntimeMachine();
  });

  it('ends with its main process', async () => {
    const id = await machine.shell('setsid sleep 100 & (setsid sleep 101 &); echo on; sleep 0.1');
    await machine.ended(id);
    expect(machine.processes(id)).toEqual([]);
  });

  it('gets its stop signal, and is killed after the time-out', async () => {
    const polite = await machine.shell('trap "exit 9" INT; echo on; while :; do sleep 0.05; done', {
      stopSignal: 'SIGINT',
    });
    await logSays(polite, 'on');
    await machine.runtime().stopContainer(polite, 30);
    expect(await machine.container(polite)).toMatchObject({ state: 'exited', exitCode: 9 });
    const deaf = await machine.shell(
      'trap "" TERM; setsid sleep 100 & echo on; while :; do sleep 0.05; done',
      {
        name: 'deaf',
      },
    );
    await logSays(deaf, 'on');
    await machine.runtime().stopContainer(deaf, 1);
    expect(await machine.container(deaf)).toMatchObject({
      state: 'exited',
      exitCode: 137,
      reason: 'Error',
    });
    expect(machine.processes(deaf)).toEqual([]);
  });

  it('is killed while it makes new processes', async () => {
    const id = await machine.shell('while :; do (setsid sleep 100 &); sleep 0.01; done');
    await machine.runtime().stopContainer(id, 0);
    expect(machine.processes(id)).toEqual([]);
    await eventually('its keeper has ended', PATIENCE_MS, async () => keepers().length === 0);
  });
});

describe.runIf(missing === undefined || isComplete)('the bounds of a container', { timeout: 180_000 }, () => {
  beforeEach(async () => {
    machine = await startRuntimeMachine();
  });

  it('hold for memory: the kernel ends what takes more', async () => {
    const id = await machine.start(['tail', '/dev/zero'], { bounds: { memoryLimitBytes: 20_000_000 } });
    expect(await machine.ended(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('hold for processes', async () => {
    const id = await machine.shell('for n in 1 2 3 4 5 6; do sleep 5 & done; wait', {
      bounds: { pidsLimit: 4 },
    });
    await logSays(id, 'annot fork');
  });

  it('are in the files of its group', async () => {
    expect(machine.runtime().missing()).toEqual([]);
    await machine.shell('sleep 100', {
      bounds: { cpuRequestMilli: 500, cpuLimitMilli: 1500, memoryLimitBytes: 40_960_000, pidsLimit: 7 },
    });
    const { trees } = findTrees(machine.options.podsCgroup, '/');
    const read = (name: string): string => {
      for (const { mountPoint } of trees)
        try {
          const group = `${machine.options.podsCgroup}/pod${machine.pod.uid}/main_0`;
          return readFileSync(join(mountPoint, group, name), 'utf8').trim();
        } catch {}
      return '';
    };
    const isV1 = trees.some(({ version, controllers }) => version === 'v1' && controllers.includes('memory'));
    expect(
      isV1
        ? ['cpu.shares', 'cpu.cfs_quota_us', 'memory.limit_in_bytes', 'pids.max'].map(read)
        : ['cpu.weight', 'cpu.max', 'memory.max', 'pids.max'].map(read),
    ).toEqual(isV1 ? ['512', '150000', '40960000', '7'] : ['20', '150000 100000', '40960000', '7']);
  });
});
