/** What charts ask for: a volume by a claim, which the host binds, and the security of restricted namespaces. */
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterHere } from '../../../support/agent/machines/cluster-here.ts';
import { missingForCluster, startClusterHere } from '../../../support/agent/machines/cluster-here.ts';

const PATIENCE_MS = 60_000;
const NOBODY = 65_534;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: what charts ask for: ${missing}\n`);

const volume = (name: string, source: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: name,
    persistentVolumeReclaimPolicy: 'Retain',
    ...source,
  },
});

const claim = (name: string) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: name,
    resources: { requests: { storage: '1Gi' } },
  },
});

/** As Pod Security `restricted` wants it; the scheduler finds the node. */
const deployment = (name: string, script: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 1,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: NOBODY,
          runAsGroup: NOBODY,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'c',
            image: 'host',
            command: ['sh', '-c', script],
            volumeMounts: [{ name: 'data', mountPath: '/mnt/rollcall-data' }],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
      },
    },
  },
});

const SCRIPT =
  'grep -hE "^(Seccomp|CapBnd|NoNewPrivs|Uid):" /proc/self/status > /mnt/rollcall-data/said.new && mv /mnt/rollcall-data/said.new /mnt/rollcall-data/said; exec sleep 1000';

describe.runIf(missing === undefined || isComplete)('what charts ask for', { timeout: 120_000 }, () => {
  let here: ClusterHere;

  beforeAll(async () => {
    expect(missing).toBeUndefined();
    here = await startClusterHere();
    here.agent('m1').start();
    await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
  }, 120_000);

  afterAll(() => here.close());

  it.each([
    ['hostPath', (path: string) => ({ hostPath: { path } })],
    [
      'local',
      (path: string) => ({
        local: { path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['m1'] }] },
            ],
          },
        },
      }),
    ],
  ])(
    'a restricted Deployment writes to its claim, bound to a volume of the kind %s',
    async (kind, source) => {
      const name = kind.toLowerCase();
      const path = join(here.folder, name);
      mkdirSync(path);
      chownSync(path, NOBODY, NOBODY);
      await here.apply(volume(name, source(path)), claim(name), deployment(name, SCRIPT));
      const said = await here.seen('the pod has written', PATIENCE_MS, async () => {
        try {
          return readFileSync(join(path, 'said'), 'utf8');
        } catch {
          return false;
        }
      });
      expect(said.replaceAll('\t', ' ').split('\n').filter(Boolean)).toEqual([
        `Uid: ${NOBODY} ${NOBODY} ${NOBODY} ${NOBODY}`,
        'CapBnd: 0000000000000000',
        'NoNewPrivs: 1',
        'Seccomp: 2',
      ]);
    },
  );
});
