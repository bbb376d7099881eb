import type { NodeWork } from '../../rules/registration/node-work.ts';

/** What acts on the node's work. */
export interface WorkSink {
  /**
   * Takes all that the node has to do. The list is complete: what is left of a pod that is not in it is ended, without telling anybody. It comes
   * again at least every five minutes, changed or not. A rejection is told, and the work is read and given again.
   */
  apply(work: NodeWork): Promise<void>;
  /** Whether a pod uses a ConfigMap or a Secret in a way that follows its changes, such as a volume. */
  followsObjects(): boolean;
  /** The Node is deleted, and so are all of its pods: ends them, and resolves when nothing of them is left. */
  abandon(): Promise<void>;
}
