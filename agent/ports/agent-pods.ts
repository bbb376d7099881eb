import type { NodeFacts } from './node-facts.ts';
import type { WorkSink } from './work-sink.ts';

/** What runs the pods of the node. */
export interface AgentPods extends WorkSink {
  readonly facts: NodeFacts;
  /** Asks the container runtime how it is, so that `facts` are new. Never rejects. */
  probe(): Promise<void>;
  /** Takes up what runs already, and works until `signal` aborts. What runs then goes on. */
  run(signal: AbortSignal): Promise<void>;
}
