/** Static pods of a real agent: at its first start, and while there is no API. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killPods } from '../../../support/agent/machines/agent-process.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';

const missing = missingForCluster();

/** Seconds that no other process sleeps. */
const seconds = { first: `9${process.pid}`, second: `8${process.pid}` };

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/** Whether the pod's program runs, whatever anybody says about it. */
const sleeps = (name: keyof typeof seconds): boolean =>
  readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && commandOf(pid) === `sleep\0${seconds[name]}\0`);

const manifest = (name: keyof typeof seconds) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [{ name: 'c', image: 'host', command: ['sleep', seconds[name]] }],
  },
});

describe.skipIf(missing)(`static pods${missing ? ` (${missing})` : ''}`, () => {
  let cluster: ClusterHere;
  let agent: AgentHere;
  let folder: string;

  const put = (name: keyof typeof seconds): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(manifest(name)));

  beforeAll(async () => {
    cluster = await startClusterHere();
    folder = join(cluster.folder, 'static');
    mkdirSync(folder);
    agent = cluster.agent('s1', { config: [`staticPodPath: ${folder}`, 'fileCheckFrequency: 1s'] });
  }, 60_000);
  afterAll(async () => await cluster.close(), 60_000);

  it('run whose manifests lie there when the agent starts for the first time', async () => {
    put('first');
    agent.start();
    const phase = '{.status.phase} {.status.reason}';
    const said = await cluster.seen('the API says how it is', 60_000, async () => {
      const output = await cluster
        .kubectl('get', 'pod', 'first-s1', '-o', `jsonpath=${phase}`)
        .catch(() => '');
      const text = output.trim();
      return text !== '' && !text.startsWith('Pending') && text;
    });
    expect(said).toBe('Running');
    expect(sleeps('first')).toBe(true);
  }, 90_000);

  it('run again, and new ones too, without an API, after all of the machine has ended', async () => {
    await agent.process().end('SIGKILL');
    await killPods(agent.root);
    await cluster.host.kill();
    expect(sleeps('first')).toBe(false);
    put('second');
    agent.start();
    await cluster.seen('both run', 60_000, async () => sleeps('first') && sleeps('second'));
  }, 90_000);
});
