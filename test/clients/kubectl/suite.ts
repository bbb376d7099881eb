/** Sessions of kubectl as tests, on any stage. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../cluster.ts';
import { playSession } from './session.ts';
import { createShell, type Shell, type Variables } from './shell.ts';
import { parseTranscript } from './transcript.ts';
import type { Kubectl } from './versions.ts';

export type Stage = Pick<Cluster, 'folder' | 'kubeconfig' | 'url' | 'addNodes' | 'addNamespace' | 'stop'>;

/** Of a session, ms: on a busy machine, and on an emulator, commands take seconds. */
const SESSION_MS = 600_000;

const SESSIONS = join(import.meta.dirname, 'sessions');

/** The stage may have seen another run. */
const RUN = randomUUID().slice(0, 4);

/** Sessions share a stage, so each has nodes and a namespace that are its own. */
const setScene = async (stage: Stage, session: string, { version }: Kubectl): Promise<Variables> => {
  const namespace = `${session}-${version.replace('.', '-')}-${RUN}`;
  const [first, second] = [`${namespace}-a`, `${namespace}-b`];
  await stage.addNamespace(namespace);
  await stage.addNodes([first], { session: namespace, 'node-role.kubernetes.io/worker': '' });
  await stage.addNodes([second], { session: namespace });
  return { NS: namespace, NODE: first, NODE2: second, URL: stage.url };
};

/** A test for each session of each kubectl, all on one stage. */
export const describeKubectl = (
  kubectls: readonly Kubectl[],
  sessionsOf: (kubectl: Kubectl) => readonly string[],
  openStage: () => Promise<Stage>,
): void => {
  let stage: Stage;
  const shells = new Map<string, Shell>();

  beforeAll(async () => {
    stage = await openStage();
    for (const kubectl of kubectls)
      shells.set(kubectl.version, createShell(kubectl, stage.kubeconfig, stage.folder));
  });
  afterAll(() => stage.stop());

  const play = async (kubectl: Kubectl, session: string): Promise<void> => {
    const shell = shells.get(kubectl.version);
    if (!shell) throw new Error(`no shell for ${kubectl.version}`);
    const text = readFileSync(join(SESSIONS, `${session}.txt`), 'utf8');
    const steps = parseTranscript(text, kubectl.version);
    const variables = await setScene(stage, session, kubectl);
    const { expected, actual } = await playSession(shell, steps, variables);
    expect(actual).toBe(expected);
  };

  describe.each(kubectls)('$version', (kubectl) => {
    it.concurrent.each(sessionsOf(kubectl))('%s', (session) => play(kubectl, session), SESSION_MS);
  });
};
