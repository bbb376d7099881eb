import type { EventBus } from '../../ports/outside/event-bus.ts';
import type { LifecycleEvent } from '../../rules/notifications/lifecycle-event.ts';

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
