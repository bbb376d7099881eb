/** Another user of the machine, beside an agent and before its start: what is an agent's alone can neither be taken nor read. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';

const PATIENCE_MS = 60_000;
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: other users of a machine: ${missing}\n`);

const OTHER = { uid: 1777, gid: 1777, cwd: '/' };

/** What the other user does with a file of the agent. */
const TRIES: Readonly<Record<string, (root: string) => readonly string[]>> = {
  'reads its token': (root) => ['cat', join(root, 'token.json')],
  'lists its folder': (root) => ['ls', root],
  'takes its lock': (root) => ['flock', '--nonblock', join(root, 'lock'), 'true'],
  'makes a file of its own there': (root) => ['touch', join(root, 'squatted')],
  'reads a log': (root) => ['sh', '-c', `cat '${root}'/../logs/*/*/0.log`],
};

const canDo = (root: string, name: string): boolean => {
  const [program = '', ...args] = TRIES[name]?.(root) ?? [];
  return spawnSync(program, args, OTHER).status === 0;
};

describe.runIf(missing === undefined)('another user of the machine', { timeout: 3 * PATIENCE_MS }, () => {
  let here: ClusterHere;
  let agent: AgentHere;
  const squatters = ['rollcall-agent', 'rollcall-agent-m1', 'agent.sock'].map((name) => ({
    name,
    server: createServer(),
  }));

  beforeAll(async () => {
    // Abstract sockets belong to whoever is first.
    for (const { name, server } of squatters) server.listen(`\0${name}`);
    here = await startClusterHere();
    chmodSync(here.folder, 0o755);
    agent = here.agent('m1');
    chmodSync(join(agent.root, '..'), 0o755);
    agent.start();
    await here.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: {
        nodeName: 'm1',
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: 'c', image: 'host', command: ['/bin/sh', '-c', 'echo secret; exec sleep 1000'] },
        ],
      },
    });
    await here.seen('the pod runs', PATIENCE_MS, async () => {
      const { status } = await here.host.get<Pod>('/api/v1/namespaces/default/pods/web');
      return status?.phase === 'Running';
    });
  }, 2 * PATIENCE_MS);

  afterAll(async () => {
    for (const { server } of squatters) server.close();
    await here.close();
  });

  it('does all of it with a folder that is open to all', () => {
    const weak = join(here.folder, 'weak', 'root');
    const logs = join(here.folder, 'weak', 'logs', 'pod', 'c');
    for (const path of [weak, logs]) mkdirSync(path, { recursive: true });
    for (const path of [join(weak, 'token.json'), join(weak, 'lock'), join(logs, '0.log')]) {
      writeFileSync(path, '');
      chmodSync(path, 0o666);
    }
    chmodSync(weak, 0o777);
    for (const name of Object.keys(TRIES)) expect([name, canDo(weak, name)]).toEqual([name, true]);
  });

  it.each(Object.keys(TRIES))('%s: not with that of an agent', (name) => {
    expect(canDo(agent.root, name)).toBe(false);
  });

  it('keeps no agent from starting by names that it takes first', async () => {
    await agent.process().end('SIGKILL');
    agent.start();
    await here.seen('it is there again', PATIENCE_MS, async () =>
      agent.process().output().includes('has joined'),
    );
  });
});
