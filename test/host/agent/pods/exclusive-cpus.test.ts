/** A real agent with the static CPU policy: a guaranteed pod has a CPU for itself, as long as it runs. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podsGroupOf } from '../../../../cli/agent/agent-pods.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import {
  type AgentProcess,
  joinWords,
  killPods,
  removeGroupsAndMounts,
  startAgent,
  withoutToken,
} from '../../../support/agent/machines/agent-process.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../../support/servers/host-process.ts';

const PODS = '/api/v1/namespaces/default/pods';
const TREE = '/sys/fs/cgroup/cpuset';
const isPossible =
  process.getuid?.() === 0 && availableParallelism() > 1 && existsSync(join(TREE, 'cpuset.cpus'));

const removeTree = (folder: string): void => {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(folder, entry.name));
  rmdirSync(folder);
};

/** What a process may run on, as the kernel says it. */
const allowed = (pid: number): string | undefined =>
  /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

const amounts = (cpu: string) => ({ cpu, memory: '32Mi' });
interface Explained {
  readonly question: string;
  readonly verdict: string;
  readonly because: readonly { readonly message: string }[];
}

const podOf = (name: string, resources: object) => ({
  metadata: { name },
  spec: {
    nodeName: 'm1',
    terminationGracePeriodSeconds: 1,
    containers: [
      { name: 'c', image: 'host', command: ['/bin/sh', '-c', 'while :; do sleep 1; done'], resources },
    ],
  },
});
const GUARANTEED = { requests: amounts('1'), limits: amounts('1') };

describe.skipIf(!isPossible)('the static CPU policy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-cpus-'));
  const root = join(folder, 'root');
  const group = join(TREE, podsGroupOf(root));
  const config = join(folder, 'kubelet.yaml');
  const others = Array.from({ length: availableParallelism() }, (_, cpu) => cpu);
  let host: HostProcess;
  let words: readonly string[];
  let agent: AgentProcess;

  const start = (): AgentProcess =>
    startAgent([...words, '--root-dir', root, '--config', config, '--hostname-override', 'm1']);
  const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, 25_000, look, { seen: () => agent.output() });
  const podNamed = async (name: string): Promise<Pod | undefined> =>
    (await host.pods()).find(({ metadata }) => metadata.name === name);
  const running = (name: string): Promise<Pod> =>
    seen(`${name} runs`, async () => {
      const pod = await podNamed(name);
      return pod?.status?.phase === 'Running' && pod;
    });
  /** The processes of a pod's container, by the control group that the agent made for it. */
  const processesOf = ({ metadata }: Pod): readonly number[] => {
    const pod = join(group, readdirSync(group).find((name) => name.includes(metadata.uid ?? '?')) ?? '?');
    return readdirSync(pod, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.endsWith('.keeper'))
      .flatMap(({ name }) => readFileSync(join(pod, name, 'cgroup.procs'), 'utf8').split('\n'))
      .filter(Boolean)
      .map(Number);
  };
  const onCpus = (pod: Pod, cpus: string): Promise<true> =>
    seen(`${pod.metadata.name} is on ${cpus}`, async () => {
      const pids = processesOf(pod);
      return pids.length > 0 && pids.every((pid) => existsSync(`/proc/${pid}`) && allowed(pid) === cpus);
    });

  beforeAll(async () => {
    writeFileSync(
      config,
      [
        `podLogsDir: ${join(folder, 'logs')}`,
        'cpuManagerPolicy: static',
        'cpuManagerReconcilePeriod: 1s',
        'reservedSystemCPUs: "0"',
        'topologyManagerPolicy: restricted',
        'failSwapOn: false',
      ].join('\n'),
    );
    host = await startHostProcess(join(folder, 'host'));
    words = await joinWords(join(folder, 'host'));
    agent = start();
  });

  afterAll(async () => {
    await agent.end('SIGKILL');
    await host.stop();
    await killPods(root);
    await removeGroupsAndMounts(root);
    removeTree(group);
    rmSync(folder, { recursive: true, force: true });
  });

  const all = others.length === 1 ? '0' : `0-${others.length - 1}`;
  const rest = others.length === 2 ? '0' : `0,2-${others.length - 1}`;

  it('lets a burstable pod run on all CPUs as long as nobody has one for itself', async () => {
    await host.send('POST', PODS, podOf('shared', { requests: { memory: '16Mi' } }));
    await onCpus(await running('shared'), all);
  });

  it('gives a guaranteed pod a CPU, moves the others off it, and takes the bound of its time away', async () => {
    await host.send('POST', PODS, podOf('own', GUARANTEED));
    const own = await running('own');
    await onCpus(own, '1');
    await onCpus(await running('shared'), rest);
  });

  it('says why a second one that finds no CPU does not run', async () => {
    const many = amounts(String(others.length));
    await host.send('POST', PODS, podOf('late', { requests: many, limits: many }));
    const late = await seen('late is refused', async () => {
      const pod = await podNamed('late');
      return pod?.status?.phase === 'Failed' && pod;
    });
    expect(late.status).toMatchObject({
      reason: 'TopologyAffinityError',
      message: 'Pod was rejected: Resources cannot be allocated with Topology locality',
    });
    expect(agent.output()).toContain('best hint');
    const { answers } = await host.get<{ readonly answers: readonly Explained[] }>(`${PODS}/late/explain`);
    const why = answers.find(({ question }) => question === 'topology');
    expect(why?.verdict).toBe('RefusedByTopology');
    expect(why?.because.map(({ message }) => message).join('\n')).toMatch(
      /^container \w+, by topology policy/,
    );
  });

  it('keeps it when the agent is killed and started again', async () => {
    await agent.end('SIGKILL');
    words = withoutToken(words);
    agent = start();
    await seen('it has joined', async () => agent.output().includes('has joined'));
    await onCpus(await running('own'), '1');
    await onCpus(await running('shared'), rest);
    const kept = JSON.parse(readFileSync(join(root, 'cpu_manager_state'), 'utf8')) as Record<string, unknown>;
    expect(kept).toMatchObject({ policyName: 'static', defaultCpuSet: rest });
  });

  it('gives it back when the pod is gone', async () => {
    await host.send('DELETE', `${PODS}/own`);
    await onCpus(await running('shared'), all);
  });

  it('says what to do when the policy is another one than the file was written for', async () => {
    await agent.end('SIGTERM');
    writeFileSync(config, `podLogsDir: ${join(folder, 'logs')}\nfailSwapOn: false\n`);
    agent = start();
    expect(await agent.ended).toBe(2);
    expect(agent.output()).toContain(
      `could not restore state from checkpoint: configured policy "none" differs from state checkpoint policy "static", please drain this node and delete the CPU manager checkpoint file "${join(root, 'cpu_manager_state')}"`,
    );
  });
});
