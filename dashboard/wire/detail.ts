/** What the server sends about one node or one pod: parts, each whole and as often as it changes. */
import type { EpochMs } from '../../shared/api/time.ts';

/** The objects of a collection that have to do with it. */
export type DetailPart = 'nodes' | 'pods' | 'events';

/** An answer of an explanation, as the API serves it. */
export interface ExplainedAnswer {
  readonly question: string;
  readonly verdict: string;
  readonly message: string;
  readonly because: readonly { readonly message: string; readonly source: string; readonly time?: string }[];
  readonly next?: { readonly message: string; readonly time: string };
  /** What would change the answer. */
  readonly wouldChange: readonly { readonly message: string }[];
}

export interface DetailMessage {
  /** The server's clock. */
  readonly now: EpochMs;
  readonly parts: Readonly<Partial<Record<DetailPart, readonly object[]>>>;
  readonly answers?: readonly ExplainedAnswer[];
  readonly problem?: string;
}
