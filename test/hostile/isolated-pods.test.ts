/** What programs in containers of an OCI runtime reach of the machine, of the agent and of other pods. A pod that may do all shows that the questions are understood. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { busyboxImage, missingForBundles } from '../support/agent/oci/bundle-machine.ts';
import { watchHealth } from './health.ts';

const PATIENCE_MS = 60_000;

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: enemies in bundles: ${missing}\n`);

const SECRET = 'hunter2-of-the-neighbour';
const MARK = '4231567';
const ENEMY = { runAsUser: 1777, runAsGroup: 1777 };
const NO_RIGHTS = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
/** Of the neighbour. */
const SAME_USER = { runAsUser: 1500, runAsGroup: 1500 };
const ALL_RIGHTS = { privileged: true };

const podOf = (name: string, spec: object, container: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'machine',
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    ...spec,
    containers: [{ name: 'c', image: 'host', ...container }],
  },
});

const NEIGHBOUR = podOf(
  'neighbour',
  { securityContext: SAME_USER, volumes: [{ name: 's', secret: { secretName: 'neighbour' } }] },
  {
    command: ['/bin/sh', '-c', `echo ${SECRET} > /tmp/own; echo ${SECRET}; sleep ${MARK}`],
    env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'neighbour', key: 'password' } } }],
    volumeMounts: [{ name: 's', mountPath: '/secret' }],
  },
);

/** Prints a line for each question: its name, and yes or no. Nothing that the machine needs is written. */
const questions = (here: ClusterHere, { root }: AgentHere): string => `
asks() { name=$1; shift; if ( "$@" ) >/dev/null 2>&1; then echo "$name yes"; else echo "$name no"; fi; }
opens() { : >> "$1"; }
first() { head=; read head < "$1" || [ -n "$head" ]; }
finds() { found=no; for file in "$@"; do while read line || [ -n "$line" ]; do case $line in *${SECRET}*) found=yes;; esac; done < "$file"; done 2>/dev/null; [ $found = yes ]; }
sees() { found=no; for file in /proc/[0-9]*/cmdline; do read line < "$file"; case $line in *sleep*${MARK}*) found=yes;; esac; done 2>/dev/null; [ $found = yes ]; }
asks shadow first /etc/shadow
asks token first ${root}/token.json
asks log finds ${here.folder}/machine/logs/*/*/*
asks volume finds ${root}/pods/*/volumes/*/*/*
asks layer finds ${root}/runtime/pods/*/*/*/rootfs/tmp/own
asks process sees
asks environment finds /proc/[0-9]*/environ
asks machine opens ${here.folder}/of-an-enemy
asks core_pattern opens /proc/sys/kernel/core_pattern
echo end
`;

const NOTHING = {
  shadow: 'no',
  token: 'no',
  log: 'no',
  volume: 'no',
  layer: 'no',
  process: 'no',
  environment: 'no',
  machine: 'no',
  core_pattern: 'no',
};
const ALL = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, 'yes']));

/** Programs that a runtime might run on its way into a container. Each says who it is run by. */
const TRAPS = ['setpriv', 'unshare', 'nsenter', 'env', 'chroot', 'perl', 'stat', 'tar', 'mount', 'sync'];

