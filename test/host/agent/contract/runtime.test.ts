/** What the agent may rely on of every runtime: the same questions to each of them. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCgroups, readCgroup } from '../../../../agent/adapters/linux/groups/cgroups.ts';
import type { ContainerSpec } from '../../../../agent/ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../../../agent/rules/containers/runtime-status.ts';
import { cgroupMountsIn } from '../../../../agent/rules/stats/cgroup-layout.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { kill } from '../../../support/shell/kill.ts';
import { type ContractMachine, containerSpec, type Kind, type Lack, sandboxSpec } from './machine.ts';
import { KINDS } from './runtimes.ts';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const PATIENCE_MS = 60_000;

let last = 0;
/** A program that nobody else runs, for long. */
const sleeper = (): string => {
  last += 1;
  return `sleep 9${process.pid}${last}`;
};
const pidsOf = (program: string): readonly number[] =>
  spawnSync('pgrep', ['-f', `^${program}$`])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .map(Number);
const isRunning = (program: string): boolean => pidsOf(program).length > 0;
const gone = (program: string) =>
  eventually(`${program} is gone`, PATIENCE_MS, async () => !isRunning(program));

/** A pod of a machine, which is removed when the test has ended. */
const podOn = async (machine: ContractMachine) => {
  const uid = randomUUID();
  await machine.runtime().createSandbox(sandboxSpec(machine, uid));
  const container = async (id: string): Promise<RuntimeContainer | undefined> =>
    (await machine.runtime().pod(uid))?.containers.find((one) => one.id === id);
  return {
    uid,
    container,
    start: (script: string, more: Partial<ContainerSpec> = {}) =>
      machine.runtime().startContainer(containerSpec(machine, uid, script, more)),
    ended: (id: string) =>
      eventually(`${id} has ended`, PATIENCE_MS, async () => {
        const found = await container(id);
        return found?.state === 'exited' && found;
      }),
    log: async (id: string): Promise<string> => {
      const log = await machine.runtime().log(id);
      return log === undefined ? '' : readFileSync(log.path, 'utf8');
    },
    says: (id: string, text: string) =>
      eventually(`${id} says ${text}`, PATIENCE_MS, async () => {
        const log = await machine.runtime().log(id);
        return log !== undefined && existsSync(log.path) && readFileSync(log.path, 'utf8').includes(text);
      }),
    /** As an agent: what a runtime refuses under load is tried again. */
    remove: async (): Promise<void> => {
      let fault: unknown;
      const tried = async (): Promise<boolean> => {
        fault = await machine
          .runtime()
          .removePod(uid)
          .catch((error: unknown) => error ?? 'unknown');
        return fault === undefined;
      };
      await eventually('the pod is removed', PATIENCE_MS, tried, { seen: () => String(fault) });
    },
  };
};

/** Paths of all control groups; `undefined`: one of them went away meanwhile. */
const groupsIn = (mountInfo: string): readonly string[] | undefined => {
  try {
    return cgroupMountsIn(mountInfo).flatMap(({ mountPoint }) =>
      readdirSync(mountPoint, { recursive: true }).map((path) => join(mountPoint, String(path))),
    );
  } catch {
    return undefined;
  }
};

