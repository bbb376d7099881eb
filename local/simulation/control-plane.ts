import type { Change } from '../../lambdas/change-router/reconcile.ts';
import { reconcile as routeChanges } from '../../lambdas/change-router/reconcile.ts';
import { reconcile as evictNodes } from '../../lambdas/node-eviction/reconcile.ts';
import { reconcile as monitorNodes, NODE_MONITOR_DEFAULTS } from '../../lambdas/node-monitor/reconcile.ts';
import { enqueueTicks } from '../../lambdas/node-monitor/ticks.ts';
import { reconcile as markPods } from '../../lambdas/pod-readiness/reconcile.ts';
import { reconcile as evictPods } from '../../lambdas/taint-eviction/reconcile.ts';
import { sweep } from '../../lambdas/taint-eviction/sweep.ts';
import { createMemoryEventBus } from '../../shared/adapters/memory/event-bus.ts';
import { createMemoryQueues } from '../../shared/adapters/memory/queues.ts';
import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../shared/adapters/memory/virtual-clock.ts';
import {
  EvictionWakeup,
  MonitorTick,
  PodReadinessMessage,
  TaintEvictionMessage,
} from '../../shared/ports/messages.ts';
import type { QueueName, WorkQueues } from '../../shared/ports/work-queue.ts';
import { createEventRecorder } from '../../shared/state/event-recorder.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import type {
  Committed,
  ControlPlane,
  ControlPlaneOptions,
  Invocation,
  Part,
} from './control-plane-types.ts';
import { createIds } from './ids.ts';

const MINUTE_MS = 60_000;
/** How long a commit takes to come out of the stream, ms. */
const STREAM_MS = 100;

export const createMemoryControlPlane = (options: ControlPlaneOptions = {}): ControlPlane => {
  const clock = options.clock ?? createVirtualClock();
  const visibilityTimeoutMs = options.visibilityTimeoutMs ?? 30_000;
  const config = { ...NODE_MONITOR_DEFAULTS, ...options.config };
  const ids = createIds();
  const bus = createMemoryEventBus();
  const failures: unknown[] = [];
  const commits: Committed[] = [];
  const onCommit = options.onCommit ?? ((commit: Committed) => commits.push(commit));
  const off = new Set<Part>();
  const pending: Change[] = [];
  const state = options.stored ?? createMemoryState();
  const memoryQueues = createMemoryQueues({ clock, visibilityTimeoutMs });

  const attempt = (work: Promise<unknown>): Promise<boolean> =>
    work.then(
      () => true,
      (error: unknown) => {
        failures.push(error);
        return false;
      },
    );

  state.listen((before, after) => {
    const change = { ...(before ? { before } : {}), after };
    onCommit({ at: clock.now(), change });
    pending.push(change);
    if (pending.length === 1) void clock.sleep(STREAM_MS).then(drainStream);
  });

  const queues: WorkQueues = {
    send: async (queue, messages) => {
      await memoryQueues.send(queue, messages);
      for (const delaySeconds of new Set(messages.map((message) => message.delaySeconds ?? 0)))
        void clock.sleep(delaySeconds * 1000).then(() => pump(queue));
    },
  };

  const invoke = () => {
    const ports: Invocation = { ...state, clock, ids, queues, bus };
    const own = options.invocation?.(ports) ?? ports;
    const writer = createObjectWriter(own);
    return { ...own, writer, recorder: createEventRecorder({ writer, ids: own.ids }) };
  };

  const handle: Readonly<Record<QueueName, (body: unknown) => Promise<unknown>>> = {
    'node-monitor-ticks': async (body) => {
      const tick = MonitorTick.parse(body);
      const run = () => monitorNodes({ ...invoke(), config }, tick);
      return options.monitor ? options.monitor(run, tick) : run();
    },
    'pod-readiness': async (body) => markPods(invoke(), PodReadinessMessage.parse(body)),
    'eviction-wakeups': async (body) => evictNodes(invoke(), EvictionWakeup.parse(body)),
    'taint-eviction': async (body) => evictPods(invoke(), TaintEvictionMessage.parse(body)),
  };

  const consume = async (queue: QueueName, receipt: string, body: string): Promise<void> => {
    if (await attempt(handle[queue](JSON.parse(body)))) await memoryQueues.delete(queue, receipt);
    else void clock.sleep(visibilityTimeoutMs).then(() => pump(queue));
  };

  const pump = async (queue: QueueName): Promise<void> => {
    for (const { receipt, body } of await memoryQueues.receive(queue, Number.POSITIVE_INFINITY))
      if (off.has(queue)) await memoryQueues.delete(queue, receipt);
      else void consume(queue, receipt, body);
  };

  /** In order, one batch at a time, the same batch until it succeeds; while off, records are lost. */
  const drainStream = async (): Promise<void> => {
    const batch = pending.slice(0, 100);
    const isDone = off.has('stream') || (await attempt(routeChanges(invoke(), batch)));
    if (isDone) pending.splice(0, batch.length);
    if (pending.length > 0) await clock.sleep(isDone ? 1 : 1_000).then(drainStream);
  };

  const eachMinute = async (part: Part, offsetMs: number, work: () => Promise<unknown>): Promise<void> => {
    await clock.sleep(offsetMs);
    for (;;) {
      if (!off.has(part)) await attempt(work());
      await clock.sleep(MINUTE_MS);
    }
  };

  let isStarted = false;
  const start = (): void => {
    if (isStarted) return;
    isStarted = true;
    void eachMinute('ticks', 1, () => enqueueTicks({ queues: invoke().queues, config }, clock.now()));
    void eachMinute('sweep', 30_000, () => sweep(invoke()));
  };

  const writer = createObjectWriter({ ...state, clock, ids });
  return {
    clock,
    config,
    state,
    writer,
    recorder: createEventRecorder({ writer, ids }),
    queues,
    bus,
    deadLetters: memoryQueues.deadLetters,
    failures,
    commits,
    run: async (ms) => {
      start();
      await clock.run(clock.sleep(ms));
    },
    invoke,
    set: (part, isOn) => {
      if (isOn) off.delete(part);
      else off.add(part);
    },
  };
};
