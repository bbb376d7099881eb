/** Pods on this machine: the workers, their volumes, probes and hooks over the OCI runtime. The API is in memory. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOciRuntime } from '../../../../agent/adapters/oci-runtime/oci-runtime.ts';
import { createHooks } from '../../../../agent/adapters/probes/hooks.ts';
import { createProber } from '../../../../agent/adapters/probes/prober.ts';
import { createPods, type Pods } from '../../../../agent/pods/create-pods.ts';
import type { Clock } from '../../../../agent/ports/machine/clock.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import { NOT_KNOWN } from '../../../../agent/rules/known.ts';
import type { DataObject } from '../../../../agent/rules/volumes/payload.ts';
import { createPodVolumes } from '../../../../agent/volumes/create-pod-volumes.ts';
import { createMounter } from '../../../../agent/volumes/mounts.ts';
import {
  missingForGroups,
  type RuntimeMachine,
  startRuntimeMachine,
  writtenIn,
} from '../../../support/agent/machines/runtime-machine.ts';
import { QUIET_NODE } from '../../../support/agent/pods/admission-facts.ts';
import { createFakePodApi, type FakePodApi } from '../../../support/agent/pods/fake-pod-api.ts';
import { podOf } from '../../../support/agent/pods/pod-world.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { kill } from '../../../support/shell/kill.ts';

const PATIENCE_MS = 60_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForGroups();
if (missing !== undefined) process.stdout.write(`skipped: pods on a machine: ${missing}\n`);

const clock: Clock = {
  now: Date.now,
  uptime: () => performance.now(),
  sleep: async (ms, early) => {
    const options = { ref: false, ...(early && { signal: early }) };
    await sleep(Math.max(0, ms), undefined, options).catch(() => undefined);
  },
};

let machine: RuntimeMachine;
let api: FakePodApi;
let maps: Map<string, DataObject>;
let events: string[];
let logs: string[];
let agent: { readonly pods: Pods; stop(): void } | undefined;

/** An agent as after a start of its program: it knows only what the machine has. */
const startAgent = async (): Promise<void> => {
  const runtime = await createOciRuntime(machine.options);
  const objects = {
    configMap: (_namespace: string, name: string) => maps.get(name),
    secret: () => undefined,
    claim: () => undefined,
    volume: () => undefined,
    runtimeClass: () => undefined,
  };
  const asked = { runtime, clock, version: '1.34', podIp: () => '127.0.0.1' };
  const pods = createPods({
    clock,
    runtime,
    objects,
    api,
    random: () => 0,
    mirrorOf: () => undefined,
    log: (text, error) => void logs.push(`${text}: ${String(error)}`),
    events: { record: (_pod, { reason, message }) => void events.push(`${reason}: ${message}`) },
    volumes: createPodVolumes({
      clock,
      objects,
      root: join(machine.folder, 'volumes'),
      mounter: createMounter(),
      trash: machine.options.trash,
      tokens: { request: async () => await Promise.reject(new Error('no API')) },
      allocatable: () => ({}),
      hostIPs: () => ['127.0.0.1'],
      node: () => NOT_KNOWN,
    }),
    prober: createProber(asked),
    hooks: createHooks(asked),
    admission: () => QUIET_NODE,
    endingOf: () => undefined,
    node: {
      hostIPs: () => ['127.0.0.1'],
      allocatable: () => ({ cpu: '4', memory: '8Gi' }),
      memoryCapacity: () => 8 * 2 ** 30,
      services: {},
      logFolder: join(machine.folder, 'pod-logs'),
    },
  });
  const stop = new AbortController();
  agent = {
    pods,
    stop: () => {
      stop.abort();
      runtime.close();
    },
  };
  pods.setWanted('static', []);
  pods.setWanted('api', api.all());
  void pods.run(stop.signal);
};

const statusOf = (name: string): AgentPod['status'] => api.pod(name)?.status;

const until = async (what: string, look: () => boolean): Promise<void> => {
  await eventually(what, PATIENCE_MS, async () => look(), {
    everyMs: 20,
    seen: () => ({ pods: api.all().map(({ status }) => status), events, logs }),
  });
};

const isReady = (name: string): boolean =>
  statusOf(name)?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

const stateOf = (name: string) => statusOf(name)?.containerStatuses?.[0];

beforeEach(async () => {
  machine = await startRuntimeMachine();
  // It has a sandbox of its own, which no agent wants here.
  await machine.runtime().removePod(machine.pod.uid);
  machine.runtime().close();
  [maps, events, logs, api] = [new Map(), [], [], createFakePodApi(clock)];
  api.onChange = () => agent?.pods.setWanted('api', api.all());
});

afterEach(async () => {
  agent?.stop();
  agent = undefined;
  await machine.close();
});

const SCRIPT =
  'trap "echo bye; exit 0" TERM; echo "$GREETING $(cat /config/text)"; while :; do sleep 0.05; done';

