/** An agent that is not root: what it leaves out, it says. */
import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { type AgentProcess, joinWords, startAgent } from '../../../support/agent/machines/agent-process.ts';
import { eventually } from '../../../support/clocks/eventually.ts';
import { type HostProcess, startHostProcess } from '../../../support/servers/host-process.ts';

/** `nobody` of every Linux. */
const USER = { uid: 65_534, gid: 65_534 };
const folder = mkdtempSync(join(tmpdir(), 'rollcall-not-root-'));
const home = join(folder, 'home');
const asUser = { ...USER, env: { PATH: process.env['PATH'], HOME: home } };
const root = join(home, '.local/state/rollcall-agent');

/** The folder of the checkout may be closed to others. */
const canTry = (): boolean =>
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [resolve('cli/rollcall.js'), '--version'], { ...asUser, cwd: '/' }).status ===
    0;

describe.runIf(canTry())('an agent that is not root', () => {
  let host: HostProcess;
  let agent: AgentProcess;
  const seen = <T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> =>
    eventually(what, 25_000, look, { seen: () => agent.output() });
  const readyMessage = async (): Promise<string | undefined> => {
    const node = await host.get<Node>('/api/v1/nodes/m1');
    return node.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True')
      ?.message;
  };
  const podIs = async (name: string): Promise<AgentPod | undefined> =>
    ((await host.pods()) as readonly AgentPod[]).find(({ metadata }) => metadata.name === name);
  const make = (name: string, spec: object = {}, container: object = {}): Promise<unknown> =>
    host.send('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name },
      spec: {
        nodeName: 'm1',
        ...spec,
        containers: [{ name: 'c', image: 'host', command: ['sh', '-c', 'id -u; sleep 1000'], ...container }],
      },
    });

  beforeAll(async () => {
    mkdirSync(home);
    chownSync(folder, USER.uid, USER.gid);
    chownSync(home, USER.uid, USER.gid);
    host = await startHostProcess(join(folder, 'host'));
    const words = await joinWords(join(folder, 'host'));
    chownSync(words.at(-1) ?? '', USER.uid, USER.gid);
    agent = startAgent([...words, '--hostname-override', 'm1'], asUser);
  });

  afterAll(async () => {
    await agent.end('SIGKILL');
    await host.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('joins, and says what is missing', async () => {
    const message = await seen('the node is ready', readyMessage);
    expect(message).toMatch(/WARNING: the agent is not root: control groups neither bound nor measure/);
    expect(existsSync(join(root, 'token.json'))).toBe(true);
  });

  it('runs a pod, whose root is the user of the agent, and ends it', async () => {
    await make('plain', { terminationGracePeriodSeconds: 1 });
    const { metadata } = await seen('the pod runs', async () => {
      const pod = await podIs('plain');
      return pod?.status?.phase === 'Running' && pod;
    });
    const log = join(root, 'logs', `default_plain_${metadata.uid}`, 'c/0.log');
    expect(spawnSync('cat', [log], { encoding: 'utf8' }).stdout).toMatch(/ stdout F 0\n$/);
    await host.send('DELETE', '/api/v1/namespaces/default/pods/plain');
    await seen('the pod is gone', async () => (await podIs('plain')) === undefined);
  });
});
