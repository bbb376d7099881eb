/** Two machines join by the printed line; one of them goes down in order, and the other takes over. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { podProcesses } from '../../../support/agent/machines/pod-processes.ts';
import { makeSharedFolder, withSharedFolder } from '../../../support/agent/pods/shared-folder.ts';
import { missingForLogind } from '../../../support/logind/needs.ts';
import { type RealLogind, startRealLogind } from '../../../support/logind/real-logind.ts';

const PATIENCE_MS = 60_000;
const REPLICAS = 4;
const OVERRIDE = '/etc/systemd/logind.conf.d/99-rollcall-agent.conf';
const TERMINATED = 'Pod was terminated in response to imminent node shutdown.';
const REFUSED = 'Pod was rejected as the node is shutting down.';
/** Together more than the 5 s that logind waits by default. */
const GRACE = { 0: 4, 1000: 5, 2000000000: 3 };

const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster() ?? missingForLogind();
if (missing !== undefined) process.stdout.write(`skipped: a machine that goes down in order: ${missing}\n`);

const graceConfig = [
  'shutdownGracePeriodByPodPriority:',
  ...Object.entries(GRACE).map(
    ([priority, seconds]) => `- { priority: ${priority}, shutdownGracePeriodSeconds: ${seconds} }`,
  ),
];

const containerOf = (script: string) => ({
  name: 'c',
  image: 'host',
  command: ['/bin/sh', '-c', script],
});

const deployment = (marks: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: withSharedFolder(
        {
          terminationGracePeriodSeconds: 2,
          containers: [
            {
              ...containerOf(`echo started >> ${marks}/$NAME; exec sleep 1000`),
              env: [{ name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            },
          ],
        },
        marks,
      ),
    },
  },
});

/** A pod that says when it was told to end, and when it has ended: nanoseconds since the epoch. */
const barePod = (marks: string, name: string, priorityClassName: string, end: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: withSharedFolder(
    {
      nodeName: 'm1',
      priorityClassName,
      containers: [
        containerOf(
          [
            `told() { date +%s%N > ${marks}/${name}.told; ${end}; }`,
            'trap told TERM',
            `echo started >> ${marks}/${name}`,
            'while :; do sleep 0.1; done',
          ].join('\n'),
        ),
      ],
    },
    marks,
  ),
});

