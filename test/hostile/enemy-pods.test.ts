/** Pods without any right, on a real agent: what they store is counted and goes with them, and no file of the machine does. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';
import { ENEMY, type HostilePlace, hostilePlace } from '../support/agent/trees/foreign-files.ts';
import { watchHealth } from './health.ts';

const PATIENCE_MS = 60_000;

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const hasPerl = existsSync('/usr/bin/perl');
const missing = missingForCluster() ?? missingForBundles() ?? (hasPerl ? undefined : 'no perl');
if (missing !== undefined) process.stdout.write(`skipped: enemies on a real agent: ${missing}\n`);

const enemyOf = (name: string, program: string, emptyDir: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    nodeName: 'machine',
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    containers: [
      {
        name: 'c',
        image: 'host',
        command: ['/usr/bin/perl', '-e', program],
        volumeMounts: [{ name: 'e', mountPath: '/mnt' }],
        securityContext: {
          runAsUser: ENEMY,
          runAsGroup: ENEMY,
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
    volumes: [{ name: 'e', emptyDir }],
  },
});

/** 12 MiB at the end of 6,000 folders. */
const DEEP = `chdir '/mnt'; for (1..6000) { mkdir 'dddddddddd'; chdir 'dddddddddd' or die $!; }
open(F, '>f'); print F 'x' x (12 * 1024 * 1024); close F; print 'made'; $| = 1; sleep 100000`;

/** Swaps folders for links to `foreign`, also while the volume is removed. */
const swapping = (foreign: string): string =>
  `chdir '/mnt'; mkdir "d$_" for 0..3; print "began\\n"; $| = 1; $SIG{TERM} = 'IGNORE';
while (1) { for (0..3) { my $d = "d$_"; rename $d, "$d.aside"; symlink '${foreign}', $d; unlink $d; rename "$d.aside", $d; mkdir $d;
open(F, ">$d/file" . int rand 20); close F; } }`;

describe.runIf(missing === undefined || isComplete)(
  'an agent with pods that are its enemies',
  { timeout: 3 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    let agent: AgentHere;
    let place: HostilePlace;
    let answeredInTime: () => Promise<void>;

    const pod = (name: string) => here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`);
    const isReady = async (): Promise<boolean> => {
      const { status } = await here.host.get<Node>('/api/v1/nodes/machine');
      return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    };
    const namesIn = (...path: readonly string[]): readonly string[] => readdirSync(join(agent.root, ...path));
    const isGone = async (name: string): Promise<true> => {
      await here.kubectl('delete', 'pod', name, '--wait=true', '--timeout=60s');
      return await here.seen(`nothing is left of ${name}`, PATIENCE_MS, async () =>
        [namesIn('trash'), namesIn('pods'), namesIn('runtime', 'pods')].every(({ length }) => length === 0),
      );
    };

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      place = hostilePlace();
      here = await startClusterHere();
      agent = here.agent('machine', { config: ['volumeStatsAggPeriod: 1s'] });
      agent.start();
      await here.seen('the node is ready', PATIENCE_MS, isReady);
      answeredInTime = await watchHealth(here, agent);
    }, 2 * PATIENCE_MS);

    afterAll(async () => {
      await here.close();
      rmSync(place.root, { recursive: true });
    }, PATIENCE_MS);

    it('counts what stands at the end of a path that is too long, and evicts the pod for it', async () => {
      await here.apply(enemyOf('deep', DEEP, { sizeLimit: '10Mi' }));
      await here.seen(
        'the pod is evicted',
        PATIENCE_MS,
        async () => (await pod('deep')).status?.['reason'] === 'Evicted',
      );
      expect((await pod('deep')).status?.['message']).toBe(
        'Usage of EmptyDir volume "e" exceeds the limit "10Mi". ',
      );
      await isGone('deep');
      expect(await isReady()).toBe(true);
    });

    it('removes the volume of one that swaps folders for links, and none of 20 foreign files', async () => {
      const before = place.facts();
      await here.apply(enemyOf('swap', swapping(place.foreign), {}));
      await here.seen('it has begun', PATIENCE_MS, async () =>
        (await here.kubectl('logs', 'swap').catch(() => '')).includes('began'),
      );
      await isGone('swap');
      expect(place.facts()).toEqual(before);
      expect(await isReady()).toBe(true);
    });

    it('has answered for its health all the time', () => answeredInTime());
  },
);
