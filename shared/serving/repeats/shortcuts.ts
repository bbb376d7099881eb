/** The shortcuts of beats on a host. Each one answers as the longer way does, which goes on without it. */

export interface Shortcuts {
  /** A beat that differs from an answered one in its body only is neither routed nor authorized again (J-213). The others need it. */
  readonly known: boolean;
  /** A known beat that comes again is answered in the same turn, without the HTTP parser (J-300). */
  readonly unparsed: boolean;
  /** So are renewals of Leases: their two new values are read where they stand, without decoding the body (J-301). */
  readonly renewals: boolean;
  /** The answer to such a renewal is put together from pieces of the one before. */
  readonly pieces: boolean;
  /** What finds out that this Node.js does not allow `unparsed`, and why; default a trial. */
  readonly findFault?: () => Promise<string | undefined>;
}

/** As a host runs. Only a bench or a test composes one otherwise: no setting does. */
export const ALL_SHORTCUTS: Shortcuts = { known: true, unparsed: true, renewals: true, pieces: true };
