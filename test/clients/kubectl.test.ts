/** What real kubectls print, in sessions of a shell: `kubectl/sessions/<name>.txt`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from './cluster.ts';
import { playSession } from './kubectl/session.ts';
import { createShell, type Shell } from './kubectl/shell.ts';
import { parseTranscript } from './kubectl/transcript.ts';
import { findKubectls, type Kubectl, missingKubectls } from './kubectl/versions.ts';

const SESSIONS = join(import.meta.dirname, 'kubectl/sessions');

/** Every version plays these. */
const SHORT = ['get', 'change'];
const FULL = ['get', 'pods', 'change', 'edit', 'create', 'apply', 'watch', 'ask', 'describe', 'drain'];

/** Those that differ most: the oldest, the first modern one, the last that sends JSON, and the newest. */
const isPlayedInFull = ({ version }: Kubectl): boolean => ['1.20', '1.27', '1.31', '1.33'].includes(version);

const kubectls = findKubectls(process.env);
const missing = missingKubectls(kubectls);
if (missing.length > 0 && process.env['ROLLCALL_NO_SKIP'] !== '1')
  process.stdout.write(`skipped: kubectl: not on this machine: ${missing.join('; ')}\n`);

describe('the kubectls of this machine', () => {
  it.runIf(process.env['ROLLCALL_NO_SKIP'] === '1')('are an old one and a modern one', () => {
    expect(missing).toEqual([]);
  });
});

describe.skipIf(kubectls.length === 0)('kubectl', () => {
  let cluster: Cluster;
  const shells = new Map<string, Shell>();

  beforeAll(async () => {
    cluster = await startCluster();
    for (const kubectl of kubectls)
      shells.set(kubectl.version, createShell(kubectl, cluster.kubeconfig, cluster.folder));
  });
  afterAll(() => cluster.stop());

  const shellOf = ({ version }: Kubectl): Shell => {
    const shell = shells.get(version);
    if (!shell) throw new Error(`no shell for ${version}`);
    return shell;
  };

  /** Sessions share a host, so each has nodes and a namespace that are its own. */
  const variablesOf = async (session: string, { version }: Kubectl) => {
    const namespace = `${session}-${version.replace('.', '-')}`;
    const [first, second] = [`${namespace}-a`, `${namespace}-b`];
    await cluster.addNamespace(namespace);
    await cluster.addNodes([first], { session: namespace, 'node-role.kubernetes.io/worker': '' });
    await cluster.addNodes([second], { session: namespace });
    return { NS: namespace, NODE: first, NODE2: second, URL: cluster.url };
  };

  describe.each(kubectls)('$version', (kubectl) => {
    it.concurrent.each(isPlayedInFull(kubectl) ? FULL : SHORT)('%s', async (session) => {
      const text = readFileSync(join(SESSIONS, `${session}.txt`), 'utf8');
      const variables = await variablesOf(session, kubectl);
      const steps = parseTranscript(text, kubectl.version);
      const { expected, actual } = await playSession(shellOf(kubectl), steps, variables);
      expect(actual).toBe(expected);
    });
  });
});
