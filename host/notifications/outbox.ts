/** Stores what is published until the sinks have it. */
import type { NoticeStore } from '../../shared/adapters/sqlite/objects/notices.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { passesFilter } from '../../shared/rules/notifications/event-filter.ts';
import type { LifecycleEvent } from '../../shared/rules/notifications/lifecycle-event.ts';
import { noticeOf } from '../../shared/rules/notifications/notice.ts';
import { MOST_WAITING, overflow, withDropped } from '../../shared/rules/notifications/overflow.ts';
import type { Sink } from './sink.ts';

/** A sink, the subjects that are being told to it, and a bell for new events. */
export interface Receiver {
  readonly sink: Pick<Sink, 'name' | 'filter'>;
  readonly busy: ReadonlySet<string>;
  readonly ring: () => void;
}

/** What the outbox needs. */
export interface OutboxDeps {
  readonly notices: NoticeStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly onDropped: (sink: string, count: number) => void;
  /** Most events that wait for one sink; `MOST_WAITING` by default. */
  readonly most?: number;
}

const makeRoom = (deps: OutboxDeps, { sink: { name }, busy }: Receiver): void => {
  const { notices, clock, onDropped, most = MOST_WAITING } = deps;
  const { count } = notices.length(name);
  if (count <= most) return;
  const dropped = overflow(notices.waiting(name, count), most, busy);
  notices.remove(
    name,
    dropped.map(({ position }) => position),
    withDropped(notices.dropped(name), dropped, clock.now()),
  );
  onDropped(name, dropped.length);
};

/** The bus of a host with sinks. An event is stored before `publish` resolves; it waits for no sink. */
export const createOutbox = (deps: OutboxDeps, receivers: readonly Receiver[]): EventBus => ({
  publish: async (events: readonly LifecycleEvent[]) => {
    const storedAt = deps.clock.now();
    for (const receiver of receivers) {
      const { name, filter } = receiver.sink;
      const wanted = events.filter((event) => passesFilter(event, filter));
      if (wanted.length === 0) continue;
      deps.notices.add(wanted.map((event) => ({ ...noticeOf(event, storedAt), sink: name })));
      makeRoom(deps, receiver);
      receiver.ring();
    }
  },
});
