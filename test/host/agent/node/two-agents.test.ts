/** Agents of one machine do not get into each other's way. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import {
  groupsOf,
  joinWords,
  startAgent,
  withoutToken,
} from '../../../support/agent/machines/agent-process.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { podProcesses } from '../../../support/agent/machines/pod-processes.ts';
import { makeSharedFolder, withSharedFolder } from '../../../support/agent/pods/shared-folder.ts';

const PATIENCE_MS = 30_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: two agents on one machine: ${missing}\n`);

describe.runIf(missing === undefined || isComplete)('two agents on one machine', { timeout: 90_000 }, () => {
  let here: ClusterHere;
  let first: AgentHere;
  let second: AgentHere;
  let marks: string;

  const podOn = (nodeName: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `on-${nodeName}` },
    spec: withSharedFolder(
      {
        nodeName,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'c',
            image: 'host',
            command: ['/bin/sh', '-c', `echo here >> ${marks}/${nodeName}; exec sleep 1000`],
          },
        ],
      },
      marks,
    ),
  });
  const runs = (nodeName: string) =>
    here.seen(`the pod of ${nodeName} runs`, PATIENCE_MS, async () => {
      const { status } = await here.host.get<Pod>(`/api/v1/namespaces/default/pods/on-${nodeName}`);
      return status?.phase === 'Running';
    });
  const beatOf = async (nodeName: string): Promise<unknown> => {
    const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${nodeName}`;
    return (await here.host.get<{ readonly spec: { readonly renewTime: string } }>(path)).spec.renewTime;
  };
  const stillBeats = async (nodeName: string): Promise<void> => {
    const before = await beatOf(nodeName);
    await here.seen(`${nodeName} beats`, PATIENCE_MS, async () => (await beatOf(nodeName)) !== before);
  };
  const processesOf = ({ root }: AgentHere) => podProcesses(root);

  beforeAll(async () => {
    expect(missing).toBeUndefined();
    here = await startClusterHere();
    marks = makeSharedFolder(join(here.folder, 'marks'));
    first = here.agent('first');
    second = here.agent('second');
    for (const agent of [first, second]) agent.start();
    await here.seen('both have joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 2);
  }, 60_000);

  afterAll(() => here.close());

  it('run pods of their own', async () => {
    await here.apply(podOn('first'), podOn('second'));
    await runs('first');
    await runs('second');
    expect(readdirSync(marks).toSorted()).toEqual(['first', 'second']);
    for (const agent of [first, second]) expect(processesOf(agent)).not.toEqual([]);
  });

  it('need folders of their own, whatever links lead there', async () => {
    symlinkSync(first.root, join(here.folder, 'link'));
    const words = await joinWords(join(here.folder, 'host'));
    const another = startAgent([...words, '--root-dir', join(here.folder, 'link')]);
    expect(await another.ended).toBe(2);
    expect(another.output()).toContain(
      `another agent (process ${first.process().pid}) runs on ${first.root}`,
    );
    expect(another.output()).toMatch(/runs on .*: stop it, or give another --root-dir/);
  });

  it('need names of their own: a name that is taken is refused, and its machine goes on', async () => {
    const words = await joinWords(join(here.folder, 'host'));
    const options = ['--root-dir', join(here.folder, 'other'), '--hostname-override', 'first'];
    const another = startAgent([...words, ...options]);
    expect(await another.ended).toBe(3);
    expect(another.output()).toMatch(/node "first" has a token until .*rollcall token --release first/);
    expect(groupsOf(join(here.folder, 'other'))).toEqual([]);
    await stillBeats('first');
  });

  it('takes up its pods when its folder has another name in its command line', async () => {
    await first.process().end('SIGKILL');
    const words = await joinWords(join(here.folder, 'host'));
    const without = withoutToken(words);
    const options = ['--root-dir', join(here.folder, 'link'), '--hostname-override', 'first'];
    const again = startAgent([...without, ...options]);
    try {
      await stillBeats('first');
      await here.kubectl('delete', 'pod', 'on-first', '--timeout=30s');
      expect(readFileSync(join(marks, 'first'), 'utf8')).toBe('here\n');
      expect(processesOf(first)).toEqual([]);
      expect(readdirSync(join(first.root, 'runtime', 'pods'))).toEqual([]);
      expect(processesOf(second)).not.toEqual([]);
    } finally {
      await again.end('SIGKILL');
    }
  });
});
