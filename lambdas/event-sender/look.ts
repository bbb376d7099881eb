/** Tells sinks what waits for them, and plans the next look. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { SINK_LOOKS, type SinkLook } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import {
  type SinkReport,
  type TellableSink,
  type TellSinkDeps,
  tellSink,
} from '../../shared/store/events/deliver-to-sink.ts';
import { planLook } from '../../shared/store/events/sink-memory.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';

/** What the sender needs. */
export interface EventSenderDeps extends TellSinkDeps {
  readonly queues: WorkQueues;
  readonly sinks: readonly TellableSink[];
}

/** The longest delay of a message, ms. A look that is due later comes upon nothing, and plans the next one. */
const LONGEST_DELAY_MS = 900_000;
/** Sinks at the same time. */
const AT_ONCE = 8;

const plan = async (deps: EventSenderDeps, sink: string, nextAt: EpochMs): Promise<void> => {
  const now = deps.clock.now();
  const at = Math.min(nextAt, now + LONGEST_DELAY_MS);
  if (!(await planLook(deps, sink, at))) return;
  const body: SinkLook = { v: 1, kind: 'sink', sink };
  await deps.queues.send(SINK_LOOKS, [{ body, delaySeconds: Math.max(0, Math.ceil((at - now) / 1000)) }]);
};

const look = async (deps: EventSenderDeps, sink: TellableSink): Promise<SinkReport> => {
  const report = await tellSink(deps, sink);
  if (report.nextAt !== undefined) await plan(deps, report.sink, report.nextAt);
  return report;
};

/** Looks at the sink of a message. Nobody waits for what was stored for a sink that is not configured any more: it expires. */
export const lookAt = (deps: EventSenderDeps, { sink }: SinkLook): Promise<readonly SinkReport[]> =>
  inParallel(
    deps.sinks.filter(({ name }) => name === sink),
    AT_ONCE,
    (one) => look(deps, one),
  );

/** Looks at all sinks, for looks whose message was lost. */
export const lookAtAll = (deps: EventSenderDeps): Promise<readonly SinkReport[]> =>
  inParallel(deps.sinks, AT_ONCE, (one) => look(deps, one));
