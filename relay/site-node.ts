import type { EpochMs } from '../shared/kube/values/time.ts';
import type { ShownToken } from './shown-token.ts';

/** A node whose token the API has accepted. */
export interface SiteNode extends ShownToken {
  readonly part: number;
  /** Whether the API has put it on the roster: only then the relay answers its beats. */
  readonly isEnrolled: boolean;
  /** When it was last heard, by the relay's own clock. */
  readonly leaseAt?: EpochMs;
  readonly plainAt?: EpochMs;
  readonly workRevision: string;
  /** Its Lease as the API last showed it. */
  readonly lease?: object;
}
