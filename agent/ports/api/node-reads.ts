/** A request for something that the agent tells. */
export interface NodeReadRequest {
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface NodeReadAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers GET requests. Rejects only for a fault of the agent. */
export type NodeRead = (request: NodeReadRequest) => Promise<NodeReadAnswer>;

/** What the agent's server answers from, by path, such as `/stats/summary`. */
export type NodeReads = Readonly<Record<string, NodeRead>>;
