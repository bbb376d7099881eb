import { createStatusSync } from '../../../agent/pods/worker/status-sync.ts';
import type { KnownPods, PodApi } from '../../../agent/ports/api/pod-api.ts';
import type { AgentPod, AgentPodStatus } from '../../../agent/rules/containers/agent-pod.ts';
import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import { applyStrategicMerge } from '../../../shared/kube/patch/strategic-merge.ts';
import { schemaOf } from '../../../shared/kube/schema/schema-of.ts';
import { type Replays, replay } from '../replay.ts';

type Verb = 'get' | 'patch' | 'delete';

interface Operation {
  readonly op: 'set' | 'terminate' | 'sync' | 'syncAll' | 'stopped' | 'recreate' | 'gone';
  readonly status?: AgentPodStatus;
  readonly answers?: Readonly<Partial<Record<Verb, readonly string[]>>>;
}

interface SyncRow {
  readonly pod: AgentPod;
  readonly couldHaveRunningContainers: boolean;
  readonly operations: readonly Operation[];
}

const START = Date.UTC(2000, 0, 1);
const STEP_MS = 10_000;

/** An API with one pod, which answers as the row says. */
const apiWith = (first: AgentPod) => {
  let server: AgentPod | undefined = first;
  let calls: JsonObject[] = [];
  let answers: Partial<Record<Verb, readonly string[]>> = {};
  const called = (verb: Verb, call: JsonObject = {}): string | undefined => {
    const [given, ...later] = answers[verb] ?? [];
    answers = { ...answers, [verb]: later };
    const answer = given ?? (server ? undefined : 'NotFound (does not exist)');
    calls.push({ verb, ...call, ...(answer && { answer }) });
    if (answer && !(verb === 'get' && answer.startsWith('NotFound'))) throw new Error(answer);
    return answer;
  };
  const api: PodApi = {
    get: async () => await Promise.resolve(called('get') ? undefined : server),
    patchStatus: async (_namespace, _name, body) => {
      called('patch', { body });
      const merged = applyStrategicMerge(
        (server ?? {}) as unknown as JsonObject,
        body,
        schemaOf('core.v1.Pod'),
      );
      server = merged as unknown as AgentPod;
      return await Promise.resolve(server);
    },
    delete: async (_namespace, _name, uid) => {
      called('delete', { gracePeriodSeconds: 0, preconditionUID: uid });
      server = undefined;
      await Promise.resolve();
    },
  };
  return {
    api,
    server: () => server,
    replace: (pod: AgentPod | undefined) => {
      server = pod;
    },
    begin: (given: Operation['answers'] = {}) => {
      [calls, answers] = [[], given];
    },
    calls: () => calls,
  };
};

const statusSync = async ({ pod, couldHaveRunningContainers, operations }: SyncRow) => {
  const world = apiWith(pod);
  let known: AgentPod | undefined = pod;
  let last = pod;
  let mayRun = couldHaveRunningContainers;
  let now = START;
  const pods: KnownPods = {
    byUid: (uid) => (known?.metadata.uid === uid ? known : undefined),
    mirrorOf: () => undefined,
    mayRun: () => mayRun,
  };
  const statuses = createStatusSync({
    api: world.api,
    pods,
    clock: { now: () => now },
    onFault: () => undefined,
  });
  const act: Readonly<Record<Operation['op'], (operation: Operation) => void | Promise<void>>> = {
    set: ({ status = {} }) => statuses.set(last, status),
    terminate: () => statuses.finish(last),
    sync: () => statuses.sync('changed'),
    syncAll: () => statuses.sync('all'),
    stopped: () => {
      mayRun = false;
    },
    recreate: () => {
      const { status: _status, ...rest } = last;
      world.replace({ ...rest, metadata: { ...rest.metadata, uid: 'other' } });
    },
    gone: () => world.replace(undefined),
  };
  const out: unknown[] = [];
  for (const operation of operations) {
    now += STEP_MS;
    world.begin(operation.answers);
    await act[operation.op](operation);
    const server = world.server();
    if (server && server.metadata.uid === last.metadata.uid) last = server;
    known = last;
    const phase = statuses.status('u')?.phase;
    out.push({ calls: world.calls(), ...(phase && { cachedPhase: phase }) });
  }
  return out;
};

export const TABLES: Replays = { 'pod-status-sync': replay(statusSync) };