describe.runIf(missing === undefined || isComplete)(
  'two machines of one control plane',
  { timeout: 3 * PATIENCE_MS },
  () => {
    let here: ClusterHere;
    let logind: RealLogind;
    let m1: AgentHere;
    let m2: AgentHere;
    let marks: string;

    const pods = async (app?: string): Promise<readonly Pod[]> =>
      (await here.host.pods()).filter(
        ({ metadata }) => app === undefined || metadata.labels?.['app'] === app,
      );
    const pod = (name: string) => here.host.get<Pod>(`/api/v1/namespaces/default/pods/${name}`);
    const node = (name: string) => here.host.get<Node>(`/api/v1/nodes/${name}`);
    const ready = async (name: string) =>
      (await node(name)).status?.conditions?.find(({ type }) => type === 'Ready');
    const isReady = (name: string) =>
      here.seen(`${name} is ready`, PATIENCE_MS, async () => (await ready(name))?.status === 'True');
    const placesOf = async (phase: string): Promise<readonly string[]> =>
      (await pods('web'))
        .filter(({ status }) => status?.phase === phase)
        .map(({ spec }) => spec.nodeName ?? '')
        .toSorted();
    const instant = (name: string): bigint => BigInt(readFileSync(join(marks, name), 'utf8').trim());
    const record = (): unknown =>
      JSON.parse(readFileSync(join(m1.root, 'graceful_node_shutdown_state'), 'utf8'));
    /** The column STATUS of kubectl, by pod. */
    const printed = async (): Promise<Readonly<Record<string, string>>> => {
      const lines = (await here.kubectl('get', 'pods', '--no-headers')).trim().split('\n');
      return Object.fromEntries(
        lines.map((line) => {
          const [name = '', , status = ''] = line.split(/\s+/);
          return [name, status];
        }),
      );
    };

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      here = await startClusterHere();
      marks = makeSharedFolder(join(here.folder, 'marks'));
      logind = await startRealLogind(join(here.folder, 'logind'));
      m1 = here.agent('m1', { config: graceConfig, env: { DBUS_SYSTEM_BUS_ADDRESS: logind.busAddress } });
      m2 = here.agent('m2');
    }, PATIENCE_MS);

    afterAll(async () => {
      await logind.stop();
      await here.close();
      rmSync(OVERRIDE, { force: true });
    }, PATIENCE_MS);

    it('join by the printed line, word by word', async () => {
      for (const agent of [m1, m2]) agent.start();
      for (const { name } of [m1, m2]) await isReady(name);
      const lines = (await here.kubectl('get', 'nodes', '--no-headers')).trim().split('\n');
      expect(lines.map((line) => line.split(/\s+/).slice(0, 2))).toEqual([
        ['m1', 'Ready'],
        ['m2', 'Ready'],
      ]);
      expect(await logind.inhibitDelaySeconds()).toBe(12);
      expect(await logind.lockHolders()).toEqual(['rollcall-agent (m1)']);
    });

    it('run the pods of a Deployment', async () => {
      await here.apply(deployment(marks));
      await here.kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
      const places = await placesOf('Running');
      expect(places).toHaveLength(REPLICAS);
      expect(new Set(places)).toEqual(new Set(['m1', 'm2']));
      expect(readdirSync(marks)).toHaveLength(REPLICAS);
    });

    it('run pods of several priorities', async () => {
      const value = 1000;
      await here.apply({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'important' },
        value,
      });
      await here.apply(
        barePod(marks, 'deaf', '', ':'),
        barePod(marks, 'polite', '', `sleep 1; date +%s%N > ${marks}/polite.ended; exit 0`),
        barePod(marks, 'important', 'important', `sleep 1; date +%s%N > ${marks}/important.ended; exit 3`),
        barePod(marks, 'critical', 'system-node-critical', `date +%s%N > ${marks}/critical.ended; exit 0`),
      );
      for (const name of ['deaf', 'polite', 'important', 'critical'])
        await here.seen(`${name} runs`, PATIENCE_MS, async () => existsSync(join(marks, name)));
      await here.seen('all run at the API', PATIENCE_MS, async () =>
        (await pods()).every(({ status }) => status?.phase === 'Running'),
      );
    });

    it('end in order when one machine goes down: the least important pods first, all in time', async () => {
      await logind.powerOff();
      await here.seen('m1 is not ready', PATIENCE_MS, async () => (await ready('m1'))?.status === 'False');
      expect(await ready('m1')).toMatchObject({
        reason: 'KubeletNotReady',
        message: 'node is shutting down',
      });
      await here.seen('kubectl says so', PATIENCE_MS, async () =>
        /^m1 +NotReady,ShuttingDown /.test(await here.kubectl('get', 'node', 'm1', '--no-headers')),
      );
      await here.seen('the phase', PATIENCE_MS, async () => {
        const condition = (await node('m1')).status?.conditions?.find(
          ({ type }) => type === 'GracefulNodeShutdownInProgress',
        );
        return /phase \d of 3$/.test(condition?.message ?? '');
      });
      await here.seen('logind powers off', PATIENCE_MS, async () => logind.hasPoweredOff());
      // logind has not lost its patience: the agent let go of its lock when all had ended.
      expect(record()).toEqual({
        startTime: expect.stringMatching(/Z$/),
        endTime: expect.not.stringMatching(/^0001/),
      });
      expect(instant('polite.told')).toBeLessThan(instant('important.told'));
      expect(instant('polite.ended')).toBeLessThan(instant('important.told'));
      expect(instant('important.ended')).toBeLessThan(instant('critical.told'));
      expect(existsSync(join(marks, 'critical.ended'))).toBe(true);
      expect(podProcesses(m1.root)).toEqual([]);
      expect(await logind.inhibitors()).toEqual([]);
    });

    it('shows the statuses that are documented', async () => {
      const isOver = ({ spec, status }: Pod): boolean =>
        spec.nodeName !== 'm1' || status?.phase === 'Failed' || status?.phase === 'Succeeded';
      await here.seen('all pods of m1 have ended', PATIENCE_MS, async () => (await pods()).every(isOver));
      for (const name of ['deaf', 'important']) {
        const { status } = await pod(name);
        expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated', message: TERMINATED });
      }
      for (const name of ['polite', 'critical'])
        expect(await pod(name)).toMatchObject({ status: { phase: 'Succeeded' } });
      for (const { spec, status } of await pods()) {
        if (spec.nodeName !== 'm1') continue;
        expect(status?.conditions).toContainEqual(
          expect.objectContaining({
            type: 'DisruptionTarget',
            status: 'True',
            reason: 'TerminationByKubelet',
            message: TERMINATED,
          }),
        );
      }
      expect(await printed()).toMatchObject({
        deaf: 'Error',
        important: 'Error',
        polite: 'Completed',
        critical: 'Completed',
      });
      const described = await here.kubectl('describe', 'pod', 'important');
      expect(described).toMatch(/\nReason: +Terminated\nMessage: +Pod was terminated in response to/);
      expect(await here.kubectl('get', 'events')).toMatch(
        /Shutdown +node\/m1 +Shutdown manager detected shutdown event/,
      );
    });

    it('refuses a pod that comes late', async () => {
      await here.apply(barePod(marks, 'late', '', 'exit 0'));
      await here.seen(
        'it is refused',
        PATIENCE_MS,
        async () => (await pod('late')).status?.phase === 'Failed',
      );
      expect((await pod('late')).status).toMatchObject({
        reason: 'NodeShutdown',
        message: `Pod was rejected: ${REFUSED}`,
      });
      expect(await printed()).toMatchObject({ late: 'NodeShutdown' });
      expect(await here.kubectl('get', 'events')).toContain(REFUSED);
      expect(existsSync(join(marks, 'late'))).toBe(false);
    });

    it('has replacements on the other machine', async () => {
      await here.kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
      expect(await placesOf('Running')).toEqual(Array.from({ length: REPLICAS }, () => 'm2'));
      const told = Number(instant('critical.told') / 1_000_000n);
      for (const { metadata } of await pods('web'))
        expect(Date.parse(metadata.creationTimestamp ?? ''), 'made before the last pods end').toBeLessThan(
          told,
        );
    });

    it('is whole again when the machine is back: what ended stays ended', async () => {
      await m1.process().end('SIGKILL');
      await logind.restart();
      const before = await printed();
      m1.start();
      await isReady('m1');
      expect(await here.kubectl('get', 'nodes', '--no-headers')).toMatch(/^m1 +Ready /);
      expect(record()).toMatchObject({ endTime: expect.not.stringMatching(/^0001/) });
      await here.seen('a new lock', PATIENCE_MS, async () => (await logind.inhibitors()).length === 1);
      await here.apply(barePod(marks, 'next', '', 'exit 0'));
      await here.seen(
        'a new pod runs',
        PATIENCE_MS,
        async () => (await pod('next')).status?.phase === 'Running',
      );
      expect(await printed()).toEqual({ ...before, next: 'Running' });
      expect(await placesOf('Running')).toHaveLength(REPLICAS);
      for (const name of ['deaf', 'polite', 'important', 'critical'])
        expect(readFileSync(join(marks, name), 'utf8')).toBe('started\n');
    });
  },
);
