import type { LifecycleEvent } from '../../domain/notifications/lifecycle-event.ts';
import type { EventBus } from '../../ports/event-bus.ts';

/** An event bus that keeps the published events, in order. */
export const createMemoryEventBus = (): EventBus & { readonly published: readonly LifecycleEvent[] } => {
  const published: LifecycleEvent[] = [];
  return {
    published,
    publish: async (events) => {
      published.push(...events);
    },
  };
};
