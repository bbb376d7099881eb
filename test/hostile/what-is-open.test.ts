/** Files and descriptors of an agent, its helpers and its containers: who else can open them. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';
import { bundleProcesses } from '../support/agent/oci/bundle-processes.ts';

const PATIENCE_MS = 30_000;
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: what is open on a machine: ${missing}\n`);

/** No bit is masked, and two descriptors are left open by who starts the agent. */
const CARELESS = [
  '/bin/bash',
  '-c',
  'umask 0; exec "$@" 9</etc/hostname 17</etc/hostname 30</etc/passwd',
  'sh',
];

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  spec: {
    nodeName: 'm1',
    terminationGracePeriodSeconds: 1,
    containers: ['c', 'd'].map((name) => ({
      name,
      image: 'host',
      command: ['/bin/sh', '-c', 'echo here; exec sleep 1000'],
      stdin: name === 'd',
      volumeMounts: [{ name: 'e', mountPath: '/mnt' }],
    })),
    volumes: [{ name: 'e', emptyDir: {} }],
  },
};

/** Folders of pods' volumes and of bundles: what is in them is the pods', of any mode. */
const OF_PODS = /^\.\/(pods\/[^/]+|runtime\/pods\/[^/]+\/[^/]+\/a-[^/]+)$/;

/** The path from `root` on, its kind and its mode, of all but what is in folders of pods. */
const listed = (root: string, path = '.'): readonly string[] => {
  const stat = lstatSync(join(root, path));
  const mode = (stat.mode & 0o7777).toString(8);
  if (!stat.isDirectory()) return [`${path} ${mode}`];
  const below = OF_PODS.test(path)
    ? []
    : readdirSync(join(root, path)).flatMap((name) => listed(root, `${path}/${name}`));
  return [`${path}/ ${mode}`, ...below];
};

describe.runIf(missing === undefined)('on a machine with an agent', { timeout: 90_000 }, () => {
  let here: ClusterHere;
  let agent: AgentHere;

  const descriptorsOf = (pid: number): readonly string[] =>
    readdirSync(`/proc/${pid}/fd`)
      .filter((name) => Number(name) > 2)
      .map((name) => `${name} ${readlinkSync(`/proc/${pid}/fd/${name}`)}`);

  beforeAll(async () => {
    here = await startClusterHere();
    agent = here.agent('m1', {
      command: [...CARELESS, process.execPath, resolve('cli/rollcall.js')],
    });
    agent.start();
    await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
    await here.apply(POD);
    await here.seen('the pod runs', PATIENCE_MS, async () => {
      const { status } = await here.host.get<Pod>('/api/v1/namespaces/default/pods/web');
      return status?.phase === 'Running';
    });
  }, 90_000);

  afterAll(() => here.close());

  it('no other user can open a file of the agent, or a log', () => {
    const all = listed(agent.root);
    expect(all.filter((line) => line.includes('/a-'))).toHaveLength(2);
    // Volumes are behind a closed folder, and many are made by programs of the pods.
    expect(all.filter((line) => !/(\/ 700| 600)$|^\.\/pods\//.test(line))).toEqual([]);
    expect(all).toContain('./ 700');
    const logs = listed(join(agent.root, '..', 'logs'));
    expect(logs.filter((line) => line.endsWith('/ 750'))).toHaveLength(4);
    expect(logs.filter((line) => line.endsWith('.log 600'))).toHaveLength(2);
    expect(logs.filter((line) => !/(\/ 750| 600)$/.test(line))).toEqual([]);
  });

  it('the agent has nothing that who started it had left open', () => {
    const inherited = descriptorsOf(agent.process().pid).filter((line) => / \/etc\//.test(line));
    expect(inherited).toEqual([]);
  });

  it('programs of containers have inherited the standard streams alone, and their keepers nothing of the agent', () => {
    const all = bundleProcesses(agent.root);
    const [keepers, programs] = [true, false].map((is) => all.filter(({ isKeeper }) => isKeeper === is));
    expect(keepers?.length).toBe(2);
    expect(programs?.length).toBeGreaterThanOrEqual(2);
    expect(programs?.flatMap(({ pid }) => descriptorsOf(pid))).toEqual([]);
    const ofKeepers = keepers?.flatMap(({ pid }) => descriptorsOf(pid));
    const own =
      /^\d+ (pipe|socket|anon_inode):|\/(ctl|winsz|attach|0\.log)$|^\d+ \/(dev\/null|sys\/fs\/cgroup\/)|\/a-[^/]+$/;
    expect(ofKeepers?.filter((line) => !own.test(line))).toEqual([]);
  });

  it.each([[[]], [['-i']]])(
    'commands in containers have the standard streams alone: kubectl exec %j',
    async (flags) => {
      const script = 'for fd in /proc/$$/fd/*; do readlink "$fd" && basename "$fd"; done; true';
      const said = await here.kubectl('exec', ...flags, 'web', '-c', 'c', '--', '/bin/sh', '-c', script);
      const numbers = said.split('\n').filter((line) => /^\d+$/.test(line));
      expect(numbers.toSorted()).toEqual(['0', '1', '2']);
    },
  );
});
