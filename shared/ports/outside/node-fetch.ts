/** A node whose server is asked. */
export interface NodeToAsk {
  readonly name: string;
  readonly uid: string;
}

/** What its server has answered. */
export interface NodeAnswer {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends a GET to the node's server. `target`: the path with its query, such as `/stats/summary?only_cpu_and_memory=true`. Rejects if the node
 * cannot be reached, with `AnswerTooLarge` if it answers too much, and when `signal` aborts.
 */
export type NodeFetch = (node: NodeToAsk, target: string, signal: AbortSignal) => Promise<NodeAnswer>;
