import type { NodeReads } from '../api/node-reads.ts';
import type { WorkSink } from '../api/work-sink.ts';
import type { NodeFacts } from '../machine/node-facts.ts';
import type { ServedPods } from './served-pods.ts';

/** What runs the pods of the node. */
export interface AgentPods extends WorkSink {
  readonly facts: NodeFacts;
  /** What it tells whoever asks the agent's server. */
  readonly reads: NodeReads;
  /** For the agent's server; absent: it has nothing to serve. */
  readonly served?: ServedPods;
  /** Asks the container runtime how it is, so that `facts` are new. Never rejects. */
  probe(): Promise<void>;
  /** Takes up what runs already, and works until `signal` aborts. What runs then goes on. */
  run(signal: AbortSignal): Promise<void>;
}
