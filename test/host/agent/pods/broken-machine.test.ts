/** What a machine does to an agent: its clock is set, its disk loses files, somebody removes folders. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newestFirst } from '../../../../agent/rules/containers/runtime-status.ts';
import {
  missingForGroups,
  type RuntimeMachine,
  startRuntimeMachine,
} from '../../../support/agent/machines/runtime-machine.ts';
import { eventually } from '../../../support/clocks/eventually.ts';

const PATIENCE_MS = 60_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForGroups();
if (missing !== undefined) process.stdout.write(`skipped: a machine that breaks: ${missing}\n`);
const DAY_MS = 86_400_000;

let machine: RuntimeMachine;

afterEach(() => machine?.close());

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const allEnd = (pids: readonly number[]) =>
  eventually(`the processes ${pids.join(', ')} have ended`, PATIENCE_MS, async () => !pids.some(isRunning));

describe.runIf(missing === undefined || isComplete)('a machine that breaks', { timeout: 180_000 }, () => {
  it.each([-DAY_MS, -3_600_000, DAY_MS])(
    'J-159: by a clock that is set by %d ms no container is older than its pod or the one before',
    async (stepMs) => {
      let now = Date.now();
      machine = await startRuntimeMachine({ now: () => now });
      await machine.ended(await machine.start(['true']));
      now += stepMs;
      await machine.ended(await machine.start(['true'], { restartCount: 1 }));
      const [pod] = await machine.runtime().pods();
      const counts = newestFirst(pod?.containers ?? []).map(({ restartCount }) => restartCount);
      expect(counts).toEqual([1, 0]);
      expect(pod?.containers.every(({ createdAt }) => createdAt >= (pod.sandboxCreatedAt ?? Infinity))).toBe(
        true,
      );
    },
  );

  it.each(['pod.json', 'main_0/spec.json'])(
    'J-169: a pod whose file %s is damaged is ended, and no other one',
    async (file) => {
      machine = await startRuntimeMachine();
      const id = await machine.start(['sleep', '1000'], { name: 'main' });
      const pids = machine.processes(id);
      truncateSync(join(machine.options.root, 'pods', machine.pod.uid, file), 3);
      const whole = { namespace: 'default', name: 'whole', uid: 'whole' };
      const logFolder = join(machine.folder, 'logs-of-whole');
      const sandbox = { pod: whole, hostname: 'whole', bounds: {}, logFolder };
      await machine.runtime().createSandbox(sandbox);
      const other = await machine.start(['sleep', '1000'], { pod: whole });
      expect((await machine.container(other))?.state).toBe('running');
      const again = await machine.restart();
      await allEnd(pids);
      const left = (await again.pods()).flatMap(({ containers }) => containers.map((one) => one.id));
      expect(left).toEqual([other]);
      await again.removePod('whole');
    },
  );

  it('J-169: what runs although its folder was removed ends before it is started again', async () => {
    machine = await startRuntimeMachine();
    const pids = machine.processes(await machine.start(['sleep', '1000']));
    expect(pids).toHaveLength(1);
    rmSync(machine.options.root, { recursive: true });
    expect(await machine.runtime().pods()).toEqual([]);
    const logFolder = join(machine.folder, 'logs');
    await machine.runtime().createSandbox({ pod: machine.pod, hostname: 'web', bounds: {}, logFolder });
    const id = await machine.start(['sleep', '1000']);
    await allEnd(pids);
    expect(machine.processes(id)).toHaveLength(1);
  });

  it('J-169: a container does not start on a full disk, and starts when there is room', async () => {
    machine = await startRuntimeMachine();
    const { root } = machine.options;
    let id = '';
    const pods = join(root, 'pods', machine.pod.uid);
    const filler = join(pods, 'filler');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', pods]);
    try {
      const logFolder = join(machine.folder, 'logs');
      await machine.runtime().createSandbox({ pod: machine.pod, hostname: 'web', bounds: {}, logFolder });
      expect(() => writeFileSync(filler, Buffer.alloc(2 ** 20))).toThrow('ENOSPC');
      await expect(machine.start(['true'], { name: 'main' })).rejects.toThrow('ENOSPC');
      expect((await machine.runtime().pods()).flatMap(({ containers }) => containers)).toEqual([]);
      rmSync(filler);
      id = await machine.start(['true'], { name: 'main' });
      expect(await machine.ended(id)).toMatchObject({ exitCode: 0 });
    } finally {
      await machine
        .runtime()
        .removeContainer(id)
        .catch(() => undefined);
      execFileSync('umount', ['-l', pods]);
    }
  });

  it('a container whose last words are endless tells the end of them', async () => {
    machine = await startRuntimeMachine();
    const id = await machine.shell(
      'yes | head -c 30000000 > /dev/termination-log; echo end >> /dev/termination-log',
      {
        terminationMessagePath: '/dev/termination-log',
      },
    );
    const { message = '' } = await machine.ended(id);
    expect([message.length, message.endsWith('y\nend\n')]).toEqual([4096, true]);
  });

  it('J-158: a part of a volume that was exchanged is not mounted', async () => {
    machine = await startRuntimeMachine();
    const source = join(machine.folder, 'part');
    mkdirSync(source);
    const mount = { source, target: join(machine.folder, 'seen'), isReadOnly: false };
    await expect(machine.start(['true'], { mounts: [{ ...mount, identity: '1:2' }] })).rejects.toThrow(
      'was exchanged while it was about to be mounted',
    );
  });
});
