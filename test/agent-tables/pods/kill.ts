import { stopContainers } from '../../../agent/pods/containers/stop-containers.ts';
import { awaitKilled } from '../../../agent/pods/kill-call.ts';
import type { PodEvent } from '../../../agent/ports/api/pod-events.ts';
import type { AgentPod } from '../../../agent/rules/containers/agent-pod.ts';
import type { Container } from '../../../agent/rules/containers/container.ts';
import { createVirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import { byText } from '../../../shared/kube/text/compare-text.ts';
import { type Replays, replay } from '../replay.ts';

interface CallRow {
  readonly specGrace: number | null;
  readonly override: number | null;
  readonly stoppedAfterMs: number | null;
}

interface KillRow {
  readonly pod: AgentPod;
  readonly override: number | null;
  readonly running: readonly string[];
  readonly preStopMs: Readonly<Record<string, number>>;
  readonly preStopFails: Readonly<Record<string, boolean>>;
  readonly exitMs: Readonly<Record<string, number>>;
  readonly stopError: Readonly<Record<string, string>>;
}

type Step = readonly [number, string, number | null];

const agentClock = () => {
  const clock = createVirtualClock(0);
  return { ...clock, uptime: clock.now };
};

const podWith = (seconds: number | null): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [], ...(seconds !== null && { terminationGracePeriodSeconds: seconds }) },
});

const killCall = async ({ specGrace, override, stoppedAfterMs }: CallRow) => {
  const clock = agentClock();
  const events: PodEvent[] = [];
  const deps = { clock, events: { record: (_pod: unknown, event: PodEvent) => events.push(event) } };
  const stopped = stoppedAfterMs === null ? new Promise(() => undefined) : clock.sleep(stoppedAfterMs);
  const call = awaitKilled(deps, podWith(specGrace), stopped, override ?? undefined);
  const error = await clock.run(
    call.then(
      () => null,
      ({ message }: Error) => message,
    ),
  );
  return {
    error,
    events: events.map(({ type, reason, message }) => [type, reason, message]),
    ms: clock.now(),
  };
};

const byTimeAndText = ([a, text]: Step, [b, other]: Step): number => a - b || byText(text, other);

const containerKill = async (row: KillRow) => {
  const clock = agentClock();
  const events: string[] = [];
  const timeline: Step[] = [];
  const runtime = {
    stopContainer: async (name: string, seconds: number) => {
      timeline.push([clock.now(), `stop ${name}`, seconds]);
      await clock.sleep(Math.min(row.exitMs[name] ?? 0, seconds * 1000));
      const error = row.stopError[name];
      if (error !== undefined) throw new Error(error);
    },
    runPreStop: async (_pod: AgentPod, { name }: Container) => {
      timeline.push([clock.now(), `preStop ${name}`, null]);
      await clock.sleep(row.preStopMs[name] ?? 0);
      if (row.preStopFails[name]) throw new Error('hook failed');
    },
  };
  const record = (_pod: unknown, { type, reason, message }: PodEvent) =>
    events.push(`${type} ${reason} ${message}`);
  const { containers, initContainers = [] } = row.pod.spec;
  const running = [...initContainers, ...containers]
    .filter(({ name }) => row.running.includes(name))
    .map((container) => ({ id: container.name, container }));
  const deps = { clock, runtime, events: { record } };
  const results = await clock.run(stopContainers(deps, row.pod, running, row.override ?? undefined));
  const doneMs = clock.now();
  // A hook that is not waited for any more still says that it failed.
  await clock.run(clock.sleep(Math.max(0, ...Object.values(row.preStopMs))));
  return {
    doneMs,
    events: events.toSorted(byText),
    failures: results
      .filter(({ error }) => error !== undefined)
      .map(({ name, error }) => `${name}: KillContainerError: ${error}`)
      .toSorted(byText),
    timeline: timeline.toSorted(byTimeAndText),
  };
};

export const TABLES: Replays = {
  'pod-kill-call': replay(killCall),
  'container-kill': replay(containerKill),
};
