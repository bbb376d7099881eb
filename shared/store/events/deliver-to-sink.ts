/** Tells a sink what waits for it, as the sender of a host does, by processes that keep nothing. */

import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { Notice, Outbox } from '../../ports/store/outbox.ts';
import {
  groupedBehind,
  leadOf,
  MOST_SINGLE,
  MOST_TOGETHER,
  nextBundle,
  nextSingle,
} from '../../rules/notifications/bundle.ts';
import { type CloudEvent, cloudEventOf } from '../../rules/notifications/cloud-event.ts';
import type { Delivery, DeliveryOutcome } from '../../rules/notifications/delivery.ts';
import { inOrder } from '../../rules/notifications/in-order.ts';
import { droppedEvent, MOST_WAITING, overflow } from '../../rules/notifications/overflow.ts';
import {
  afterDelivery,
  afterDropping,
  isSettled,
  outcomeOf,
  restMs,
  type SinkState,
  type Tried,
} from '../../rules/notifications/sink-state.ts';
import {
  holdSink,
  isHeld,
  type ReadSink,
  readSink,
  releaseSink,
  type SinkMemoryDeps,
} from './sink-memory.ts';

/** A sink, and how it is told. */
export interface TellableSink {
  readonly name: string;
  readonly isGrouped: boolean;
  /** Rejects if there was no answer. */
  deliver(event: CloudEvent): Promise<Delivery>;
}

/** What a look at a sink needs. */
export interface TellSinkDeps extends SinkMemoryDeps {
  readonly outbox: Outbox;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: IdSource;
  readonly clusterId: string;
}

/** One delivery. */
export interface ToldSink {
  readonly outcome: DeliveryOutcome;
  readonly type: string;
  /** Events that it stands for, besides its own. */
  readonly grouped: number;
  /** What the sink said. */
  readonly said?: string;
}

/** What a look at a sink has led to. */
export interface SinkReport {
  readonly sink: string;
  readonly told: readonly ToldSink[];
  readonly dropped: number;
  /** Events that waited at the end, at most those that are looked at together, and for how long the oldest one has (ms). */
  readonly waiting: number;
  readonly oldestMs: number;
  /** When to look again (ms); `undefined`: nothing waits. */
  readonly nextAt: EpochMs | undefined;
}

/** Most of them that are read to make room. */
const MOST_READ = 30_000;
/** Milliseconds until a look that came upon another run looks again. */
const HELD_MS = 5_000;
/** Milliseconds after which a look leaves the rest to the next one. */
const TURN_MS = 35_000;
const NOBODY: ReadonlySet<string> = new Set();

type Step = { readonly kind: 'wait'; readonly at: EpochMs } | { readonly kind: 'idle' } | Done;
type Done =
  | { readonly kind: 'told'; readonly told: ToldSink }
  | { readonly kind: 'dropped'; readonly count: number };

interface Looked {
  readonly step: Step;
  readonly notices: readonly Notice[];
}

/** What is told next: a bundle, or what was dropped. */
interface Due {
  readonly tried: Tried;
  readonly event: CloudEvent;
  readonly grouped: number;
  readonly notices: readonly Notice[];
  readonly dueAt: EpochMs;
}

const waitingOf = (notices: readonly Notice[]) =>
  notices.map((notice, place) => ({ ...notice, position: place + 1 }));

const dueDropped = ({ clusterId, clock }: TellSinkDeps, { dropped }: SinkState): Due | undefined => {
  if (!dropped) return undefined;
  const event = cloudEventOf(droppedEvent(dropped), [], clusterId, clock.now());
  return { tried: { dropped }, event, grouped: 0, notices: [], dueAt: 0 };
};

/** Two notices with one id are one event: both go when it was told. */
const withRepetitions = (all: readonly Notice[], ids: ReadonlySet<string>): readonly Notice[] =>
  all.filter(({ id }) => ids.has(id));

const dueBundle = (
  { clusterId }: TellSinkDeps,
  { isGrouped }: TellableSink,
  { told }: SinkState,
  all: readonly Notice[],
): Due | undefined => {
  const waiting = waitingOf(inOrder(all));
  const bundle = isGrouped ? nextBundle(waiting, new Map(Object.entries(told))) : nextSingle(waiting, NOBODY);
  const lead = bundle && leadOf(bundle.events);
  const said = lead && waiting[lead.position - 1];
  if (!bundle || !lead || !said) return undefined;
  const grouped = groupedBehind(lead, bundle.events);
  const ids = new Set(bundle.events.map(({ position }) => waiting[position - 1]?.id ?? ''));
  return {
    tried: { bundle: bundle.key, severity: lead.severity },
    event: cloudEventOf(said.event, grouped, clusterId, lead.storedAt),
    grouped: bundle.events.length - 1,
    notices: withRepetitions(all, ids),
    dueAt: bundle.dueAt,
  };
};

