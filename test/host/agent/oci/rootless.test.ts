/** An agent that is not root, with an OCI runtime: what its pods have, and what they are refused. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../../../support/agent/oci/bundle-machine.ts';

const PATIENCE_MS = 60_000;
/** A user whom the machine does not know. */
const USER = { uid: 1500, gid: 1500 };
const AS_USER = [
  findProgram('setpriv') ?? 'setpriv',
  ...['--reuid', String(USER.uid), '--regid', String(USER.gid), '--clear-groups'],
];

/** The folder of the checkout may be closed to others, and namespaces to all but root. */
const canBeOther = (): boolean =>
  [
    [process.execPath, resolve('cli/rollcall.js'), '--version'],
    ['unshare', '--user', '--pid', '--fork', 'true'],
  ].every(([program = '', ...words]) => spawnSync(program, words, { ...USER, cwd: '/' }).status === 0);

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing =
  missingForCluster() ??
  missingForBundles() ??
  (canBeOther() ? undefined : 'no other user can have namespaces here');
if (missing !== undefined) process.stdout.write(`skipped: an OCI runtime without root: ${missing}\n`);

const podOf = (name: string, container: object, spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 5,
    containers: [{ name: 'c', image: 'host', ...container }],
    ...spec,
  },
});

const SCRIPT = [
  'trap "echo bye; exit 3" TERM',
  'id -u; id -g; cat /secret/password /config/key; echo >/work/made; stat -c %u:%g /secret/password /work/made',
  'grep ^Seccomp: /proc/self/status | tr -d "\\t"; ls /proc | grep -c "^[0-9]"; cat /etc/shadow 2>&1 | head -c 20; echo',
  'while :; do sleep 0.1; done',
].join('; ');

const VOLUMES = [
  { name: 'work', emptyDir: {} },
  { name: 'memory', emptyDir: { medium: 'Memory' } },
  { name: 'secret', secret: { secretName: 's' } },
  { name: 'config', configMap: { name: 'm' } },
];

const MOUNTS = VOLUMES.map(({ name }) => ({ name, mountPath: `/${name}` }));

const BUSY = { command: ['sleep', '1000'] };
const part = (more: object): object => ({
  ...BUSY,
  volumeMounts: [{ name: 'work', mountPath: '/w', ...more }],
});

/** What is asked for, and the field that the refusal names. */
const REFUSED: readonly (readonly [string, object, string])[] = [
  [
    'limits',
    podOf('limits', { ...BUSY, resources: { limits: { memory: '64Mi' } } }),
    'resources.limits: memory',
  ],
  [
    'group',
    podOf('group', BUSY, { securityContext: { fsGroup: 4000 } }),
    'supplementalGroups, fsGroup: 4000',
  ],
  ['user', podOf('user', BUSY, { securityContext: { runAsUser: 5000 } }), 'runAsUser: 5000'],
  ['nonroot', podOf('nonroot', BUSY, { securityContext: { runAsNonRoot: true } }), 'runAsNonRoot'],
  ['pid', podOf('pid', BUSY, { hostPID: true }), 'spec.hostPID: true'],
  ['part', podOf('part', part({ subPath: 'a' }), { volumes: VOLUMES }), 'volumeMounts.subPath: a'],
];

