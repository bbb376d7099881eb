/** What the server of the dashboard answers about other settings. */

/** A node's fate in what happened, in the simulation of it, and in that with changed settings. */
export interface WhatIfRow {
  readonly node: string;
  readonly zone: string;
  readonly fates: readonly [happened: NodeFate, asIs: NodeFate, changed: NodeFate];
}

/** Instants are ms after the beginning of the plan. */
export interface NodeFate {
  readonly lostAt?: number;
  readonly taintedAt?: number;
  readonly evicted: number;
}

export interface WhatIfAnswer {
  readonly startAt: number;
  readonly rows: readonly WhatIfRow[];
  readonly hiddenRows: number;
  /** How many nodes were lost and tainted, and pods evicted. */
  readonly totals: readonly Readonly<Record<'lost' | 'tainted' | 'evicted', number>>[];
  /** What the simulation does not have of the record. */
  readonly notes: readonly string[];
}
