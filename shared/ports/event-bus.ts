/** A lifecycle event for the outside. `id` is `<uid>/<revision>`: order and deduplicate by it. */
export interface LifecycleEvent {
  readonly detailType:
    | 'NodeRegistered'
    | 'NodeRemoved'
    | 'NodeReady'
    | 'NodeNotReady'
    | 'NodeTainted'
    | 'NodeUntainted'
    | 'PodEvicted';
  readonly detail: Readonly<Record<string, unknown>> & { readonly id: string };
}

/** Publishes at least once, in no order. Entries that a call refuses are sent again; throws when some remain. */
export interface EventBus {
  publish(events: readonly LifecycleEvent[]): Promise<void>;
}
