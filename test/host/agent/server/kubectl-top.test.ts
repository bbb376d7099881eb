/** `kubectl top` by a real host, which asks a real agent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AgentProcess,
  joinWords,
  killPods,
  removeGroupsAndMounts,
  startAgent,
} from '../../../support/agent/machines/agent-process.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../../support/servers/host-process.ts';
import { hasKubectl, kubectlEnvironment, runKubectl } from '../../../support/shell/kubectl.ts';

const isRoot = process.getuid?.() === 0;
const PODS = '/api/v1/namespaces/default/pods';
const podOf = (name: string, script: string) => ({
  metadata: { name, labels: { app: name } },
  spec: {
    nodeName: 'm1',
    terminationGracePeriodSeconds: 1,
    containers: ['main', 'beside'].map((container) => ({
      name: container,
      image: 'host',
      command: ['/bin/sh', '-c', container === 'main' ? script : 'exec sleep 3600'],
    })),
  },
});

describe.skipIf(!(hasKubectl && isRoot))('kubectl top', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-top-'));
  const root = join(folder, 'root');
  let host: HostProcess;
  let agent: AgentProcess;
  let env: NodeJS.ProcessEnv;

  const top = async (...args: readonly string[]): Promise<readonly (readonly string[])[]> => {
    const text = await runKubectl(env, ['top', ...args, '--no-headers']);
    return text
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
  };
  const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, 60_000, look, { seen: () => agent.output() });

  beforeAll(async () => {
    mkdirSync(root);
    const config = join(folder, 'kubelet.yaml');
    writeFileSync(config, `podLogsDir: ${join(folder, 'logs')}\nfailSwapOn: false\nport: 0\n`);
    host = await startHostProcess(join(folder, 'host'));
    env = kubectlEnvironment(join(folder, 'host', 'kubeconfig'), folder);
    const words = await joinWords(join(folder, 'host'));
    agent = startAgent([...words, '--root-dir', root, '--config', config, '--hostname-override', 'm1']);
    await seen('it has joined', async () => agent.output().includes('has joined'));
    await host.send('POST', PODS, podOf('busy', 'while :; do :; done'));
    await host.send('POST', PODS, podOf('quiet', 'exec sleep 3600'));
    await seen('both run', async () => {
      const pods = await host.pods();
      return pods.length === 2 && pods.every(({ status }) => status?.phase === 'Running');
    });
  });

  afterAll(async () => {
    await agent.end('SIGKILL');
    await killPods(root);
    await removeGroupsAndMounts(root);
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows the node, with its share of what it has', async () => {
    const [node] = await seen('the node', () => top('node').catch(() => undefined));
    expect(node).toEqual([
      'm1',
      expect.stringMatching(/^[1-9]\d*m$/),
      expect.stringMatching(/%$/),
      expect.stringMatching(/^[1-9]\d*Mi$/),
      expect.stringMatching(/%$/),
    ]);
    expect((await top('node', 'm1'))[0]?.[0]).toBe('m1');
  });

  it('shows the busy pod first, and its containers', async () => {
    const pods = await seen('two pods', async () => {
      const shown = await top('pod', '-A', '--sort-by=cpu');
      return shown.length === 2 && shown;
    });
    expect(pods.map(([, name]) => name)).toEqual(['busy', 'quiet']);
    expect(Number.parseInt(pods[0]?.[2] ?? '', 10)).toBeGreaterThan(Number.parseInt(pods[1]?.[2] ?? '', 10));
    const containers = await top('pod', '--containers', '-l', 'app=quiet');
    expect(containers.map(([pod, container]) => [pod, container])).toEqual([
      ['quiet', 'beside'],
      ['quiet', 'main'],
    ]);
  });

  it('says what kubectl says of a pod that is not there', async () => {
    await expect(top('pod', 'none')).rejects.toThrow('pods "none" not found');
  });
});
