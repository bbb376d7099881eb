/** A machine whose containers were processes of the agent, and are bundles from the next start on. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    restartPolicy,
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'c', image: 'host', command: ['/bin/sh', '-c', script] }],
  },
});

describe.runIf(missing === undefined || isComplete)(
  'an agent that has an OCI runtime from now on',
  { timeout: 300_000 },
  () => {
    let cluster: ClusterHere;
    let agent: AgentHere;
    const status = async (pod: string) =>
      JSON.parse(await cluster.kubectl('get', 'pod', pod, '-o', 'json')).status;
    const seen = (pod: string, is: (found: Awaited<ReturnType<typeof status>>) => boolean) =>
      cluster.seen(`${pod} is as it should be`, PATIENCE_MS, async () => {
        const found = await status(pod);
        return is(found) && found;
      });
    const replaceAgent = (flags: readonly string[]): void => {
      agent = cluster.agent('m1', { flags });
      agent.start();
    };

    beforeAll(async () => {
      cluster = await startClusterHere();
      replaceAgent([]);
      await cluster.apply(
        podOf('always', 'Always', 'echo here; exec sleep 1000'),
        podOf('never', 'Never', 'exec sleep 1000'),
        podOf('done', 'Never', 'exit 7'),
      );
      await seen('always', ({ phase }) => phase === 'Running');
      await seen('never', ({ phase }) => phase === 'Running');
      await seen('done', ({ phase }) => phase === 'Failed');
      await agent.process().end('SIGKILL');
      replaceAgent(['--isolation', 'oci']);
    }, 300_000);
    afterAll(() => cluster?.close());

    it('ends what ran as processes, and lets the restart policy decide', async () => {
      const lost = { exitCode: 255, reason: 'Unknown' };
      const always = await seen('always', ({ containerStatuses: [one] }) => one.restartCount === 1);
      expect(always.containerStatuses[0].lastState.terminated).toMatchObject(lost);
      const never = await seen('never', ({ phase }) => phase === 'Failed');
      expect(never.containerStatuses[0].state.terminated).toMatchObject(lost);
      expect((await status('done')).containerStatuses[0].state.terminated).toMatchObject({ exitCode: 7 });
      expect(podProcesses(`${agent.root}/runtime`)).toEqual([]);
    });

    it('gives pods of before users of their own, and shows what they wrote', async () => {
      await seen('always', ({ containerStatuses: [one] }) => one.ready);
      expect(Number(await cluster.kubectl('exec', 'always', '--', 'id', '-u'))).toBeGreaterThanOrEqual(2e9);
      expect(await cluster.kubectl('logs', 'always', '--previous')).toBe('here\n');
    });

    it('is not followed by one without, which would run the containers a second time', async () => {
      await agent.process().end('SIGKILL');
      replaceAgent([]);
      expect(await agent.process().ended).toBe(2);
      expect(agent.process().output()).toContain('drain the node with --isolation oci');
      replaceAgent(['--isolation', 'oci']);
      await cluster.kubectl('delete', 'pod', 'always', 'never', 'done', '--timeout=60s');
      await agent.process().end('SIGTERM');
      replaceAgent([]);
      await cluster.seen('it runs', PATIENCE_MS, async () => agent.process().output().includes('has joined'));
    });
  },
);
