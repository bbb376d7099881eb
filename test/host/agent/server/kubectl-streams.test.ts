/** What users do: logs, exec, attach, cp and port-forward by real kubectls, through a real host, to a real agent. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findKubectls } from '../../../clients/kubectl/versions.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { podProcesses } from '../../../support/agent/machines/pod-processes.ts';
import { reachedAs, reachPod } from '../../../support/agent/machines/reached-pod.ts';
import { type CuttableLine, startCuttableLine } from '../../../support/servers/cuttable-line.ts';
import { kubectlEnvironment } from '../../../support/shell/kubectl.ts';
import {
  forwardedPort,
  type KubectlProcess,
  kubectlSays,
  type Said,
  startKubectl,
} from '../../../support/shell/running-kubectl.ts';

const PATIENCE_MS = 60_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: logs and exec by kubectl: ${missing}\n`);

const pod = (name: string, script: string, more: object = {}, ofContainer: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'm1',
    terminationGracePeriodSeconds: 0,
    ...more,
    containers: [
      {
        name: 'c',
        image: 'host',
        command: ['/bin/sh', '-c', script],
        env: [{ name: 'WHO', value: 'me' }],
        ...ofContainer,
      },
    ],
  },
});

/** Its second container is another than its first. */
const again = pod(
  'again',
  '[ -e /v/mark ] && { echo second; exec sleep 3600; }; touch /v/mark; echo first; exit 1',
  {
    volumes: [{ name: 'v', emptyDir: {} }],
  },
  { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
);

const found = missing === undefined ? findKubectls(process.env) : [];
/** The oldest speaks SPDY, the newest WebSockets. */
const kubectls = found.filter((_, index) => index === 0 || index === found.length - 1);

/** Connections at one time through one forwarded port. */
const CONNECTIONS = 5;
/** Is in the arguments of one command. */
const COMMAND = 'the command that is cut off';
/** Of a big transfer. */
const BYTES = 8_000_000;

describe.runIf(missing === undefined || isComplete)('kubectl', { timeout: 2 * PATIENCE_MS }, () => {
  let here: ClusterHere;
  let env: NodeJS.ProcessEnv;
  let echo: Server;

  const kubectl = (words: readonly string[], input?: string, program?: string): Promise<Said> =>
    kubectlSays(env, words, input, program);

  const phase = async (name: string, wanted: string): Promise<boolean> =>
    (await here.kubectl('get', 'pod', name, '-o', 'jsonpath={.status.phase}')) === wanted;

  beforeAll(async () => {
    here = await startClusterHere();
    env = kubectlEnvironment(join(here.folder, 'host', 'kubeconfig'), here.folder);
    here.agent('m1').start();
    await here.seen('the node is ready', PATIENCE_MS, async () =>
      (await here.kubectl('get', 'nodes')).includes(' Ready '),
    );
    await here.apply(
      pod('web', 'echo one; echo two; echo three; exec sleep 3600'),
      again,
      pod('counts', 'sleep 3; for i in 1 2 3 4 5; do echo $i; sleep 0.2; done; echo end', {
        restartPolicy: 'Never',
      }),
    );
    await here.seen(
      'the pods run',
      PATIENCE_MS,
      async () => (await phase('web', 'Running')) && (await phase('counts', 'Running')),
    );
    await here.seen('the node serves', PATIENCE_MS, async () =>
      (await kubectl(['logs', 'web'])).stdout.includes('three'),
    );
    echo = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
  }, 3 * PATIENCE_MS);

  afterAll(async () => {
    echo?.close();
    await here?.close();
  }, PATIENCE_MS);

  it('logs: all, the last lines, since, with times', async () => {
    expect(await kubectl(['logs', 'web'])).toMatchObject({ code: 0, stdout: 'one\ntwo\nthree\n' });
    expect((await kubectl(['logs', 'web', '--tail=1'])).stdout).toBe('three\n');
    expect((await kubectl(['logs', 'web', '--since=1h'])).stdout).toBe('one\ntwo\nthree\n');
    expect((await kubectl(['logs', 'web', '--limit-bytes=5'])).stdout).toBe('one\nt');
    expect((await kubectl(['logs', 'web', '--timestamps', '--tail=1'])).stdout).toMatch(/^20\S+Z three\n$/);
    const { code, stderr } = await kubectl(['logs', 'web', '--previous']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('previous terminated container "c" in pod "web" not found'),
    ]);
  });

  it('logs: of the container before, after a restart', async () => {
    await here.seen(
      'the container was started again',
      PATIENCE_MS,
      async () => (await kubectl(['logs', 'again'])).stdout === 'second\n',
    );
    expect((await kubectl(['logs', 'again', '--previous'])).stdout).toBe('first\n');
  });

  it('logs: followed to the end of the container', async () => {
    const { code, stdout } = await kubectl(['logs', '-f', 'counts']);
    expect([code, stdout]).toEqual([0, '1\n2\n3\n4\n5\nend\n']);
  });

  describe.each(kubectls)('kubectl $version', ({ version, path: program }) => {
    it('exec: streams apart, input, exit code', async () => {
      const script = 'echo $WHO; cat; echo error >&2; exit 7';
      const said = await kubectl(['exec', '-i', 'web', '--', 'sh', '-c', script], 'given\n', program);
      expect(said).toMatchObject({ stdout: 'me\ngiven\n', code: 7 });
      expect(said.stderr).toContain('error\n');
    });

    it('exec: a command that is not there', async () => {
      const said = await kubectl(['exec', 'web', '--', 'no-such-command'], undefined, program);
      expect(said.code).not.toBe(0);
    });

    it('exec -t: a terminal, of the size of the one that kubectl is in', async () => {
      const sized = 'until [ "$(stty size)" = "33 99" ]; do sleep 0.1; done; stty size';
      const inner = `${program} exec -i -t web -- sh -c 'test -t 0 && test -t 1 && ${sized}'`;
      const outer = `stty rows 33 cols 99; ${inner}`;
      const said = await kubectl(['-q', '-e', '-c', outer, '/dev/null'], '', 'script');
      expect(said.stdout).toContain('33 99\r\n');
      expect(said.code).toBe(0);
    });

    it('cp: there and back', async () => {
      const bytes = randomBytes(BYTES);
      const [from, back, there] = [join(here.folder, 'from'), join(here.folder, 'back'), '/tmp/file'];
      writeFileSync(from, bytes);
      expect(await kubectl(['cp', from, `web:${there}`], undefined, program)).toMatchObject({ code: 0 });
      expect(await kubectl(['cp', `web:${there}`, back], undefined, program)).toMatchObject({ code: 0 });
      expect(readFileSync(back).equals(bytes)).toBe(true);
    });

    it('attach: what is written from then on', async () => {
      const name = `talks-${version.replace('.', '-')}`;
      await here.apply(pod(name, 'while :; do echo tick; sleep 0.2; done'));
      await here.seen('the pod runs', PATIENCE_MS, () => phase(name, 'Running'));
      const attached = startKubectl(env, ['attach', name], program);
      await here.seen('it is attached', PATIENCE_MS, async () => attached.output().includes('tick\ntick\n'));
      await attached.end();
      await here.kubectl('delete', 'pod', name, '--wait=false');
    });

    it('port-forward: many bytes over several connections', async () => {
      const { port } = echo.address() as { readonly port: number };
      const forwarding = startKubectl(env, ['port-forward', 'pod/web', `:${port}`], program);
      const local = await here.seen('a port is forwarded', PATIENCE_MS, async () =>
        forwardedPort(forwarding),
      );
      const digest = async (bytes: Buffer): Promise<string> => {
        const socket = connect({ port: local, host: '127.0.0.1', allowHalfOpen: true });
        const hash = createHash('sha256');
        socket.end(bytes);
        for await (const chunk of socket) hash.update(chunk as Buffer);
        return hash.digest('hex');
      };
      const all = Array.from({ length: CONNECTIONS }, () => randomBytes(BYTES / 4));
      const wanted = all.map((bytes) => createHash('sha256').update(bytes).digest('hex'));
      expect(await Promise.all(all.map(digest))).toEqual(wanted);
      await forwarding.end();
    });
  });

  describe('a node behind NAT, to which only the channel leads that its agent opens', () => {
    let line: CuttableLine;
    let m2: AgentHere;
    const exec = (script: string) => startKubectl(env, ['exec', '-i', 'far', '--', 'sh', '-c', script]);
    /** Programs in pods that this command line has started. */
    const commands = () =>
      podProcesses(m2.root).filter(
        ({ pid, isKeeper }) => !isKeeper && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(COMMAND),
      );
    const prints = ({ output }: KubectlProcess, text: string): Promise<true> =>
      here.seen(`kubectl prints ${text}`, PATIENCE_MS, async () => output().includes(text));

    beforeAll(async () => {
      line = await startCuttableLine(Number(new URL(here.host.url).port));
      // None of the addresses of its Node leads to 127.0.0.2.
      m2 = here.agent('m2', {
        config: ['address: 127.0.0.2', 'port: 0'],
        flags: ['--server', `https://127.0.0.1:${line.port}`],
      });
      m2.start();
      await here.apply(pod('far', 'echo far; while :; do echo tick; sleep 0.5; done', { nodeName: 'm2' }));
      await here.seen('its pod runs', PATIENCE_MS, () => phase('far', 'Running'));
    }, 2 * PATIENCE_MS);

    afterAll(() => line?.close());

    it('logs -f, exec, cp and port-forward', async () => {
      expect(await reachPod(env, 'far', join(here.folder, 'copies'))).toEqual(reachedAs('far'));
    });

    it('two sessions end when their line is cut, with what they have started; the next ones get a new channel', async () => {
      const log = startKubectl(env, ['logs', '-f', 'far', '--tail=1']);
      const shell = exec(`: ${COMMAND}; cat`);
      shell.say('typed\n');
      await Promise.all([prints(log, 'tick\ntick\n'), prints(shell, 'typed\n')]);
      expect(commands()).not.toEqual([]);
      line.cut();
      await Promise.all([log.ended, shell.ended]);
      await here.seen('the command has ended', PATIENCE_MS, async () => commands().length === 0);
      line.restore();
      const again = exec('cat');
      again.say('once more\n');
      await prints(again, 'once more\n');
      await again.end();
    });

    it('a log ends with its agent, and a command waits for the next agent', async () => {
      const log = startKubectl(env, ['logs', '-f', 'far', '--tail=1']);
      await prints(log, 'tick\n');
      await m2.process().end('SIGKILL');
      await log.ended;
      const waits = exec('cat');
      waits.say('for the next\n');
      m2.start();
      await prints(waits, 'for the next\n');
      await waits.end();
    });
  });
});
