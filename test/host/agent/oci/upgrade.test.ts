/** A machine whose containers were processes of version 0.1 of the agent, as it left them, and are bundles from the next start on. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createControlGroups } from '../../../../agent/adapters/linux/groups/control-groups.ts';
import { readBootId } from '../../../../agent/adapters/linux/processes.ts';
import { podsGroupOf } from '../../../../cli/agent/agent-pods.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { podProcesses } from '../../../support/agent/machines/pod-processes.ts';
import { missingForBundles } from '../../../support/agent/oci/bundle-machine.ts';

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: the upgrade to an OCI runtime: ${missing}\n`);
const PATIENCE_MS = 60_000;

const podOf = (name: string, restartPolicy: string, script: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'm1',
    restartPolicy,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'c', image: 'host', command: ['/bin/sh', '-c', script] }],
  },
});

/** A shell that waits for the program, and the program. They have nothing of an OCI runtime. */
const run = (members: readonly string[]): void => {
  const enters = members.map((file) => `echo $$ > '${file}'`).join('; ');
  const child = spawn('/bin/sh', ['-c', `${enters}; exec sleep 1000`], { detached: true, stdio: 'ignore' });
  child.unref();
};

/** What version 0.1 keeps of a container, and runs unless it has ended. */
const leaveContainer = ({ root }: AgentHere, uid: string, name: string, exit?: string): void => {
  const group = podsGroupOf(root);
  const groups = createControlGroups(group);
  const pod = { namespace: 'default', name, uid };
  const logFolder = join(root, '..', 'logs', `default_${name}_${uid}`);
  const folder = join(root, 'runtime', 'pods', uid);
  mkdirSync(join(folder, 'c_0'), { recursive: true });
  mkdirSync(join(logFolder, 'c'), { recursive: true });
  const logFile = join(logFolder, 'c', '0.log');
  writeFileSync(logFile, 'as the program wrote it\n');
  const spec = { pod, hostname: name, bounds: {}, logFolder };
  writeFileSync(join(folder, 'pod.json'), JSON.stringify({ spec, createdAt: 1, bootId: readBootId() }));
  const command = ['sleep', '1000'];
  const ofContainer = { pod, name: 'c', restartCount: 0, image: 'host', command };
  const container = { ...ofContainer, environment: {}, mounts: [], bounds: {}, oomScoreAdjust: 0 };
  const record = { spec: container, createdAt: 2, logFile, hasNamespaces: true };
  writeFileSync(join(folder, 'c_0', 'spec.json'), JSON.stringify(record));
  writeFileSync(join(folder, 'c_0', 'claim'), `1 2 ${readBootId()}\n`);
  if (exit !== undefined) writeFileSync(join(folder, 'c_0', 'exit'), exit);
  for (const one of exit === undefined ? ['shim', 'c_0'] : []) {
    groups.make(`${group}/pod${uid}/${one}`, {}, 'processes');
    run(groups.memberFiles(`${group}/pod${uid}/${one}`));
  }
};

describe.runIf(missing === undefined || isComplete)(
  'an agent that has an OCI runtime from now on',
  { timeout: 300_000 },
  () => {
    let cluster: ClusterHere;
    let agent: AgentHere;
    const read = async (pod: string) => JSON.parse(await cluster.kubectl('get', 'pod', pod, '-o', 'json'));
    const status = async (pod: string) => (await read(pod)).status;
    const seen = (pod: string, is: (found: Awaited<ReturnType<typeof status>>) => boolean) =>
      cluster.seen(`${pod} is as it should be`, PATIENCE_MS, async () => {
        const found = await status(pod);
        return is(found) && found;
      });
    const formerProcesses = () =>
      podProcesses(agent.root).filter(({ container }) => container.endsWith('_0'));

    beforeAll(async () => {
      cluster = await startClusterHere();
      agent = cluster.agent('m1');
      await cluster.apply(
        podOf('always', 'Always', 'echo here; exec sleep 1000'),
        podOf('never', 'Never', 'exec sleep 1000'),
        podOf('done', 'Never', 'exit 7'),
      );
      for (const name of ['always', 'never']) leaveContainer(agent, (await read(name)).metadata.uid, name);
      leaveContainer(agent, (await read('done')).metadata.uid, 'done', '7 0\n');
      await cluster.seen('the programs run', PATIENCE_MS, async () => formerProcesses().length === 2);
      agent.start();
    }, 300_000);
    afterAll(() => cluster?.close());

    it('ends what ran as processes, and lets the restart policy decide', async () => {
      const lost = { exitCode: 255, reason: 'Unknown' };
      const always = await seen(
        'always',
        ({ containerStatuses: [one] = [] }) => one?.restartCount === 1 && one.ready,
      );
      expect(always.containerStatuses[0].lastState.terminated).toMatchObject(lost);
      const never = await seen('never', ({ phase }) => phase === 'Failed');
      expect(never.containerStatuses[0].state.terminated).toMatchObject(lost);
      const done = await seen('done', ({ phase }) => phase === 'Failed');
      expect(done.containerStatuses[0].state.terminated).toMatchObject({ exitCode: 7 });
      expect(formerProcesses()).toEqual([]);
    });

    it('gives pods of before users of their own, and shows no log that has another format', async () => {
      expect(Number(await cluster.kubectl('exec', 'always', '--', 'id', '-u'))).toBeGreaterThanOrEqual(2e9);
      expect(await cluster.kubectl('logs', 'always')).toBe('here\n');
      await expect(cluster.kubectl('logs', 'always', '--previous')).rejects.toThrow(
        'unable to retrieve container logs',
      );
    });

    it('is not followed by one without, which would run the containers a second time', async () => {
      await agent.process().end('SIGKILL');
      agent = cluster.agent('m1', { flags: ['--unisolated'] });
      agent.start();
      expect(await agent.process().ended).toBe(2);
      expect(agent.process().output()).toContain('drain the node before its agent is given --unisolated');
      agent = cluster.agent('m1');
      agent.start();
      await cluster.kubectl('delete', 'pod', 'always', 'never', 'done', '--timeout=60s');
    });
  },
);
