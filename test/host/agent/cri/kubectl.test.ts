/** kubectl reaches into containers of a real containerd: logs, exec, attach, cp, port-forward, top. What they have of CPUs is read there. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { type Containerd, SHELL_IMAGE, startContainerd } from '../../../support/cri/containerd.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';
import { kubectlEnvironment } from '../../../support/shell/kubectl.ts';
import {
  forwardedPort,
  type KubectlProcess,
  kubectlSays,
  startKubectl,
} from '../../../support/shell/running-kubectl.ts';

const missing = missingForCluster() ?? missingForContainerd();
if (missing !== undefined && process.env['ROLLCALL_NO_SKIP']) throw new Error(missing);

const PATIENCE_MS = 90_000;
const LOOPBACK = { cniVersion: '0.4.0', name: 'lo', plugins: [{ type: 'loopback' }] };
/** Of the host's network, on which the pod is. */
const PORT = 20_000 + (process.pid % 10_000);

const STATIC_CPUS = [
  'cpuManagerPolicy: static',
  'cpuManagerReconcilePeriod: 1s',
  'topologyManagerPolicy: restricted',
  'reservedSystemCPUs: "0"',
];
const CPUSETS = '/sys/fs/cgroup/cpuset';
const hasSpareCpu = availableParallelism() > 1 && existsSync(join(CPUSETS, 'cpuset.cpus'));

const amounts = { cpu: '1', memory: '32Mi' };
const own = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'own' },
  spec: {
    hostNetwork: true,
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'c',
        image: SHELL_IMAGE,
        imagePullPolicy: 'Never',
        resources: { requests: amounts, limits: amounts },
      },
    ],
  },
};

const web = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: {
    hostNetwork: true,
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: 'c',
        image: SHELL_IMAGE,
        imagePullPolicy: 'Never',
        args: [
          `echo content >/tmp/index.html; httpd -p ${PORT} -h /tmp; n=0; while :; do n=$((n+1)); echo "line $n"; sleep 0.2; done`,
        ],
      },
    ],
  },
};

describe.skipIf(missing !== undefined)(`kubectl and containers${missing ? ` (${missing})` : ''}`, () => {
  let containerd: Containerd;
  let here: ClusterHere;
  let m1: AgentHere;

  beforeAll(async () => {
    containerd = await startContainerd({ networks: { '10-loopback.conflist': LOOPBACK } });
    here = await startClusterHere();
    const flags = ['--container-runtime-endpoint', containerd.endpoint];
    m1 = here.agent('m1', { flags, config: [...STATIC_CPUS, 'port: 0', 'failSwapOn: false'] });
    m1.start();
    await here.seen('m1 is there', PATIENCE_MS, () =>
      here.host.get('/api/v1/nodes/m1').catch(() => undefined),
    );
    await here.apply(web);
    await here.seen('the pod runs', PATIENCE_MS, async () =>
      (await here.host.pods()).every(({ status }) => status?.phase === 'Running'),
    );
  }, 3 * PATIENCE_MS);

  afterAll(async () => {
    // An agent would start again what ends with its runtime.
    await m1?.process().end('SIGKILL');
    await containerd?.close();
    await here?.close();
  }, PATIENCE_MS);

  const start = (...args: readonly string[]): KubectlProcess =>
    startKubectl(kubectlEnvironment(join(here.folder, 'host', 'kubeconfig'), here.folder), args);

  it(
    'show logs, and follow them',
    async () => {
      expect(await here.kubectl('logs', 'web', '--limit-bytes=7')).toBe('line 1\n');
      const following = start('logs', '-f', 'web', '--tail=1');
      await here.seen('three more lines', PATIENCE_MS, async () => following.output().split('\n').length > 3);
      await following.end();
    },
    PATIENCE_MS,
  );

  it(
    'run commands, with their exit codes and files',
    async () => {
      expect(await here.kubectl('exec', 'web', '--', '/bin/cat', '/tmp/index.html')).toBe('content\n');
      await expect(here.kubectl('exec', 'web', '--', '/bin/sh', '-c', 'exit 3')).rejects.toThrow(
        /exit code 3/,
      );
    },
    PATIENCE_MS,
  );

  it(
    'attach to a new pod, which reads what it is sent to its end',
    async () => {
      const fields = ['--image', SHELL_IMAGE, '--image-pull-policy=Never', '--restart=Never'];
      const overrides = ['--overrides', JSON.stringify({ spec: { hostNetwork: true } })];
      const words = ['run', 'once', '-i', '--rm', '--quiet', ...fields, ...overrides, '--'];
      const env = kubectlEnvironment(join(here.folder, 'host', 'kubeconfig'), here.folder);
      const said = await kubectlSays(env, [...words, 'echo "got $(cat)"; exit 7'], 'a\nb\n');
      expect(said).toMatchObject({ code: 7, stdout: 'got a\nb\n' });
    },
    PATIENCE_MS,
  );

  it(
    'forward ports',
    async () => {
      const forwarding = start('port-forward', 'pod/web', `:${PORT}`);
      const port = await here.seen('a port', PATIENCE_MS, async () => forwardedPort(forwarding));
      const [answer] = await once(get(`http://127.0.0.1:${port}/index.html`), 'response');
      expect(await answer.setEncoding('utf8').reduce((all: string, chunk: string) => all + chunk, '')).toBe(
        'content\n',
      );
      await forwarding.end();
    },
    PATIENCE_MS,
  );

  it(
    'show what containers use',
    async () => {
      const text = await here.seen('the pod is measured', PATIENCE_MS, () =>
        here.kubectl('top', 'pod', 'web', '--containers', '--no-headers').catch(() => undefined),
      );
      expect(text).toMatch(/^web +c +\d+m +\d+Mi/);
    },
    PATIENCE_MS,
  );

  /** What the control group of the pod's container says, and what the kernel says of a command in it. */
  const cpusOf = async (pod: string): Promise<readonly string[]> => {
    const told = await here.kubectl('exec', pod, '--', '/bin/cat', '/proc/self/cgroup', '/proc/self/status');
    const group = /^\d+:cpuset:(.*)$/m.exec(told)?.[1] ?? 'none';
    const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(told)?.[1] ?? 'none';
    return [readFileSync(join(CPUSETS, group, 'cpuset.cpus'), 'utf8').trim(), allowed];
  };
  const onCpus = (pod: string, cpus: string): Promise<true> =>
    here.seen(`${pod} is on ${cpus}`, PATIENCE_MS, async () =>
      (await cpusOf(pod)).every((one) => one === cpus),
    );

  it.runIf(hasSpareCpu)(
    'a guaranteed pod has a CPU for itself, which the others have back when it is gone',
    async () => {
      const last = availableParallelism() - 1;
      const rest = last === 1 ? '0' : `0,2-${last}`;
      await onCpus('web', `0-${last}`);
      await here.apply(own);
      await onCpus('own', '1');
      await onCpus('web', rest);
      await here.kubectl('delete', 'pod', 'own');
      await onCpus('web', `0-${last}`);
    },
    2 * PATIENCE_MS,
  );
});
