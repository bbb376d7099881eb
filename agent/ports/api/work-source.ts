/** A page of the node's work at the API server, as it came. */
export interface WorkAnswer {
  readonly body: unknown;
  readonly etag?: string;
}

export interface WorkSource {
  /** The page that begins at `from`; absent: the first one. `unchanged`: it is the one of this `etag`. Rejects on any other answer, or none. */
  page(from?: string, etag?: string): Promise<WorkAnswer | 'unchanged'>;
}
