/** An agent with `--unisolated` at a real host, with real kubectl: what its pods do, what is said of them, what its ends do to them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../../../../agent/adapters/linux/processes.ts';
import type { MainRecord } from '../../../../agent/adapters/plain-runtime/records.ts';
import type { AgentPod } from '../../../../agent/rules/containers/agent-pod.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { rollcall } from '../../../support/servers/host-process.ts';
import { kubectlEnvironment } from '../../../support/shell/kubectl.ts';
import { kubectlSays, type Said } from '../../../support/shell/running-kubectl.ts';

const PATIENCE_MS = 60_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: pods without isolation: ${missing}\n`);

const COMMAND = ['sh', '-c', 'trap "exit 7" TERM; echo up $HOSTNAME; while :; do sleep 0.1; done'];
const container = (more: object = {}) => ({ name: 'c', image: 'host', command: COMMAND, ...more });
const pod = (name: string, spec: object, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName: 'm1', ...spec, containers: [container(more)] },
});
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [container()] } },
  },
};

const ENDPOINT = 'unix:///run/x.sock';

describe('an agent that is given --unisolated and what that cannot hold', {
  timeout: 2 * PATIENCE_MS,
}, () => {
  it.each([
    [
      ['--container-runtime-endpoint', ENDPOINT],
      '',
      'give either --unisolated or --container-runtime-endpoint',
    ],
    [[], `containerRuntimeEndpoint: ${ENDPOINT}\n`, 'containerRuntimeEndpoint: not with --unisolated'],
    [[], 'seccompDefault: true\n', 'seccompDefault: not with --unisolated'],
  ])('ends with code 2: %j %s', async (more, lines, message) => {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-unisolated-'));
    const file = join(folder, 'kubelet.yaml');
    writeFileSync(file, lines);
    const own = ['--config', file, '--root-dir', join(folder, 'root'), '--unisolated', ...more];
    const { code, output } = await rollcall('agent', 'run', '--server', 'https://127.0.0.1:1', ...own);
    rmSync(folder, { recursive: true });
    expect([code, output]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe.runIf(missing === undefined || isComplete)(
  'an agent with --unisolated',
  { timeout: 3 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    let agent: AgentHere;
    let env: NodeJS.ProcessEnv;

    const kubectl = (...words: readonly string[]): Promise<Said> => kubectlSays(env, words);
    const podIs = async (prefix: string): Promise<AgentPod | undefined> =>
      ((await here.host.pods()) as readonly AgentPod[]).find(({ metadata }) =>
        metadata.name.startsWith(prefix),
      );
    const runs = (prefix: string, restarts: number): Promise<AgentPod> =>
      here.seen(`${prefix} runs after ${restarts} restarts`, PATIENCE_MS, async () => {
        const found = await podIs(prefix);
        const [status] = found?.status?.containerStatuses ?? [];
        return status?.state?.running !== undefined && status.restartCount === restarts && found;
      });
    const waits = (name: string): Promise<string> =>
      here.seen(`${name} waits`, PATIENCE_MS, async () => {
        const waiting = (await podIs(name))?.status?.containerStatuses?.[0]?.state?.waiting;
        return waiting?.reason === 'CreateContainerConfigError' && waiting.message;
      });
    const mainOf = ({ metadata: { uid = '' } }: AgentPod): MainRecord => {
      const folder = join(agent.root, 'plain/pods', uid);
      const last =
        readdirSync(folder)
          .filter((name) => name.startsWith('c_'))
          .toSorted()
          .at(-1) ?? '';
      return JSON.parse(readFileSync(join(folder, last, 'main.json'), 'utf8')) as MainRecord;
    };

    beforeAll(async () => {
      here = await startClusterHere();
      env = kubectlEnvironment(join(here.folder, 'host', 'kubeconfig'), here.folder);
      agent = here.agent('m1', { flags: ['--unisolated'] });
      agent.start();
      await here.seen('the node is ready', PATIENCE_MS, async () =>
        (await here.kubectl('get', 'nodes')).includes(' Ready '),
      );
      await here.apply(deployment);
      await runs('web', 0);
    });

    afterAll(async () => {
      await agent.process().end('SIGTERM');
      await here.close();
    });

    it('says of its node and of each pod what pods can do', async () => {
      const warning = "pods are not isolated: they can do what user root can, and read this agent's token";
      const { stdout } = await kubectl('describe', 'node', 'm1');
      expect(stdout).toContain(`kubelet is posting ready status. WARNING: ${warning}`);
      expect(stdout).toContain('rollcall.dev/isolation=none');
      await here.seen('the event', PATIENCE_MS, async () =>
        (await here.kubectl('get', 'events', '--field-selector', 'reason=NotIsolated')).includes(warning),
      );
    });

    it('has logs and commands of a pod', async () => {
      const { metadata } = await runs('web', 0);
      const { name } = metadata;
      expect((await kubectl('logs', name)).stdout).toBe(`up ${name}\n`);
      expect(await kubectl('exec', name, '--', 'sh', '-c', 'echo in $HOSTNAME; exit 3')).toMatchObject({
        code: 3,
        stdout: `in ${name}\n`,
      });
    });

    it.each([
      [
        'volumes',
        { volumes: [{ name: 'v', hostPath: { path: '/nowhere', type: 'DirectoryOrCreate' } }] },
        {},
      ],
      ['securityContext.runAsUser', { securityContext: { runAsUser: 1500 } }, {}],
    ])('refuses a pod with %s, and makes nothing for it', async (field, spec, more) => {
      const name = `refused-${field.toLowerCase().replace(/\W/g, '-')}`;
      await here.apply(pod(name, spec, more));
      expect(await waits(name)).toContain(`spec.${field}: `);
      expect(readdirSync('/')).not.toContain('nowhere');
      await kubectl('delete', 'pod', name, '--now');
    });

    it('ends a pod that is deleted', async () => {
      const main = mainOf(await runs('web', 0));
      await here.apply(pod('gone', {}));
      const gone = mainOf(await runs('gone', 0));
      expect((await kubectl('delete', 'pod', 'gone', '--timeout=60s')).code).toBe(0);
      expect([isAlive(gone), isAlive(main)]).toEqual([false, true]);
    });

    it('that was killed leaves a pod, which the next one ends and starts again', async () => {
      const before = mainOf(await runs('web', 0));
      await agent.process().end('SIGKILL');
      agent.start();
      const again = await runs('web', 1);
      expect(again.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
        exitCode: 255,
        reason: 'Unknown',
      });
      expect(isAlive(before)).toBe(false);
    });

    it('that is stopped ends its pods, and the next one tells how', async () => {
      const before = mainOf(await runs('web', 1));
      expect(await agent.process().end('SIGTERM')).toBe(0);
      expect(isAlive(before)).toBe(false);
      agent.start();
      const again = await runs('web', 2);
      expect(again.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 7 });
      const { stdout } = await kubectl(
        'get',
        'events',
        '-o',
        'json',
        '--field-selector',
        'reason=NotIsolated',
      );
      const events = (JSON.parse(stdout) as { items: { count?: number; involvedObject: { name: string } }[] })
        .items;
      const ofWeb = events.filter(({ involvedObject }) => involvedObject.name === again.metadata.name);
      expect(ofWeb.map(({ count }) => count ?? 1)).toEqual([1]);
    });
  },
);
