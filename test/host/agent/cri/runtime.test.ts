/** The agent's runtime over a real containerd: one pod after the other. */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownIdOf } from '../../../../agent/rules/cri/runtime-container.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type Containerd, SHELL_IMAGE, startContainerd } from '../../../support/cri/containerd.ts';
import { type CriMachine, startCriMachine } from '../../../support/cri/cri-machine.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';

const missing = missingForContainerd();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

const PATIENCE_MS = 60_000;
const SLEEP = 'sleep 100000';

describe.skipIf(missing !== undefined)(`a runtime of the CRI${missing ? ` (${missing})` : ''}`, () => {
  let containerd: Containerd;
  let machine: CriMachine;

  beforeAll(async () => {
    containerd = await startContainerd();
    machine = await startCriMachine(containerd, { logs: { maxSize: 2_000, maxFiles: 3 }, logPeriodMs: 200 });
  }, 120_000);
  afterAll(async () => {
    machine?.close();
    await containerd?.close();
  }, 120_000);

  const running = async (script: string) => {
    const pod = machine.pod();
    await pod.sandbox();
    return { pod, id: await pod.shell(script) };
  };

  it('tells its name, its version and its conditions', async () => {
    const runtime = machine.runtime();
    expect(await runtime.facts()).toMatchObject({
      type: 'containerd',
      version: expect.stringMatching(/^\d/),
    });
    expect(await runtime.conditions?.()).toContainEqual(
      expect.objectContaining({ type: 'RuntimeReady', status: true }),
    );
  });

  it('runs a container by its entry point, and tells its exit code, its log and its last words', async () => {
    const pod = machine.pod();
    await pod.sandbox();
    const id = await pod.shell(
      'echo out; echo err >&2; echo "$GREETING"; pwd; printf bye >/dev/termination-log; exit 7',
      { environment: { GREETING: 'hello' }, workingDirectory: '/tmp' },
      { terminationMessagePath: '/dev/termination-log' },
    );
    expect(id).toMatch(/^containerd:\/\/[0-9a-f]{64}$/);
    expect(await pod.ended(id)).toMatchObject({
      name: 'main',
      state: 'exited',
      exitCode: 7,
      reason: 'Error',
      message: 'bye',
      restartCount: 0,
      image: SHELL_IMAGE,
      wantedImage: SHELL_IMAGE,
      imageId: expect.stringMatching(/^sha256:/),
    });
    const lines = pod.log().trim().split('\n');
    expect(lines.map((line) => line.replace(/^\S+ /, '')).toSorted()).toEqual(
      ['stderr F err', 'stdout F /tmp', 'stdout F hello', 'stdout F out'].toSorted(),
    );
    // Asked for again, it is the same start.
    expect(await pod.shell('exit 0')).toBe(id);
    await pod.remove();
  });

  it('takes the end of the log where the container has failed without last words', async () => {
    const pod = machine.pod();
    await pod.sandbox();
    const fallback = { terminationMessagePolicy: 'FallbackToLogsOnError' };
    const id = await pod.shell('echo first; echo why; exit 1', {}, fallback);
    expect((await pod.ended(id)).message).toBe('first\nwhy\n');
    await pod.remove();
  });

  it('gives the pod its hosts, its resolver, its environment and what it mounts', async () => {
    const folder = join(containerd.folder, 'volume');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a'), 'content');
    const pod = machine.pod({
      hostAliases: [{ ip: '192.0.2.7', hostnames: ['seven'] }],
      dnsConfig: { searches: ['example.org'] },
    });
    await pod.sandbox();
    const id = await pod.shell('cat /etc/hosts /etc/resolv.conf /data/a; echo x >/data/b || echo refused', {
      mounts: [{ source: folder, target: '/data', isReadOnly: true }],
    });
    await pod.ended(id);
    expect(pod.log()).toMatch(/192\.0\.2\.7\tseven/);
    expect(pod.log()).toMatch(/search example\.org/);
    expect(pod.log()).toMatch(/nameserver 192\.0\.2\.53/);
    expect(pod.log()).toMatch(/content/);
    expect(pod.log()).toMatch(/refused/);
    expect(existsSync(join(folder, 'b'))).toBe(false);
    await pod.remove();
  });

  it('holds user, groups, capabilities, read-only root and filters of system calls', async () => {
    const pod = machine.pod({ securityContext: { runAsUser: 1000, runAsGroup: 1000, fsGroup: 2000 } });
    await pod.sandbox();
    const id = await pod.shell(
      'id; grep -E "CapBnd|NoNewPrivs|Seccomp:" /proc/self/status; touch /new || echo read-only',
      {},
      {
        securityContext: {
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
          seccompProfile: { type: 'RuntimeDefault' },
        },
      },
    );
    await pod.ended(id);
    const said = pod.log();
    expect(said).toMatch(/uid=1000\(worker\) gid=1000\(worker\) groups=.*2000/);
    expect(said).toMatch(/CapBnd:\s+0000000000000400/);
    expect(said).toMatch(/NoNewPrivs:\s+1/);
    expect(said).toMatch(/Seccomp:\s+2/);
    expect(said).toMatch(/read-only/);
    await pod.remove();
  });

  it('starts no container as root that may not be', async () => {
    const pod = machine.pod({ securityContext: { runAsNonRoot: true } });
    await pod.sandbox();
    await expect(pod.shell('true')).rejects.toMatchObject({
      reason: 'CreateContainerConfigError',
      message: expect.stringMatching(/^container has runAsNonRoot and image will run as root/),
    });
    await pod.remove();
  });

  it('says which image is not there', async () => {
    const pod = machine.pod();
    await pod.sandbox();
    await expect(pod.shell('true', { image: 'rollcall.test/none:1' })).rejects.toThrow(
      'rollcall.test/none:1',
    );
    await pod.remove();
  });

  it('tells the end of a container that the kernel has ended for want of memory', async () => {
    const pod = machine.pod();
    await pod.sandbox({ memoryLimitBytes: 64 << 20 });
    const id = await pod.shell('tail /dev/zero', { bounds: { memoryLimitBytes: 16 << 20 } });
    expect(await pod.ended(id)).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
    await pod.remove();
  });

  it('writes weights and limits into control groups below one of the pod', async () => {
    const pod = machine.pod();
    await pod.sandbox({ cpuLimitMilli: 500, memoryLimitBytes: 64 << 20 });
    const bounds = { cpuRequestMilli: 250, cpuLimitMilli: 500, memoryLimitBytes: 32 << 20 };
    const id = await pod.shell(SLEEP, { bounds });
    const there = await machine.runtime().pod(pod.pod.metadata.uid ?? '');
    expect(there?.measure.containers).toMatchObject([
      { name: 'main', cgroup: `${there?.measure.cgroup ?? ''}/${ownIdOf(id)}` },
    ]);
    const group = there?.measure.containers[0]?.cgroup ?? '';
    const limits = globSync([
      `/sys/fs/cgroup/*${group}/memory.limit_in_bytes`,
      `/sys/fs/cgroup${group}/memory.max`,
    ]);
    expect(limits.map((file) => readFileSync(file, 'utf8').trim())).toEqual([String(32 << 20)]);
    await pod.remove();
    expect(globSync([`/sys/fs/cgroup/*${there?.measure.cgroup ?? ''}`])).toEqual([]);
  });

  it('tells what the layer of a container takes', async () => {
    const { pod } = await running('dd if=/dev/zero of=/layer bs=1M count=3; sleep 1000');
    const uid = pod.pod.metadata.uid ?? '';
    const bytes = await eventually('the layer is told', 60_000, async () => {
      const layer = (await machine.runtime().pod(uid))?.measure.containers[0]?.layer?.();
      return layer?.isKnown && layer.value.bytes >= 3 * 2 ** 20 && layer.value.bytes;
    });
    expect(bytes).toBeLessThan(4 * 2 ** 20);
    await pod.remove();
  }, 90_000);

  it('runs commands in a container, and ends those that take too long', async () => {
    const { pod, id } = await running(SLEEP);
    const runtime = machine.runtime();
    expect(await runtime.exec(id, ['/bin/sh', '-c', 'echo out; echo err >&2; exit 3'], 10_000)).toEqual({
      exitCode: 3,
      output: 'out\nerr\n',
    });
    expect((await runtime.exec(id, ['/bin/sleep', '100'], 1_000)).exitCode).toBeUndefined();
    await expect(runtime.exec(id, ['/nowhere'], 10_000)).rejects.toThrow(/nowhere/);
    await pod.remove();
  });

  it('ends a container by its signal, and at last by force', async () => {
    const pod = machine.pod();
    await pod.sandbox();
    // A signal that comes before the shell has its trap ends runc's own first process in the container.
    const trapping = async (action: string, restartCount: number): Promise<string> => {
      const script = `trap "${action}" TERM; echo ready; while :; do sleep 0.1; done`;
      const id = await pod.shell(script, { restartCount });
      await eventually('the trap is set', PATIENCE_MS, async () => pod.log(restartCount).includes('ready'));
      return id;
    };
    const id = await trapping('exit 4', 0);
    await machine.runtime().stopContainer(id, 20);
    expect(await pod.ended(id)).toMatchObject({ exitCode: 4 });
    const stubborn = await trapping('', 1);
    await machine.runtime().stopContainer(stubborn, 1);
    expect(await pod.ended(stubborn)).toMatchObject({ exitCode: 137, restartCount: 1 });
    // What is gone is ended and removed already.
    await machine.runtime().removeContainer(stubborn);
    await machine.runtime().removeContainer(stubborn);
    await machine.runtime().stopContainer(stubborn, 1);
    expect(readdirSync(join(pod.logs, 'main'))).toEqual(['0.log']);
    await pod.remove();
    expect(existsSync(pod.logs)).toBe(false);
    expect(await machine.runtime().pod(pod.pod.metadata.uid ?? '')).toBeUndefined();
  });

  it('tells of the end of a container', async () => {
    const { pod, id } = await running('sleep 1');
    const told: string[] = [];
    const stop = machine.runtime().onChange((uid) => told.push(uid));
    await pod.ended(id);
    await eventually('the pod is told of', PATIENCE_MS, async () =>
      told.includes(pod.pod.metadata.uid ?? ''),
    );
    stop();
    await pod.remove();
  });

  it('keeps logs within their bounds', async () => {
    const { pod } = await running(
      'for i in $(seq 1 100000); do echo "line $i of the log"; sleep 0.001; done',
    );
    const files = await eventually('old lines are compressed', PATIENCE_MS, async () => {
      const names = readdirSync(join(pod.logs, 'main')).toSorted();
      return names.some((name) => name.endsWith('.gz')) && names;
    });
    expect(files).toContain('0.log');
    expect(files.length).toBeLessThanOrEqual(4);
    await pod.remove();
  });

  it('makes a sandbox anew that is lost, and keeps what its containers ended with', async () => {
    const { pod, id } = await running('exit 5');
    await pod.ended(id);
    const uid = pod.pod.metadata.uid ?? '';
    const { items } = await containerd.client.runtime.listPodSandbox({
      filter: { labelSelector: { 'io.kubernetes.pod.uid': uid } },
    });
    await containerd.client.runtime.stopPodSandbox({ podSandboxId: items[0]?.id ?? '' });
    expect((await machine.runtime().pod(uid))?.sandboxCreatedAt).toBeUndefined();
    await pod.sandbox();
    const again = await pod.shell('exit 6', { restartCount: 1 });
    expect(await pod.ended(again)).toMatchObject({ exitCode: 6, restartCount: 1 });
    const there = await machine.runtime().pod(uid);
    expect(there?.containers.map(({ exitCode }) => exitCode).toSorted()).toEqual([5, 6]);
    await pod.remove();
  });

  it('takes up what runs when the agent is started again', async () => {
    const { pod, id } = await running(SLEEP);
    const again = await machine.restart();
    const pods = await again.pods();
    expect(pods.map((one) => one.pod)).toContainEqual(expect.objectContaining({ uid: pod.pod.metadata.uid }));
    expect(await pod.container(id)).toMatchObject({ state: 'running' });
    await pod.remove();
  });

  it('leaves alone what others run', async () => {
    const config = { metadata: { name: 'other', uid: 'other', namespace: 'x', attempt: 0 } };
    const linux = {
      cgroupParent: containerd.cgroup,
      securityContext: { namespaceOptions: { network: 'NODE' as const } },
    };
    const { podSandboxId } = await containerd.client.runtime.runPodSandbox({ config: { ...config, linux } });
    expect((await machine.runtime().pods()).map(({ pod }) => pod.uid)).not.toContain('other');
    await machine.runtime().removePod('other');
    const { status } = await containerd.client.runtime.podSandboxStatus({ podSandboxId });
    expect(status?.state).toBe('SANDBOX_READY');
  });

  it('survives a containerd that is killed, with what it runs', async () => {
    const { pod, id } = await running('for i in $(seq 1 1000); do echo $i; sleep 0.1; done');
    await containerd.kill();
    await expect(machine.runtime().conditions?.()).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(machine.runtime().pods()).rejects.toMatchObject({ code: 'Unavailable' });
    expect(machine.said.at(-1)).toMatch(/does not answer: the agent waits for it/);
    await containerd.start();
    await eventually('the runtime is ready', PATIENCE_MS, async () => machine.runtime().conditions?.());
    expect(machine.said.at(-1)).toMatch(/answers again/);
    expect(await pod.container(id)).toMatchObject({ state: 'running', restartCount: 0 });
    expect(await machine.runtime().exec(id, ['/bin/echo', 'here'], 10_000)).toMatchObject({
      output: 'here\n',
    });
    await machine.runtime().stopContainer(id, 0);
    expect((await pod.ended(id)).exitCode).toBe(137);
    await pod.remove();
  }, 120_000);
});
