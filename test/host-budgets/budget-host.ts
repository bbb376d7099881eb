/** A host in this process, without a listener and without schedules: it does what requests cause, and nothing else. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { grantAccess } from '../../host/access.ts';
import { apiDepsOf, createHostApi } from '../../host/api.ts';
import type { Presence } from '../../host/beats/presence.ts';
import { startControlPlane } from '../../host/control-plane.ts';
import { createHostMetrics } from '../../host/figures/host-metrics.ts';
import { openFolder } from '../../host/folder/folder.ts';
import { portsOf } from '../../host/ports.ts';
import { SILENT_BUS } from '../../host/queues/event-bus.ts';
import { type ControlPlaneDeps, createInvocation } from '../../host/queues/invocation.ts';
import { settingsOf } from '../../host/queues/settings.ts';
import { loadControllers } from '../../lambdas/controllers.ts';
import type { SqliteState } from '../../shared/adapters/sqlite/state.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { createHostLog } from '../../shared/serving/machine/host-log.ts';
import { parseHostConfiguration } from '../../shared/settings/host/host-configuration.ts';
import type { Counter } from './counter.ts';

const CONTENT = { 'content-type': 'application/json' };
const PATCH = { 'content-type': 'application/strategic-merge-patch+json' };
/** Messages that become visible later than this (ms) are not waited for. */
const SOON_MS = 1_000;
/** Turns of the event loop in a row without work after which a host is idle. */
const IDLE_TURNS = 50;

/** It was never away. */
const PRESENT: Presence = {
  observe: async () => undefined,
  quietUntil: () => 0,
  comebackUntil: () => 0,
  deletionsRestUntil: () => 0,
  returns: () => 0,
};

/** Whether all changes are routed and all messages handled, in the file and in memory. */
const createLook = (folder: string, counter: Counter, { feed, queues }: SqliteState) => {
  const file = counter.uncounted(() => new DatabaseSync(join(folder, 'objects.db'), { readOnly: true }));
  const one = (sql: string, ...values: readonly number[]): number =>
    counter.uncounted(() => Number((file.prepare(sql).get(...values) as { n: number | null }).n ?? 0));
  const messages = `SELECT count(*) AS n FROM message WHERE visible_at IS NOT NULL AND (receive_count > 0 OR visible_at <= ?)`;
  return {
    isIdle: async (): Promise<boolean> =>
      one(messages, Date.now() + SOON_MS) === 0 &&
      ![...queues.routed.all()].some(
        ({ receiveCount, visibleAt }) => receiveCount > 0 || visibleAt <= Date.now() + SOON_MS,
      ) &&
      one('SELECT max(position) AS n FROM change') <= (await feed.position()),
    close: () => counter.uncounted(() => file.close()),
  };
};

export interface BudgetHost {
  /** Resolves with the body of the answer; rejects if it is an error. */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    object?: object,
  ): Promise<ApiObject>;
  /** Opens a watch and reads all that it sends. */
  watch(path: string): Promise<void>;
  /** Resolves when all that requests have caused is done. */
  idle(): Promise<void>;
  /** Messages that the router has sent so far. */
  routed(): number;
  /** Bytes of the logs of the files. */
  bytes(): number;
  stop(): Promise<void>;
}

export const startBudgetHost = async (root: string, counter: Counter): Promise<BudgetHost> => {
  const configuration = parseHostConfiguration({ folder: root });
  const { cluster } = configuration;
  const clock = { now: () => Date.now() };
  const lines: string[] = [];
  const hostLog = createHostLog({ format: 'text', clock, write: (line) => lines.push(line) });
  const opened = await openFolder(configuration, hostLog);
  let routed = 0;
  const { sendRouted } = opened.state.queues;
  Object.assign(opened.state.queues, {
    sendRouted: ((queue, messages) => {
      routed += messages.length;
      return sendRouted(queue, messages);
    }) satisfies typeof sendRouted,
  });
  const loaded = await loadControllers();
  const metrics = createHostMetrics(loaded.flatMap(({ work }) => work.metrics));
  const ports = portsOf(opened, metrics);
  const serve = createHostApi(apiDepsOf(ports, opened));
  const access = { ...opened, ca: opened.certificates.ca, port: 1 };
  const { adminToken } = await grantAccess(configuration, access);
  const deps: ControlPlaneDeps = {
    ...ports,
    ...ports.fair,
    bus: SILENT_BUS,
    presence: PRESENT,
    derivesNodeFields: true,
    ...settingsOf(cluster).controllers,
  };
  const controlPlane = await startControlPlane(
    deps,
    loaded.map((one) => ({ ...one, scheduled: [] })),
  );
  // Nothing is bound before the first sweep over claims has ended.
  for (const { name, run } of loaded.flatMap(({ scheduled }) => scheduled))
    if (name === 'capacity-sweep') await run(createInvocation(deps));
  const look = createLook(opened.paths.state, counter, opened.state);
  const ended = new AbortController();
  const request = (signal: AbortSignal, method: string, path: string, object?: object) => {
    const { pathname, searchParams: query } = new URL(path, 'http://host.test');
    const headers = {
      authorization: `Bearer ${adminToken}`,
      ...(object && (method === 'PATCH' ? PATCH : CONTENT)),
    };
    const body = Buffer.from(object ? JSON.stringify(object) : '');
    return serve({ method, path: pathname, query, headers, body, address: '127.0.0.1', signal });
  };
  const idle = async (): Promise<void> => {
    for (let turns = 0; turns < IDLE_TURNS; turns += 1) {
      await turn();
      if (!(await look.isIdle())) turns = 0;
    }
  };
  // The token is verified once, in another thread.
  await request(ended.signal, 'GET', '/api/v1/namespaces/default');
  return {
    send: async (method, path, object) => {
      const answered = new AbortController();
      const { status, body } = await request(answered.signal, method, path, object);
      answered.abort();
      if (status >= 300) throw new Error(`${method} ${path}: ${status} ${String(body)} ${lines.join('\n')}`);
      return JSON.parse(String(body)) as ApiObject;
    },
    watch: async (path) => {
      const { stream } = await request(ended.signal, 'GET', path);
      void (async () => {
        for await (const _piece of stream ?? []);
      })().catch(() => undefined);
    },
    idle,
    routed: () => routed,
    bytes: () =>
      ['objects', 'heartbeats']
        .map((name) => statSync(join(opened.paths.state, `${name}.db-wal`)).size)
        .reduce((sum, size) => sum + size, 0),
    stop: async () => {
      ended.abort();
      look.close();
      await Promise.all(controlPlane.map((loop) => loop.stop()));
      opened.state.close();
    },
  };
};