describe.runIf(missing === undefined || isComplete)(
  'pods of an OCI runtime without root',
  { timeout: 300_000 },
  () => {
    let cluster: ClusterHere;
    let agent: AgentHere;

    const podHere = async (name: string) =>
      JSON.parse(await cluster.kubectl('get', 'pod', name, '-o', 'json'));
    const statusOf = async (name: string) => (await podHere(name)).status.containerStatuses?.[0];
    const statusFor = <T>(name: string, look: (status: Awaited<ReturnType<typeof statusOf>>) => T) =>
      cluster.seen(
        `the status of ${name}`,
        PATIENCE_MS,
        async () => look((await statusOf(name)) ?? {}) || undefined,
      );

    /** All of what the agent writes is below the folder of its own. */
    const openTo = (made: AgentHere): void => {
      chmodSync(cluster.folder, 0o755);
      for (const path of [dirname(made.root), made.root]) chownSync(path, USER.uid, USER.gid);
      chownSync(join(cluster.folder, 'host-bootstrap-token'), USER.uid, USER.gid);
    };

    beforeAll(async () => {
      cluster = await startClusterHere();
      agent = cluster.agent('m1', {
        command: [...AS_USER, process.execPath, resolve('cli/rollcall.js')],
      });
      openTo(agent);
      agent.start();
      await cluster.apply(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { key: 'value\n' } },
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { password: 'hunter2\n' } },
        podOf(
          'web',
          { command: ['/bin/sh', '-c', SCRIPT], volumeMounts: MOUNTS },
          { volumes: VOLUMES, securityContext: { runAsUser: 0, fsGroup: 0 } },
        ),
        ...REFUSED.map(([, pod]) => pod),
      );
      await statusFor('web', ({ ready }) => ready === true);
    }, 300_000);
    afterAll(() => cluster?.close());

    it('run as their own root, who is the agent to the machine, with volumes of that user', async () => {
      const words = await cluster.seen('its log', PATIENCE_MS, async () => {
        const log = await cluster.kubectl('logs', 'web');
        return log.split('\n').length > 9 && log.split('\n');
      });
      expect(words.slice(0, 8)).toEqual([
        '0',
        '0',
        'hunter2',
        'value',
        '0:0',
        '0:0',
        'Seccomp:2',
        expect.stringMatching(/^[1-9]$/),
      ]);
      expect(words[8]).toMatch(/^cat: /);
    });

    it('stand on a Node that says so', async () => {
      const node = JSON.parse(await cluster.kubectl('get', 'node', 'm1', '-o', 'json'));
      expect(node.metadata.labels['rollcall.dev/isolation']).toBe('oci-rootless');
    });

    it.each(REFUSED)('are refused what only root can give: %s', async (name, _pod, words) => {
      const waiting = await statusFor(
        name,
        ({ state }) => state?.waiting?.message !== undefined && state.waiting,
      );
      expect(waiting).toMatchObject({
        reason: 'CreateContainerConfigError',
        message: expect.stringContaining(words),
      });
    });

    it('are reached by exec', async () => {
      expect(await cluster.kubectl('exec', 'web', '--', 'sh', '-c', 'id -u; pwd')).toBe('0\n/\n');
      await expect(cluster.kubectl('exec', 'web', '--', 'sh', '-c', 'exit 4')).rejects.toThrow('exit code 4');
    });

    it('run on without their agent, end with their code, and leave nothing', async () => {
      const release = join(dirname(agent.root), 'release');
      mkdirSync(release, { mode: 0o777 });
      const script = 'while [ ! -f /release/now ]; do sleep 0.1; done; exit 6';
      await cluster.apply(
        podOf(
          'short',
          { command: ['/bin/sh', '-c', script], volumeMounts: [{ name: 'release', mountPath: '/release' }] },
          { restartPolicy: 'Never', volumes: [{ name: 'release', hostPath: { path: release } }] },
        ),
      );
      await statusFor('short', ({ ready }) => ready === true);
      const began = (await statusOf('web')).state;
      await agent.process().end('SIGKILL');
      writeFileSync(join(release, 'now'), '');
      agent.start();
      expect(await statusFor('short', ({ state }) => state?.terminated)).toMatchObject({ exitCode: 6 });
      expect((await statusOf('web')).state).toEqual(began);
      const { metadata } = await podHere('web');
      const log = join(dirname(agent.root), 'logs', `default_web_${metadata.uid}`, 'c/0.log');
      expect(readFileSync(log, 'utf8')).toContain('hunter2');
      await cluster.kubectl('delete', 'pod', '--all', '--timeout=60s');
      expect(existsSync(join(agent.root, 'runtime', 'pods', metadata.uid))).toBe(false);
      expect(existsSync(log)).toBe(false);
      expect(spawnSync('pgrep', ['-u', String(USER.uid), '-f', '^sleep']).stdout.toString()).toBe('');
    });
  },
);
