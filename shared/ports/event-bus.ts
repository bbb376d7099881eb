/** A lifecycle event for subscribers outside of the control plane. `id` is `<uid>/<revision>`: order and deduplicate by it. */
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
  publish(events: readonly LifecycleEvent[]): Promise<void>;
}
