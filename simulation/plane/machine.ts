import type { Beating } from './beating-table.ts';

/** A simulated node, and how it sends heartbeats. */
export interface Machine {
  readonly name: string;
  readonly zone: string;
  readonly beating: Beating;
}
