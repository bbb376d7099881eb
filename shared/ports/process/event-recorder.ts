import type { Pod } from '../../kube/types/core.ts';

/** The object that an event is about. */
export interface EventTarget {
  readonly kind: string;
  /** `v1` if absent. */
  readonly apiVersion?: string;
  /** `''` for objects without a namespace. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A Node as the target of an Event. */
export const nodeTarget = (name: string, uid: string): EventTarget => ({
  kind: 'Node',
  namespace: '',
  name,
  uid,
});

/** A pod as the target of an Event. */
export const podTarget = ({ metadata: { namespace = '', name, uid = '' } }: Pod): EventTarget => ({
  kind: 'Pod',
  namespace,
  name,
  uid,
});

/** The fields of a Kubernetes Event that say what happened. */
export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** The reporting controller, `source.component`, by Kubernetes' name. */
  readonly component: string;
}

/** Writes `core/v1` Events. */
export interface EventRecorder {
  /**
   * Records that `text` happened to `target`. Repeated calls with the same `occasion` of an object (such as the revision that
   * was written) record one Event. Call it after the write. Never rejects: an event must not fail a reconcile.
   */
  record(target: EventTarget, text: EventText, occasion: string): Promise<void>;
}
