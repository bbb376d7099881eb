import type { Change } from '../../lambdas/change-router/change.ts';
import { routeChanges } from '../../lambdas/change-router/route-changes.ts';
import { loadControllers, type ScheduledRun } from '../../lambdas/controllers.ts';
import { MonitorTick } from '../../lambdas/node-monitor/message.ts';
import { TICKS } from '../../lambdas/node-monitor/queue.ts';
import { reconcile as monitorNodes, NODE_MONITOR_DEFAULTS } from '../../lambdas/node-monitor/reconcile.ts';
import { createMemoryEventBus } from '../../shared/adapters/memory/event-bus.ts';
import { createMemoryQueues } from '../../shared/adapters/memory/queues.ts';
import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../shared/adapters/memory/virtual-clock.ts';
import type { QueueName, WorkQueues } from '../../shared/ports/work-queue.ts';
import { createEventRecorder } from '../../shared/state/event-recorder.ts';
import { createObjectWriter } from '../../shared/state/object-writer.ts';
import type { Committed, ControlPlane, ControlPlaneOptions, Invocation } from './control-plane-types.ts';
import { createIds } from './ids.ts';

/** Loaded before any clock runs: what is waited for in virtual time must not wait for a file. */
const CONTROLLERS = await loadControllers();

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
  const off = new Set<string>();
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
    return { ...own, writer, recorder: createEventRecorder({ writer, ids: own.ids }), config };
  };

  type Handle = (body: unknown) => Promise<unknown>;

  /** Passes that somebody else starts. */
  const monitorPass =
    (monitor: NonNullable<ControlPlaneOptions['monitor']>): Handle =>
    async (body) => {
      const tick = MonitorTick.parse(body);
      return monitor(() => monitorNodes(invoke(), tick), tick);
    };

  const handles = new Map<QueueName, Handle>(
    CONTROLLERS.flatMap(({ queue, work }) =>
      queue ? [[queue.name, async (body: unknown) => work.handle(invoke(), body)] as const] : [],
    ),
  );
  if (options.monitor) handles.set(TICKS.name, monitorPass(options.monitor));

  const handle = async (queue: QueueName, body: string): Promise<unknown> => {
    const found = handles.get(queue);
    if (!found) throw new Error(`no controller works the queue "${queue}" off`);
    return found(JSON.parse(body));
  };

  const consume = async (queue: QueueName, receipt: string, body: string): Promise<void> => {
    if (await attempt(handle(queue, body))) await memoryQueues.delete(queue, receipt);
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

  /** No earlier than a millisecond after the start, so that what is put into the state before is there. */
  const onSchedule = async ({ name, everyMinutes, firstAfterSeconds, run }: ScheduledRun): Promise<void> => {
    await clock.sleep(Math.max(1, firstAfterSeconds * 1000));
    for (;;) {
      if (!off.has(name)) await attempt(run(invoke()));
      await clock.sleep(everyMinutes * 60_000);
    }
  };

  let isStarted = false;
  const start = (): void => {
    if (isStarted) return;
    isStarted = true;
    for (const { scheduled } of CONTROLLERS) for (const run of scheduled) void onSchedule(run);
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
