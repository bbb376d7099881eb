/** An agent that is told to stop ends soon, whatever its pods have it do; they go on. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import {
  type AgentHere,
  type ClusterHere,
  missingForCluster,
  startClusterHere,
} from '../../../support/agent/machines/cluster-here.ts';
import { podProcesses } from '../../../support/agent/machines/pod-processes.ts';

const HOST = '127.0.0.1';
const PATIENCE_MS = 30_000;
/** Systemd would wait for 90 s before it kills. */
const MOST_STOP_MS = 30_000;
const isComplete = process.env['ROLLCALL_NO_SKIP'] === '1';
const missing = missingForCluster();
if (missing !== undefined) process.stdout.write(`skipped: an agent that is told to stop: ${missing}\n`);

describe.runIf(missing === undefined || isComplete)(
  'an agent of pods with probes',
  { timeout: 120_000 },
  () => {
    let here: ClusterHere;
    let agent: AgentHere;
    let server: Server;

    const every = { periodSeconds: 1, failureThreshold: 100 };
    /** One probe succeeds, one fails, and one takes longer than its period. */
    const podsOf = (port: number) => {
      const probes = {
        exec: [
          { exec: { command: ['true'] } },
          { exec: { command: ['false'] } },
          { exec: { command: ['sleep', '5'] } },
        ],
        http: [
          { httpGet: { host: HOST, port } },
          { httpGet: { host: HOST, port, path: '/no' } },
          { httpGet: { host: HOST, port, path: '/late' } },
        ],
        tcp: [
          { tcpSocket: { host: HOST, port } },
          { tcpSocket: { host: HOST, port: 1 } },
          { tcpSocket: { port, host: '192.0.2.1' } },
        ],
      };
      return Object.entries(probes).flatMap(([kind, [ready, not, late]]) =>
        [{ readinessProbe: ready, livenessProbe: not }, { startupProbe: late }].map((asked, index) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `${kind}-${index}` },
          spec: {
            nodeName: 'm1',
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                name: 'c',
                image: 'host',
                command: ['sleep', '1000'],
                ...Object.fromEntries(
                  Object.entries(asked).map(([name, how]) => [name, { ...how, ...every }]),
                ),
              },
            ],
          },
        })),
      );
    };
    const shims = (): number => podProcesses(agent.root).filter(({ isKeeper }) => isKeeper).length;
    const running = async (): Promise<readonly Pod[]> =>
      (await here.host.pods()).filter(({ status }) => status?.phase === 'Running');

    beforeAll(async () => {
      expect(missing).toBeUndefined();
      server = createServer(({ url }, answer) => {
        if (url !== '/late') answer.writeHead(url === '/no' ? 500 : 200).end();
      });
      await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
      here = await startClusterHere();
      agent = here.agent('m1');
      agent.start();
      await here.seen('it has joined', PATIENCE_MS, async () => (await here.host.nodes()).length === 1);
      await here.apply(...podsOf((server.address() as AddressInfo).port));
      await here.seen('the pods run', PATIENCE_MS, async () => (await running()).length === 6);
      await here.seen('all kinds of probes are asked', PATIENCE_MS, async () => {
        const events = await here.kubectl(
          'get',
          'events',
          '-o',
          'name',
          '--field-selector',
          'reason=Unhealthy',
        );
        return events.split('\n').filter(Boolean).length >= 3;
      });
    }, 120_000);

    afterAll(async () => {
      await here.close();
      server.closeAllConnections();
      server.close();
    });

    it('ends by SIGTERM within its time, and leaves the pods running', async () => {
      const late = AbortSignal.timeout(MOST_STOP_MS);
      late.addEventListener('abort', () => process.kill(agent.process().pid, 'SIGKILL'));
      expect(await agent.process().end('SIGTERM')).toBe(0);
      expect(shims()).toBe(6);
    });
  },
);
