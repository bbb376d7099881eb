import type { EventBus, LifecycleEvent } from '../../ports/event-bus.ts';

/** Keeps what was published, in order. */
export const createMemoryEventBus = (): EventBus & { readonly published: readonly LifecycleEvent[] } => {
  const published: LifecycleEvent[] = [];
  return {
    published,
    publish: async (events) => {
      published.push(...events);
    },
  };
};
