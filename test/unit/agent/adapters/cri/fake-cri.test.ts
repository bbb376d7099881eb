/** The runtime of the CRI against a server that hangs, fails, or answers as CRI-O does. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CriClient, createCriClient } from '../../../../../agent/adapters/cri/client.ts';
import { execIn } from '../../../../../agent/adapters/cri/cri-runtime.ts';
import type { CriRuntimeOptions, Parts } from '../../../../../agent/adapters/cri/parts.ts';
import { readRuntimePod, readRuntimePods } from '../../../../../agent/adapters/cri/pods.ts';
import { rotateLogs } from '../../../../../agent/adapters/cri/rotate-logs.ts';
import { createSandbox } from '../../../../../agent/adapters/cri/sandboxes.ts';
import { createWatch } from '../../../../../agent/adapters/cri/watch.ts';
import type { AgentPod } from '../../../../../agent/rules/containers/agent-pod.ts';
import { eventually } from '../../../../support/clocks/eventually.ts';
import { type FakeCri, never, Refusal, startFakeCri } from '../../../../support/cri/fake-cri.ts';

const PATIENCE_MS = 30_000;
const NOT_FOUND = 5;
const UNKNOWN = 2;

const LABELS = {
  'io.kubernetes.pod.name': 'web',
  'io.kubernetes.pod.namespace': 'shop',
  'io.kubernetes.pod.uid': 'u1',
  'rollcall.dev/agent': 'pods',
};
const CONTAINER = { ...LABELS, 'io.kubernetes.container.name': 'c' };

let fake: FakeCri;
let client: CriClient;
let folder: string;

beforeEach(async () => {
  fake = await startFakeCri();
  client = await createCriClient({ endpoint: fake.endpoint, timeoutMs: 5_000 });
  folder = mkdtempSync(join(tmpdir(), 'rollcall-cri-unit-'));
});
afterEach(() => {
  client.close();
  fake.close();
  rmSync(folder, { recursive: true, force: true });
});

const partsOf = (more: Partial<CriRuntimeOptions> = {}): Parts => ({
  options: {
    root: folder,
    podsCgroup: '/pods',
    client,
    endpoint: fake.endpoint,
    logRoot: folder,
    trash: { discard: async () => {}, holds: () => false, close: () => {} },
    now: () => 1_000_000,
    uptime: () => performance.now(),
    logs: { maxSize: 1, maxFiles: 2 },
    logPeriodMs: 60_000,
    relistPeriodMs: 20,
    callMs: 5_000,
    cgroupDriver: 'cgroupfs',
    log: () => undefined,
    dns: () => ({ resolvConf: '', clusterDns: [], clusterDomain: '' }),
    seccomp: { profiles: '/profiles', isDefault: false },
    abilities: { isVersion2: true, boundsSwap: false, killsSingleProcess: true },
    ...more,
  },
  client,
  groups: {
    parentOf: (uid) => `/pods/${uid}`,
    groupOf: (uid) => `/pods/${uid}`,
    missing: () => [],
    containerOf: (uid, id) => `/pods/${uid}/${id}`,
    make: () => undefined,
    remove: () => undefined,
    removeAll: () => undefined,
  },
  name: async () => 'cri-o',
  ended: new Map(),
  layers: new Map(),
});

const oneSandbox = (state: 'SANDBOX_READY' | 'SANDBOX_NOTREADY', ip = '10.0.0.5'): void => {
  const sandbox = {
    id: 's1',
    metadata: { name: 'web', uid: 'u1', attempt: 3 },
    state,
    createdAt: 5e6,
    labels: LABELS,
  };
  fake.answers.listPodSandbox = () => ({ items: [sandbox] });
  fake.answers.listContainers = () => ({ containers: [] });
  fake.answers.podSandboxStatus = () => ({
    status: { ...sandbox, network: { ip, additionalIps: [{ ip: 'fd00::5' }] } },
  });
};

describe('a client', () => {
  it('gives up a call that is not answered', async () => {
    fake.answers.version = never;
    await expect(client.runtime.version({}, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'DeadlineExceeded',
    });
  });

  it('ends a call that is not wanted any more', async () => {
    fake.answers.pullImage = never;
    const stop = new AbortController();
    const pull = client.images.pullImage({ image: { image: 'a' } }, { signal: stop.signal });
    await eventually('the call has arrived', PATIENCE_MS, async () => fake.calls.includes('pullImage'));
    stop.abort();
    await expect(pull).rejects.toMatchObject({ code: 'Canceled' });
    await expect(client.runtime.version({}, { signal: stop.signal })).rejects.toMatchObject({
      code: 'Canceled',
    });
  });

  it('repeats the words of the runtime, as a kubelet prints them', async () => {
    fake.answers.startContainer = () => {
      throw new Refusal(UNKNOWN, 'no such program');
    };
    await expect(client.runtime.startContainer({ containerId: 'c' })).rejects.toThrow(
      'rpc error: code = Unknown desc = no such program',
    );
  });

  it('reads an answer of nearly 16 MB, and refuses a larger one', async () => {
    const image = { id: 'x'.repeat(1_000_000) };
    const many = (count: number) => () => ({ images: Array.from({ length: count }, () => image) });
    fake.answers.listImages = many(16);
    expect((await client.images.listImages({}, { timeoutMs: PATIENCE_MS })).images).toHaveLength(16);
    fake.answers.listImages = many(17);
    await expect(client.images.listImages({}, { timeoutMs: PATIENCE_MS })).rejects.toMatchObject({
      code: 'ResourceExhausted',
    });
    fake.answers.listImages = many(1);
    expect((await client.images.listImages({})).images).toHaveLength(1);
  });
});

describe('the logs of containers', () => {
  const logOf = (id: string): string => join(folder, `${id}.log`);
  const statusOf = (id: string) => ({
    status: { id, state: 'CONTAINER_RUNNING' as const, logPath: logOf(id) },
  });

  beforeEach(() => {
    const containers = ['a', 'b'].map((id) => ({
      id,
      state: 'CONTAINER_RUNNING' as const,
      labels: CONTAINER,
    }));
    fake.answers.listContainers = () => ({ containers });
    fake.answers.containerStatus = ({ containerId }) => statusOf(containerId);
    for (const id of ['a', 'b']) writeFileSync(logOf(id), 'a line');
  });

  it('are rotated behind one that cannot be reopened', async () => {
    fake.answers.reopenContainerLog = ({ containerId }) => {
      if (containerId === 'a') throw new Refusal(UNKNOWN, 'its streams are gone');
      writeFileSync(logOf(containerId), '');
      return {};
    };
    const said: string[] = [];
    await rotateLogs(partsOf({ log: (text, error) => said.push(`${text}: ${String(error)}`) }), new Map());
    expect(readdirSync(folder)).toEqual(['a.log', 'b.log', 'b.log.19700101-001640']);
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^the log of container a: .*its streams are gone/);
  });

  it.each([
    [NOT_FOUND, 0],
    [UNKNOWN, 1],
  ])('are rotated behind one whose status cannot be had (%i)', async (code, reports) => {
    fake.answers.containerStatus = ({ containerId }) => {
      if (containerId === 'a') throw new Refusal(code, 'no status');
      return statusOf(containerId);
    };
    fake.answers.reopenContainerLog = () => ({});
    const said: string[] = [];
    await rotateLogs(partsOf({ log: (text) => said.push(text) }), new Map());
    expect(readdirSync(folder)).toEqual(['a.log', 'b.log.19700101-001640']);
    expect(said).toHaveLength(reports);
  });
});

describe('a pod of a runtime', () => {
  it('has its addresses', async () => {
    oneSandbox('SANDBOX_READY');
    expect(await readRuntimePod(partsOf(), 'u1')).toMatchObject({
      pod: { namespace: 'shop', name: 'web', uid: 'u1' },
      ips: ['10.0.0.5', 'fd00::5'],
      sandboxCreatedAt: 5,
      containers: [],
    });
  });

  it.each([
    ['its sandbox has ended', 'SANDBOX_NOTREADY', '10.0.0.5'],
    ['its sandbox has no address', 'SANDBOX_READY', ''],
  ] as const)('has lost its sandbox if %s', async (_, state, ip) => {
    oneSandbox(state, ip);
    fake.answers.podSandboxStatus = () => ({ status: { id: 's1', state, network: { ip } } });
    expect((await readRuntimePod(partsOf(), 'u1'))?.sandboxCreatedAt).toBeUndefined();
  });

  it('does without a container that goes while it is looked at', async () => {
    oneSandbox('SANDBOX_READY');
    const one = (id: string) => ({ id, labels: CONTAINER, state: 'CONTAINER_RUNNING' as const });
    fake.answers.listContainers = () => ({ containers: [one('gone'), one('there')] });
    fake.answers.containerStatus = ({ containerId }) => {
      if (containerId === 'gone') throw new Refusal(NOT_FOUND, 'no such container');
      return { status: { ...one('there'), imageRef: 'sha256:1' } };
    };
    const [pod] = await readRuntimePods(partsOf());
    expect(pod?.containers.map(({ id }) => id)).toEqual(['cri-o://there']);
    expect(pod?.measure.containers).toMatchObject([
      { name: 'c', cgroup: '/pods/u1/there', logs: join(folder, 'shop_web_u1/c') },
    ]);
  });

  it('asks again for the reason of an end by force, and never again for one that is long ago', async () => {
    oneSandbox('SANDBOX_READY');
    const base = { id: 'c1', labels: CONTAINER, state: 'CONTAINER_EXITED' as const, exitCode: 137 };
    fake.answers.listContainers = () => ({ containers: [base] });
    const reasons = ['Error', 'OOMKilled'];
    fake.answers.containerStatus = () => ({
      status: { ...base, finishedAt: 1_000_000e6, reason: reasons.shift() ?? '' },
    });
    const [soon] = await readRuntimePods(partsOf());
    expect(soon?.containers[0]?.reason).toBe('OOMKilled');
    fake.answers.containerStatus = () => ({ status: { ...base, finishedAt: 1e6, reason: 'Error' } });
    const parts = partsOf();
    await readRuntimePods(parts);
    fake.calls.length = 0;
    await readRuntimePods(parts);
    expect(fake.calls).not.toContain('containerStatus');
  });

  it('gets a sandbox anew with the next attempt, after the old one has ended', async () => {
    oneSandbox('SANDBOX_NOTREADY');
    const attempts: (number | undefined)[] = [];
    fake.answers.stopPodSandbox = () => ({});
    fake.answers.removePodSandbox = () => ({});
    fake.answers.runPodSandbox = ({ config, runtimeHandler }) => {
      attempts.push(config?.metadata?.attempt);
      return { podSandboxId: `s2-${runtimeHandler}` };
    };
    const source = { metadata: { name: 'web', uid: 'u1' }, spec: { containers: [] } } as unknown as AgentPod;
    const pod = { namespace: 'shop', name: 'web', uid: 'u1' };
    const spec = { pod, hostname: 'web', bounds: {}, logFolder: join(folder, 'logs'), source };
    await createSandbox(partsOf(), { ...spec, runtimeHandler: 'kata' });
    expect(attempts).toEqual([4]);
    expect(fake.calls).toEqual(
      expect.arrayContaining(['stopPodSandbox', 'removePodSandbox', 'runPodSandbox']),
    );
    await expect(createSandbox(partsOf(), { ...spec, pod: { ...pod, uid: '../x' } })).rejects.toThrow('../x');
  });
});

describe('a command in a container', () => {
  const run = (timeoutMs = 1_000) => execIn(partsOf(), 'cri-o://c', ['ls'], timeoutMs);

  it.each([
    ['containerd', 'failed to exec in container: timeout 1s exceeded: context deadline exceeded'],
    ['CRI-O', 'command timed out: context deadline exceeded'],
  ])('that takes too long has no exit code: %s', async (_, words) => {
    fake.answers.execSync = () => {
      throw new Refusal(UNKNOWN, words);
    };
    expect(await run()).toEqual({ output: '' });
  });

  it('is cut where it says too much, and told of where it cannot run', async () => {
    fake.answers.execSync = ({ timeout }) => ({ stdout: Buffer.alloc(100_000, 'x'), exitCode: timeout });
    const { output, exitCode } = await run(1_500);
    expect([output.length, exitCode]).toEqual([16_384, 2]);
    fake.answers.execSync = () => {
      throw new Refusal(UNKNOWN, 'no such program');
    };
    await expect(run()).rejects.toThrow('no such program');
  });
});

describe('a watch', () => {
  const told = async (uids: readonly string[], uid: string): Promise<unknown> =>
    await eventually(`${uid} is told of`, PATIENCE_MS, async () => uids.includes(uid), { everyMs: 10 });

  it('sees changes in the list where the runtime has no events, also after it was away', async () => {
    oneSandbox('SANDBOX_READY');
    const watch = createWatch(partsOf());
    const uids: string[] = [];
    watch.onChange((uid) => uids.push(uid));
    await eventually(
      'a list',
      PATIENCE_MS,
      async () => fake.calls.filter((call) => call === 'listContainers').length > 1,
    );
    expect(uids).toEqual([]);
    fake.answers.listContainers = () => {
      throw new Refusal(UNKNOWN, 'not now');
    };
    oneSandbox('SANDBOX_NOTREADY');
    await told(uids, 'u1');
    watch.close();
    expect(fake.calls.filter((call) => call === 'events')).toHaveLength(1);
  });

  it('hears events', async () => {
    fake.hasEvents = true;
    fake.answers.listPodSandbox = () => ({ items: [] });
    fake.answers.listContainers = () => ({ containers: [] });
    const watch = createWatch(partsOf({ relistPeriodMs: 60_000 }));
    const uids: string[] = [];
    watch.onChange((uid) => uids.push(uid));
    await eventually('somebody follows', PATIENCE_MS, async () => fake.calls.includes('events'));
    fake.event({ containerId: 'c', podSandboxStatus: { labels: { 'io.kubernetes.pod.uid': 'u7' } } });
    await told(uids, 'u7');
    watch.close();
  });
});