const WEB = podOf('web', {
  volumes: [
    { name: 'config', configMap: { name: 'm' } },
    { name: 'work', emptyDir: {} },
  ],
  initContainers: [
    {
      name: 'first',
      image: 'host',
      command: ['/bin/sh', '-c', 'echo made > "$OUT"'],
      env: [{ name: 'OUT', value: '/work/made' }],
      volumeMounts: [{ name: 'work', mountPath: '/work' }],
    },
  ],
  containers: [
    {
      name: 'main',
      image: 'host',
      command: ['/bin/sh', '-c', SCRIPT],
      env: [{ name: 'GREETING', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
      volumeMounts: [
        { name: 'work', mountPath: '/work' },
        { name: 'config', mountPath: '/config' },
      ],
      readinessProbe: { exec: { command: ['/bin/cat', '/work/made'] }, periodSeconds: 1 },
      lifecycle: { postStart: { exec: { command: ['/bin/true'] } } },
    },
  ],
});

/** What the container has written. */
const logOf = (restartCount: number): string =>
  writtenIn(
    readFileSync(
      join(machine.folder, 'pod-logs', 'default_web_uid-web', 'main', `${restartCount}.log`),
      'utf8',
    ),
  );

const startWeb = async (): Promise<void> => {
  maps.set('m', { data: { text: 'hello' } });
  api.create(WEB);
  await startAgent();
  await until('the pod is ready', () => isReady('web'));
};

/** The agent ends as if it were killed, and another one takes its place. */
const replaceAgent = async (): Promise<void> => {
  agent?.stop();
  agent = undefined;
  await startAgent();
};

describe.runIf(missing === undefined || isComplete)('pods on a machine', { timeout: 180_000 }, () => {
  it('run with their volumes, their environment, probes and hooks', async () => {
    await startWeb();
    expect(logOf(0)).toBe('web hello\n');
    expect(statusOf('web')?.initContainerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0 });
    expect(events.filter((text) => !/^(Created|Started): /.test(text))).toEqual([]);
    maps.set('m', { data: { text: 'changed' } });
    agent?.pods.setWanted('api', api.all());
    const file = join(machine.folder, 'volumes/pods/uid-web/volumes/kubernetes.io~configmap/config/text');
    await until('the file has changed', () => readFileSync(file, 'utf8') === 'changed');
    expect(stateOf('web')?.restartCount).toBe(0);
    expect(logs).toEqual([]);
  });

  it('go on under another agent, and are restarted when they are killed', async () => {
    await startWeb();
    const id = stateOf('web')?.containerID ?? '';
    await replaceAgent();
    await until('the new agent knows the pod', () => agent?.pods.find('default', 'web') !== undefined);
    expect(stateOf('web')?.containerID).toBe(id);
    for (const pid of machine.processes(id)) kill(pid);
    await until('it runs again', () => stateOf('web')?.restartCount === 1 && isReady('web'));
    expect(stateOf('web')?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
    expect(logOf(1)).toBe('web hello\n');
  });

  it('end in time when they are deleted, also under an agent that begins meanwhile, and leave nothing', async () => {
    await startWeb();
    api.markDeleted('web');
    await replaceAgent();
    await until('the pod is gone', () => api.pod('web') === undefined);
    expect(api.phases('web')).toEqual(['Pending', 'Running', 'Succeeded']);
    expect(readdirSync(join(machine.folder, 'volumes/pods'))).toEqual([]);
    expect(await machine.runtime().pods()).toEqual([]);
  });

  it('have folders in memory, which are unmounted with them', async () => {
    const pod = podOf('web', {
      restartPolicy: 'Never',
      volumes: [
        { name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
        {
          name: 'fields',
          downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] },
        },
      ],
      containers: [
        {
          name: 'main',
          image: 'host',
          volumeMounts: [
            { name: 'fast', mountPath: '/fast' },
            { name: 'fields', mountPath: '/fields' },
          ],
          command: ['/bin/sh', '-c', 'stat -f -c "%T %n" /fast /fields; cat /fields/name'],
        },
      ],
    });
    api.create(pod);
    await startAgent();
    await until('the pod has ended', () => statusOf('web')?.phase === 'Succeeded');
    expect(logOf(0)).toBe('tmpfs /fast\ntmpfs /fields\nweb');
    await until('its volume is gone', () => readdirSync(join(machine.folder, 'volumes/pods')).length === 0);
    expect(await createMounter().below(machine.folder)).toEqual([]);
    expect(events.filter((text) => text.startsWith('FailedMount'))).toEqual([]);
  });

  it('fail with the code of their container, and say why one cannot start', async () => {
    const container = { name: 'c', image: 'host', command: ['/bin/sh', '-c', 'exit 3'] };
    api.create(podOf('bad', { restartPolicy: 'Never', containers: [container] }));
    api.create(podOf('wrong', { containers: [{ ...container, image: 'nginx' }] }));
    await startAgent();
    await until('the pod has failed', () => statusOf('bad')?.phase === 'Failed');
    expect(stateOf('bad')?.state?.terminated).toMatchObject({ exitCode: 3, reason: 'Error' });
    await until('the other waits', () => stateOf('wrong')?.state?.waiting?.reason !== 'ContainerCreating');
    expect(stateOf('wrong')?.state?.waiting).toEqual({
      reason: 'InvalidImageName',
      message: expect.stringContaining(
        'the image "nginx" is neither "host" nor the absolute path of a folder',
      ),
    });
  });
});
