/** An enemy swaps folders for links while its volume is given to its group: no file of the machine changes. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { giveTree } from '../../agent/adapters/linux/trees/give-tree.ts';
import { TooDeep } from '../../agent/adapters/linux/trees/safe-walk.ts';
import { setUpLocal } from '../../agent/volumes/local.ts';
import {
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../support/agent/machines/cluster-here.ts';
import { missingForBundles } from '../support/agent/oci/bundle-machine.ts';
import { ENEMY, type HostilePlace, hostilePlace } from '../support/agent/trees/foreign-files.ts';
import { makeDeep } from '../support/agent/trees/racer.ts';
import { giveByPath } from '../support/agent/trees/weak-walks.ts';
import { hostileRace } from './race.ts';

const WALKS = 200;

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForBundles();
if (missing !== undefined) process.stdout.write(`skipped: volumes of groups on a real agent: ${missing}\n`);

// Only root gives files away.
describe.skipIf(process.getuid?.() !== 0)(
  'an enemy that swaps folders while its volume is given away',
  () => {
    const race = hostileRace();

    it('has files of the machine by a walk by path', () => race.harms((path) => giveByPath(path, ENEMY)));

    it('has none of them', async () => {
      const place = race.place();
      const before = place.facts();
      await race.begin();
      for (let walk = 0; walk < WALKS; walk += 1) await giveTree(place.volume, 6000 + (walk % 2));
      expect(place.facts()).toEqual(before);
    });

    it('has a fault of the volume if that is deeper than it may be', async () => {
      const { volume } = race.place();
      await makeDeep(volume, 300);
      await expect(giveTree(volume, ENEMY)).rejects.toThrow(TooDeep);
      expect(await setUpLocal(volume, 6000)).toBe(
        `path "${volume}" cannot be given to the group 6000: it has more than 256 levels of folders`,
      );
    });
  },
);

const PATIENCE_MS = 60_000;
/** How often an agent gives the volume while its enemy swaps folders: a walk by path does harm in one of the first. */
const ENOUGH = 12;
const GROUP = 6000;

/**
 * Swaps folders of its volume for links to `foreign`, and takes its volume back whenever it has the group: then the agent gives it anew. It tells
 * each time, of which the first was before it began.
 */
const swapping = (foreign: string): string =>
  `$| = 1; chdir '/mnt'; for my $d (map { "d$_" } 0..3) { mkdir $d; for (0..19) { open(F, ">$d/file$_"); close F; } }
while (1) { my @d = map { "d$_" } 0..3; for (@d) { rename $_, "$_.aside"; symlink '${foreign}', $_; }
for (@d) { unlink $_; rename "$_.aside", $_; mkdir $_; }
if ((stat '.')[5] == ${GROUP}) { chown -1, ${ENEMY}, '.'; print "given\n"; } }`;

const HELPERS = 8;
/** Whenever a pod is looked at, so are its volumes: it is ready in each second second. */
const RESTLESS = {
  command: ['sleep', '1000'],
  readinessProbe: {
    exec: { command: ['/bin/sh', '-c', 'test $(($(date +%s) % 2)) = 0'] },
    periodSeconds: 1,
    failureThreshold: 1,
  },
};

/** A folder of the machine as a volume of this name, with its claim, and the pods of an enemy on the node of this name. */
const enemyOf = (name: string, { volume, foreign }: HostilePlace): readonly object[] => {
  const size = { storage: '1Gi' };
  const base = { accessModes: ['ReadWriteOnce'], storageClassName: name };
  const ofNode = { key: 'kubernetes.io/hostname', operator: 'In', values: [name] };
  const required = { nodeSelectorTerms: [{ matchExpressions: [ofNode] }] };
  const ids = { runAsUser: ENEMY, runAsGroup: ENEMY, fsGroup: GROUP };
  const pod = (of: string, container: object): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: of },
    spec: {
      nodeName: name,
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: ids,
      containers: [
        { name: 'c', image: 'host', volumeMounts: [{ name: 'e', mountPath: '/mnt' }], ...container },
      ],
      volumes: [{ name: 'e', persistentVolumeClaim: { claimName: name } }],
    },
  });
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: { ...base, capacity: size, local: { path: volume }, nodeAffinity: { required } },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name },
      spec: { ...base, resources: { requests: size } },
    },
    pod(name, { command: ['/usr/bin/perl', '-e', swapping(foreign)] }),
    ...Array.from({ length: HELPERS }, (_, index) => pod(`${name}-${index}`, RESTLESS)),
  ];
};

describe.runIf(missing === undefined || isComplete)(
  'the pod of an enemy that swaps folders while its agent gives it the volume',
  { timeout: 2 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    const places: HostilePlace[] = [];

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      here = await startClusterHere();
    }, PATIENCE_MS);

    afterAll(async () => {
      await here?.close();
      for (const { root } of places) rmSync(root, { recursive: true, force: true });
    }, PATIENCE_MS);

    const given = async (name: string): Promise<number> =>
      (await here.kubectl('logs', name).catch(() => '')).split('\n').length - 1;

    /** Has the enemy of an agent begin. Returns whether files of the machine have changed since. */
    const begin = async (name: string, preload?: URL): Promise<() => boolean> => {
      const place = hostilePlace();
      places.push(place);
      const before = place.facts().join();
      here.agent(name, { ...(preload && { preload }) }).start();
      await here.seen('it has joined', PATIENCE_MS, async () =>
        (await here.host.nodes()).some(({ metadata }) => metadata.name === name),
      );
      await here.apply(...enemyOf(name, place));
      return () => place.facts().join() !== before;
    };

    it('has files of the machine by a walk by path', async () => {
      const weak = new URL('../support/agent/trees/gives-by-path.ts', import.meta.url);
      const isHarmed = await begin('weak', weak);
      await here.seen('harm is done', PATIENCE_MS, async () => isHarmed());
    });

    it('has none of them', async () => {
      const isHarmed = await begin('machine');
      await here.seen('it was given', PATIENCE_MS, async () => (await given('machine')) > ENOUGH);
      expect(isHarmed()).toBe(false);
    });
  },
);