describe.runIf(missing === undefined || isComplete)(
  'a program in a bundle',
  { timeout: 3 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    let agent: AgentHere;
    let answeredInTime: () => Promise<void>;

    const pod = (name: string) => here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`);
    const logOf = (name: string) => here.kubectl('logs', name).catch(() => '');
    const said = (name: string, word: string) =>
      here.seen(`${name} has said ${word}`, PATIENCE_MS, async () => {
        const text = await logOf(name);
        return text.includes(`${word}\n`) && text;
      });
    const answers = async (name: string): Promise<Readonly<Record<string, string>>> => {
      const lines = (await said(name, 'end')).split('\n').map((line) => line.split(' '));
      return Object.fromEntries(lines.filter(({ length }) => length === 2));
    };
    const ask = async (name: string, image: string, container: object, spec: object) => {
      const command = ['/bin/sh', '-c', questions(here, agent)];
      await here.apply(podOf(name, spec, { image, command, securityContext: container }));
      return await answers(name);
    };
    const image = () => join(here.folder, 'images', 'busybox');

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      here = await startClusterHere();
      busyboxImage(image());
      mkdirSync(join(image(), 'tmp'));
      chmodSync(join(image(), 'tmp'), 0o1777);
      for (const name of TRAPS) {
        const path = join(image(), 'bin', name);
        rmSync(path, { force: true });
        writeFileSync(path, '#!/bin/sh\necho "$0 $(id -u)" >> /tmp/traps\n', { mode: 0o755 });
      }
      agent = here.agent('machine', {
        config: ['volumeStatsAggPeriod: 1s'],
        flags: ['--image-folders', dirname(image())],
      });
      agent.start();
      await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
      await here.apply(
        {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'neighbour' },
          stringData: { password: SECRET },
        },
        NEIGHBOUR,
      );
      await said('neighbour', SECRET);
      answeredInTime = await watchHealth(here, agent);
    }, 2 * PATIENCE_MS);

    afterAll(() => here?.close(), PATIENCE_MS);

    it('reaches all if its pod may do what the administrator of the machine can', async () => {
      expect(await ask('administrator', 'host', ALL_RIGHTS, { hostPID: true })).toEqual(ALL);
    });

    it.each<[string, string, object]>([
      ['enemy', 'of a user without any right', { ...ENEMY, ...NO_RIGHTS }],
      ['twin', 'of the user of its neighbour', SAME_USER],
      ['silent', 'that names no user', {}],
    ])('reaches nothing of the machine or of its neighbour: %s, %s', async (name, _, container) => {
      expect(await ask(name, 'host', container, {})).toEqual(NOTHING);
    });

    it('reaches nothing as root of an image of its own, of which no other program is run', async () => {
      expect(await ask('root', image(), { runAsUser: 0 }, {})).toEqual(NOTHING);
      const script = `echo ran; id -u; cat /tmp/traps; /bin/setpriv; cat /tmp/traps; exec tail -f /dev/null`;
      await here.apply(
        podOf('trap', {}, { image: image(), command: ['/bin/sh', '-c', script], securityContext: ENEMY }),
      );
      const log = await here.seen('the trap is there', PATIENCE_MS, async () => {
        const said = await logOf('trap');
        return ['setpriv', "can't open"].every((text) => said.includes(text)) && said;
      });
      // Errors come by a pipe of their own.
      expect(log.split('\n').toSorted()).toEqual([
        '',
        '/bin/setpriv 1777',
        '1777',
        "cat: can't open '/tmp/traps': No such file or directory",
        'ran',
      ]);
      await here.kubectl('exec', 'trap', '--', 'id', '-u');
      expect(await here.kubectl('exec', 'trap', '--', 'cat', '/tmp/traps')).toBe('/bin/setpriv 1777\n');
      expect(existsSync(join(image(), 'tmp/traps'))).toBe(false);
    });

    it('is refused as root of the machine', async () => {
      await here.apply(
        podOf(
          'rooted',
          {},
          { command: ['true'], securityContext: { runAsUser: 0, ...NO_RIGHTS, runAsNonRoot: false } },
        ),
      );
      const message = await here.seen('it is refused', PATIENCE_MS, async () => {
        const shown = await here.kubectl('get', 'pod', 'rooted', '-o', 'jsonpath={..waiting.message}');
        return shown !== '' && shown;
      });
      expect(message).toContain('runAsUser: 0');
    });

    it('has the standard streams alone, and so have commands in it', async () => {
      const script = 'for fd in /proc/$$/fd/*; do readlink "$fd" >/dev/null && basename "$fd"; done; true';
      // A specification has each dollar twice.
      const written = script.replaceAll('$$', '$$$$$$$$');
      await here.apply(
        podOf('open', {}, { command: ['/bin/sh', '-c', `${written}; echo end; sleep ${MARK}`] }),
      );
      expect((await said('open', 'end')).split('\n').filter((line) => /^\d+$/.test(line))).toEqual([
        '0',
        '1',
        '2',
      ]);
      const command = await here.kubectl('exec', 'open', '--', '/bin/sh', '-c', script);
      expect(command.split('\n').filter(Boolean)).toEqual(['0', '1', '2']);
    });

    it('may fill what is its own up to its limit, and all of it goes with its pod', async () => {
      const script =
        'for place in /tmp /var/tmp /usr/local; do head -c 4000000 /dev/zero > $place/of-an-enemy; done; sleep 100000';
      const limits = { 'ephemeral-storage': '5Mi' };
      await here.apply(podOf('full', {}, { command: ['/bin/sh', '-c', script], resources: { limits } }));
      await here.seen(
        'the pod is evicted',
        2 * PATIENCE_MS,
        async () => (await pod('full')).status?.['reason'] === 'Evicted',
      );
      const { uid = '' } = (await pod('full')).metadata;
      await here.kubectl('delete', 'pod', 'full', '--timeout=60s');
      await here.seen('nothing is left', PATIENCE_MS, async () =>
        [join(agent.root, 'trash'), join(agent.root, 'runtime', 'pods')].every((folder) =>
          readdirSync(folder).every((name) => !name.includes(uid)),
        ),
      );
      for (const place of ['/tmp', '/var/tmp', '/usr/local'])
        expect(existsSync(join(place, 'of-an-enemy'))).toBe(false);
    });

    it('leaves no mount point and no file on the machine', () => {
      expect(
        readdirSync(here.folder)
          .filter((name) => name !== '.kube')
          .toSorted(),
      ).toEqual(['host', 'host-bootstrap-token', 'images', 'machine', 'of-an-enemy']);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(`${here.folder}/image`);
      expect(existsSync('/secret')).toBe(false);
    });

    it('keeps the agent from no answer about its health', () => answeredInTime());
  },
);
