/** `kubectl debug` adds a container to a running pod, and `kubectl run` attaches to a new one: with input, and with a terminal. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import {
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { kubectlEnvironment } from '../../../support/shell/kubectl.ts';
import { kubectlSays, type Said, startKubectl } from '../../../support/shell/running-kubectl.ts';

const PATIENCE_MS = 40_000;
/** The size comes beside the input, and may come later. */
const UNTIL_SIZED = 'until [ "$(stty size)" = "33 99" ]; do sleep 0.1; done';
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: kubectl debug: ${missing}\n`);

describe.runIf(missing === undefined || isComplete)('kubectl debug', { timeout: 120_000 }, () => {
  let here: ClusterHere;
  const podNow = () => here.host.get<Pod>('/api/v1/namespaces/default/pods/web');
  const stateOf = async (name: string) => {
    const { status } = await podNow();
    const all = (status?.['ephemeralContainerStatuses'] ?? []) as readonly {
      readonly name: string;
      readonly restartCount: number;
      readonly state: Readonly<Record<string, { readonly exitCode?: number }>>;
    }[];
    return all.find((one) => one.name === name);
  };

  beforeAll(async () => {
    expect(missing).toBeUndefined();
    here = await startClusterHere();
    here.agent('m1').start();
    await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
    await here.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: {
        nodeName: 'm1',
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'c', image: 'host', command: ['sleep', '1000'] }],
      },
    });
    await here.seen('the pod runs', PATIENCE_MS, async () => (await podNow()).status?.phase === 'Running');
  }, 120_000);

  afterAll(() => here.close());

  it('J-231: starts a container in the pod, once, and tells how it ended', async () => {
    await here.kubectl(
      'debug',
      'web',
      '--image=host',
      '-c',
      'look',
      '--target=c',
      '--',
      'sh',
      '-c',
      'exit 3',
    );
    await here.seen('it has ended', PATIENCE_MS, async () => (await stateOf('look'))?.state['terminated']);
    await here.kubectl('debug', 'web', '--image=host', '-c', 'stay', '--', 'sleep', '1000');
    await here.seen('another one runs', PATIENCE_MS, async () => (await stateOf('stay'))?.state['running']);
    expect(await stateOf('look')).toMatchObject({ restartCount: 0, state: { terminated: { exitCode: 3 } } });
    const { spec, status } = await podNow();
    expect(status?.phase).toBe('Running');
    expect((spec['ephemeralContainers'] as readonly object[]).length).toBe(2);
  });

  it('refuses a container of a name that is taken', async () => {
    const again = here.kubectl('debug', 'web', '--image=host', '-c', 'c', '--', 'true');
    await expect(again).rejects.toThrow();
  });

  const env = () => kubectlEnvironment(join(here.folder, 'host', 'kubeconfig'), here.folder);
  /** In a terminal of this size, in which somebody types the lines. */
  const inTerminal = (words: string, lines: string): Promise<Said> =>
    kubectlSays(
      env(),
      ['-q', '-e', '-c', `stty rows 33 cols 99; kubectl ${words}`, '/dev/null'],
      lines,
      'script',
    );

  it('J-310: run -i --rm: the pod reads what it is sent to its end, its exit code is that of kubectl, and it is gone', async () => {
    const run = ['run', 'once', '-i', '--rm', '--quiet', '--image=host', '--restart=Never', '--'];
    const script = 'read one; echo "first $one"; echo "then $(cat)"; exit 7';
    const said = await kubectlSays(env(), [...run, 'sh', '-c', script], 'a\nb\nc\n');
    expect(said).toMatchObject({ code: 7, stdout: 'first a\nthen b\nc\n' });
    await expect(here.host.get('/api/v1/namespaces/default/pods/once')).rejects.toThrow();
  });

  it('run -it --rm: a terminal of the size of the one that kubectl is in', async () => {
    const words = 'run typed -it --rm --image=host --restart=Never -- sh';
    const said = await inTerminal(
      words,
      `${UNTIL_SIZED}; stty size; test -t 0 && test -t 1 && test -t 2 && exit 5\n`,
    );
    expect(said.stdout).toContain('33 99\r\n');
    expect(said.code).toBe(5);
  });

  it('debug -it: a shell in the pod', async () => {
    const words = 'debug web -it --image=host -c shell -- sh';
    const said = await inTerminal(words, 'echo "I am in $HOSTNAME"; exit 0\n');
    expect(said.stdout).toContain('I am in web\r\n');
  });

  it('attach -i: without stdinOnce, input goes on with the next client', async () => {
    const container = { name: 'c', image: 'host', stdin: true, command: ['cat'] };
    await here.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'reads' },
      spec: { nodeName: 'm1', terminationGracePeriodSeconds: 0, containers: [container] },
    });
    await here.kubectl('wait', 'pod/reads', '--for=condition=Ready', '--timeout=30s');
    for (const word of ['first', 'second']) {
      const attached = startKubectl(env(), ['attach', '-i', 'reads']);
      attached.say(`${word}\n`);
      await here.seen(`${word} comes back`, PATIENCE_MS, async () => attached.output().includes(`${word}\n`));
      await attached.end();
    }
    expect(await here.kubectl('logs', 'reads')).toBe('first\nsecond\n');
    await here.kubectl('delete', 'pod', 'reads', '--wait=false');
  });

  it('ends with the pod', async () => {
    await here.kubectl('delete', 'pod', 'web', '--timeout=30s');
    await expect(podNow()).rejects.toThrow();
  });
});
