/**
 * A lifecycle event for subscribers outside of the control plane. `detail.id` is `<uid>/<revision>`; subscribers order and
 * deduplicate events by it.
 */
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

/** Publishes at least once, in no order. Refused entries are sent again; throws when some are still refused. */
export interface EventBus {
  /** Publishes all events, in batches. */
  publish(events: readonly LifecycleEvent[]): Promise<void>;
}
