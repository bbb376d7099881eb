/** Whoever can switch machines off. */

/** The machine of a node that is down. */
export interface FencingRequest {
  readonly node: string;
  readonly uid: string;
  /** The machine, if it is verified that it is the node's; `''`: only the name of the node is known, which is bound to the token of its machine. */
  readonly providerId: string;
  /** When the node stopped being ready, RFC 3339. */
  readonly notReadySince: string;
  /** Names the outage: the same request has the same key. */
  readonly key: string;
}

/** Switches machines off, so that nothing runs on them any more. */
export interface Fencing {
  /** Resolves to whether the machine is off for certain; `false`: not yet, ask again. Rejects if it could not be asked. */
  fence(request: FencingRequest): Promise<boolean>;
}