const failedBy = (error: unknown): Delivery => ({ verdict: 'retry', said: String(error) });

const keysOf = (notices: readonly Notice[]): readonly string[] => notices.map(({ key }) => key);

const tell = async (deps: TellSinkDeps, sink: TellableSink, held: ReadSink, due: Due): Promise<Done> => {
  const { outbox, clock, ids } = deps;
  const delivery = await sink.deliver(due.event).catch(failedBy);
  if (isSettled(delivery)) await outbox.remove(sink.name, keysOf(due.notices));
  await releaseSink(deps, held, afterDelivery(held.state, due.tried, delivery, clock.now(), ids.random()));
  const { said } = delivery;
  const told = { outcome: outcomeOf(delivery), type: due.event.type, grouped: due.grouped };
  return { kind: 'told', told: { ...told, ...optional('said', said) } };
};

/** Makes room if too much waits; `undefined`: it does not, or another run was faster. */
const makeRoom = async (deps: TellSinkDeps, read: ReadSink): Promise<Done | undefined> => {
  const { outbox, clock } = deps;
  const all = await outbox.waiting(read.name, MOST_READ);
  const waiting = waitingOf(all);
  const tooMany = overflow(waiting, MOST_WAITING, NOBODY);
  const held = tooMany.length === 0 ? undefined : await holdSink(deps, read);
  if (!held) return undefined;
  const keys = tooMany.map(({ position }) => waiting[position - 1]?.key ?? '');
  await outbox.remove(read.name, keys);
  await releaseSink(deps, held, afterDropping(held.state, tooMany, clock.now()));
  return { kind: 'dropped', count: tooMany.length };
};

const tellDue = async (
  deps: TellSinkDeps,
  sink: TellableSink,
  read: ReadSink,
  notices: readonly Notice[],
): Promise<Step> => {
  const due = dueDropped(deps, read.state) ?? dueBundle(deps, sink, read.state, notices);
  if (!due) return { kind: 'idle' };
  if (due.dueAt > deps.clock.now()) return { kind: 'wait', at: due.dueAt };
  const held = await holdSink(deps, read);
  return held ? tell(deps, sink, held, due) : { kind: 'wait', at: deps.clock.now() + HELD_MS };
};

const mostOf = ({ isGrouped }: TellableSink): number => (isGrouped ? MOST_TOGETHER : MOST_SINGLE);

/** The memory is read first: whoever has told something since then has changed it, and the right to send is then refused. */
const lookOnce = async (deps: TellSinkDeps, sink: TellableSink, isFirst: boolean): Promise<Looked> => {
  const read = await readSink(deps, sink.name);
  const notices = await deps.outbox.waiting(sink.name, mostOf(sink));
  const now = deps.clock.now();
  if (isHeld(read, now)) return { step: { kind: 'wait', at: now + HELD_MS }, notices };
  const rest = restMs(read.state, now);
  const isEmpty = notices.length === 0 && read.state.dropped === undefined;
  if (isEmpty) return { step: { kind: 'idle' }, notices };
  const room = isFirst && notices.length >= mostOf(sink) ? await makeRoom(deps, read) : undefined;
  if (room) return { step: room, notices };
  if (rest > 0) return { step: { kind: 'wait', at: now + rest }, notices };
  return { step: await tellDue(deps, sink, read, notices), notices };
};

/** Tells what is due, one notification after the other, and says when something else will be. Rejects if the storage fails. */
export const tellSink = async (deps: TellSinkDeps, sink: TellableSink): Promise<SinkReport> => {
  const until = deps.clock.now() + TURN_MS;
  const told: ToldSink[] = [];
  let dropped = 0;
  for (let isFirst = true; ; isFirst = false) {
    const { step, notices } = await lookOnce(deps, sink, isFirst);
    if (step.kind === 'told') told.push(step.told);
    if (step.kind === 'dropped') dropped += step.count;
    const now = deps.clock.now();
    const isOver = step.kind === 'idle' || step.kind === 'wait' || now >= until;
    if (!isOver) continue;
    const oldestMs = Math.max(0, now - (notices[0]?.storedAt ?? now));
    const nextAt = step.kind === 'wait' ? step.at : now;
    const waiting = notices.length;
    return {
      sink: sink.name,
      told,
      dropped,
      waiting,
      oldestMs,
      nextAt: step.kind === 'idle' ? undefined : nextAt,
    };
  }
};
