/** The object that an event is about. */
export interface EventTarget {
  readonly kind: 'Node' | 'Pod';
  /** `''` for nodes. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What happened, in the words of Kubernetes. */
export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The controller that speaks, `source.component`. */
  readonly component: 'node-controller' | 'taint-eviction-controller';
}

/** Writes `core/v1` Events. */
export interface EventRecorder {
  /**
   * Records that `text` happened to `target`. The same `occasion` of an object (such as the revision that was written)
   * is recorded once, however often it is told. Call it after the write. Never rejects: an event must not fail a reconcile.
   */
  record(target: EventTarget, text: EventText, occasion: string): Promise<void>;
}