const suite = ({ missing, lacks, start }: Kind): void => {
  const has = (what: Lack): boolean => !lacks.includes(what);
  let machine: ContractMachine;
  beforeAll(async () => {
    machine = await start();
  });
  afterAll(() => machine?.close());
  const withPod = async (work: (pod: Awaited<ReturnType<typeof podOn>>) => Promise<void>): Promise<void> => {
    const pod = await podOn(machine);
    try {
      await work(pod);
    } finally {
      await pod.remove();
    }
  };

  it('tells of a container that runs, of its pod and of its log', () =>
    withPod(async (pod) => {
      const before = Date.now();
      const id = await pod.start('echo out; echo err >&2; sleep 100000');
      const { type } = await machine.runtime().facts();
      expect(id).toMatch(`${type}://`);
      const one = await pod.container(id);
      expect(one).toMatchObject({ id, name: 'main', state: 'running', restartCount: 0 });
      expect(one).toMatchObject({ image: machine.image, wantedImage: machine.image });
      expect(one?.createdAt).toBeGreaterThanOrEqual(before - 1);
      expect(one?.startedAt).toBeGreaterThanOrEqual((one?.createdAt ?? 0) - 1);
      expect(one).not.toHaveProperty('exitCode');
      expect(one).not.toHaveProperty('finishedAt');
      const found = await machine.runtime().pod(pod.uid);
      expect(found).toMatchObject({ pod: { uid: pod.uid, name: 'web', namespace: 'default' } });
      expect(found?.sandboxCreatedAt).toBeLessThanOrEqual(one?.createdAt ?? 0);
      const listed = (await machine.runtime().pods()).find((other) => other.pod.uid === pod.uid);
      expect(listed?.containers).toEqual([one]);
      await pod.says(id, 'stderr F err');
      await pod.says(id, 'stdout F out');
    }));

  it.each([
    ['exit 0', 0, 'Completed'],
    ['exit 7', 7, 'Error'],
    ['kill -9 $$; sleep 9', 137, 'Error'],
    ['kill -15 $$; sleep 9', 143, 'Error'],
  ])('tells how a container has ended: %s', (script, exitCode, reason) =>
    withPod(async (pod) => {
      // The first process of a namespace gets no signal of its own that it does not handle.
      const id = await pod.start(`sh -c '${script}'; exit $?`);
      const one = await pod.ended(id);
      expect(one).toMatchObject({ exitCode, reason, state: 'exited' });
      expect(one.finishedAt).toBeGreaterThanOrEqual((one.startedAt ?? 0) - 1);
    }),
  );

  it('tells the agent of an end', () =>
    withPod(async (pod) => {
      const told: string[] = [];
      const stop = machine.runtime().onChange((uid) => told.push(uid));
      await pod.start('sleep 0.3; exit 0');
      await eventually('it is told', PATIENCE_MS, async () => told.includes(pod.uid));
      stop();
    }));

  it('tells the last words of a container that has failed', () =>
    withPod(async (pod) => {
      const id = await pod.start('echo why; exit 3', {
        terminationMessagePath: '/dev/termination-log',
        terminationMessageFallsBackToLogs: true,
      });
      expect((await pod.ended(id)).message).toBe('why\n');
    }));

  it.runIf(has('OOMKilled'))('tells that a container had too little memory', () =>
    withPod(async (pod) => {
      const id = await pod.start('x=0123456789; while :; do x=$x$x; done', {
        bounds: { memoryLimitBytes: 32 * 2 ** 20 },
      });
      expect(await pod.ended(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    }),
  );

  it('starts a container once for each restart count', () =>
    withPod(async (pod) => {
      const id = await pod.start('exit 1');
      await pod.ended(id);
      expect(await pod.start('exit 1')).toBe(id);
      const next = await pod.start('exit 2', { restartCount: 1 });
      expect(await pod.ended(next)).toMatchObject({ exitCode: 2, restartCount: 1 });
      expect(await pod.container(id)).toMatchObject({ exitCode: 1, restartCount: 0 });
    }));

  it('runs commands in it, and ends those that take too long with all that they have started', () =>
    withPod(async (pod) => {
      const id = await pod.start('sleep 100000', { environment: { GREETING: 'hello' } });
      const exec = (script: string, ms = PATIENCE_MS) => machine.runtime().exec(id, ['sh', '-c', script], ms);
      expect(await exec('echo "$GREETING"; echo err >&2; exit 4')).toEqual({
        exitCode: 4,
        output: 'hello\nerr\n',
      });
      const [own, left] = [sleeper(), sleeper()];
      const late = await exec(`setsid ${left} & exec ${own}`, 2_000);
      expect(late.exitCode).toBeUndefined();
      await gone(own);
      if (has('whole commands')) await gone(left);
      expect(await pod.container(id)).toMatchObject({ state: 'running' });
    }));

  it('runs no command where nothing runs', () =>
    withPod(async (pod) => {
      const id = await pod.start('exit 0');
      await pod.ended(id);
      await expect(machine.runtime().exec(id, ['true'], PATIENCE_MS)).rejects.toThrow();
    }));

  it('ends a container by its signal, and after the grace period with all that it has started', () =>
    withPod(async (pod) => {
      const gentle = await pod.start('trap "exit 3" TERM; echo up; while :; do sleep 0.1; done');
      await pod.says(gentle, 'up');
      await machine.runtime().stopContainer(gentle, 60);
      expect(await pod.container(gentle)).toMatchObject({ state: 'exited', exitCode: 3 });
      const left = sleeper();
      const script = `trap "" TERM; setsid ${left} & echo up; while :; do sleep 0.1; done`;
      const stubborn = await pod.start(script, { restartCount: 1 });
      await pod.says(stubborn, 'up');
      await machine.runtime().stopContainer(stubborn, 1);
      expect(await pod.container(stubborn)).toMatchObject({ state: 'exited', exitCode: 137 });
      await gone(left);
      await machine.runtime().stopContainer(stubborn, 1);
    }));

  it('tells where a container that runs keeps what it uses', () =>
    withPod(async (pod) => {
      const id = await pod.start('echo up; sleep 100000');
      await pod.says(id, 'up');
      const ended = await pod.start('exit 0', { name: 'other' });
      await pod.ended(ended);
      const measured = async () => (await machine.runtime().pod(pod.uid))?.measure;
      const [one, ...more] = (await measured())?.containers ?? [];
      expect(more).toEqual([]);
      expect(one).toMatchObject({ name: 'main', startedAt: (await pod.container(id))?.startedAt });
      const { path } = (await machine.runtime().log(id)) ?? { path: '' };
      expect(one?.logs).toBe(dirname(path));
      const hasLayer = async (): Promise<boolean> => {
        const [seen] = (await measured())?.containers ?? [];
        return seen?.rootfs !== undefined ? existsSync(seen.rootfs) : seen?.layer?.()?.isKnown === true;
      };
      if (has('writable layer')) await eventually('the layer is known', PATIENCE_MS, hasLayer);
      else expect(await hasLayer()).toBe(false);
      const groups = [one?.cgroup ?? '', (await measured())?.cgroup ?? ''];
      for (const group of groups)
        expect((readCgroup(findCgroups(), group).memory?.usageBytes ?? 0) > 0).toBe(has('usage'));
    }));

  it('tells the next agent the same', () =>
    withPod(async (pod) => {
      const program = sleeper();
      const running = await pod.start(`echo up; exec ${program}`);
      const ended = await pod.start('exit 5', { name: 'ended' });
      await pod.ended(ended);
      await pod.says(running, 'up');
      const before = (await machine.runtime().pod(pod.uid))?.containers ?? [];
      await machine.restart();
      const after = (await machine.runtime().pod(pod.uid))?.containers ?? [];
      const byId = (all: readonly RuntimeContainer[], id: string) => all.find((one) => one.id === id);
      expect(byId(after, ended)).toEqual(byId(before, ended));
      if (has('life without the agent')) {
        expect(byId(after, running)).toEqual(byId(before, running));
        expect(await pod.start('echo another')).toBe(running);
      } else {
        expect(byId(after, running)).toMatchObject({ state: 'exited', exitCode: 255 });
        await gone(program);
      }
    }));

  it.runIf(has('life without the agent'))('tells the next agent how a container has ended meanwhile', () =>
    withPod(async (pod) => {
      const program = sleeper();
      const id = await pod.start(`${program}; exit 6`);
      await eventually('it sleeps', PATIENCE_MS, async () => isRunning(program));
      await machine.restart(async () => {
        for (const pid of pidsOf(program)) kill(pid);
        await gone(program);
      });
      expect(await pod.ended(id)).toMatchObject({ exitCode: 6, reason: 'Error' });
    }),
  );

  it.runIf(has('silence'))('never calls ended what the machine does not tell of', () =>
    withPod(async (pod) => {
      const id = await pod.start('sleep 100000');
      const { heal } = (await machine.silence?.()) ?? expect.fail('it cannot be silent');
      try {
        const found = await pod.container(id).catch(() => undefined);
        expect(found?.state ?? 'unknown').not.toBe('exited');
      } finally {
        await heal();
      }
      await eventually('it runs', PATIENCE_MS, async () => (await pod.container(id))?.state === 'running');
    }),
  );

  it('knows nothing of what is not there, and ends it without a fault', () =>
    withPod(async (pod) => {
      const id = await pod.start('exit 0');
      await pod.ended(id);
      await machine.runtime().removeContainer(id);
      expect(await pod.container(id)).toBeUndefined();
      expect(await machine.runtime().log(id)).toBeUndefined();
      await machine.runtime().removeContainer(id);
      await machine.runtime().stopContainer(id, 1);
      await expect(machine.runtime().exec(id, ['true'], PATIENCE_MS)).rejects.toThrow();
      expect(await machine.runtime().pod(randomUUID())).toBeUndefined();
    }));

  it.each([
    ['with its container', false],
    ['after its container', true],
  ])('leaves nothing of a pod that is removed %s', async (_what, isEmpty) => {
    const pod = await podOn(machine);
    const [own, left] = [sleeper(), sleeper()];
    const id = await pod.start(`echo up; setsid ${left} & ${own}`);
    await pod.says(id, 'up');
    if (isEmpty) await machine.runtime().removeContainer(id);
    await pod.remove();
    for (const program of [own, left]) await gone(program);
    expect(await machine.runtime().pod(pod.uid)).toBeUndefined();
    expect((await machine.runtime().pods()).map((one) => one.pod.uid)).not.toContain(pod.uid);
    const here = (): readonly string[] =>
      readdirSync(machine.folder, { recursive: true })
        .map(String)
        .filter((path) => path.includes(pod.uid));
    await eventually('its files are gone', PATIENCE_MS, async () => here().length === 0, { seen: here });
    const mountInfo = readFileSync('/proc/self/mountinfo', 'utf8');
    expect(mountInfo).not.toContain(pod.uid);
    // Other groups of the machine may go while they are read.
    const groups = await eventually('the groups are read', PATIENCE_MS, async () => groupsIn(mountInfo));
    expect(groups.filter((path) => path.includes(pod.uid))).toEqual([]);
    await pod.remove();
  });

  it.runIf(missing !== undefined)('can be tried', () => {
    expect(missing).toBeUndefined();
  });
};

for (const kind of KINDS) {
  const { name, missing } = kind;
  if (missing !== undefined)
    process.stdout.write(`skipped: the contract of the runtime ${name}: ${missing}\n`);
  describe.runIf(missing === undefined || isComplete)(`the runtime ${name}`, { timeout: 300_000 }, () =>
    suite(kind),
  );
}
