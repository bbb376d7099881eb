/** What the server sends about one node or one pod: parts, each whole and as often as it changes. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { SourceState } from './source.ts';

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

/** The Lease of a node. */
export interface DetailLease {
  readonly holder: string;
  /** When the control plane received the last renewal. */
  readonly renewedAt: EpochMs;
  readonly durationMs: number;
  /** Whether each renewal is told. Else it is as it was when it was read. */
  readonly isLive: boolean;
}

export interface DetailMessage {
  /** The server's clock. */
  readonly now: EpochMs;
  readonly parts: Readonly<Partial<Record<DetailPart, readonly object[]>>>;
  readonly answers?: readonly ExplainedAnswer[];
  /** `null`: the node has none; absent: as before. */
  readonly lease?: DetailLease | null;
  /** Why the explanation cannot be had. */
  readonly unexplained?: string;
  /** How the server stands to the API. */
  readonly source: SourceState;
}
