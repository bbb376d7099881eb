/** The token by which a machine is its Node. */

/** The machine's time since it was started. */
export interface MachineTime {
  /** Another one after each start of the machine; `''`: unknown. */
  readonly bootId: string;
  /** Never steps. */
  readonly uptimeMs: number;
}

export interface OwnToken {
  readonly token: string;
  readonly nodeName: string;
  readonly nodeUid: string;
  /** The cluster that has issued it. */
  readonly clusterId: string;
  /** For how long it was issued, ms. */
  readonly lifeMs: number;
  /** When it came. */
  readonly since: MachineTime;
}

/**
 * Milliseconds until the token is to be renewed, which is when half of its time is over; 0: now. A token from before the machine's last start
 * is renewed at once: nobody knows how long the machine was off, and its clock may be wrong.
 */
export const untilRenewalMs = ({ lifeMs, since }: OwnToken, now: MachineTime): number => {
  const age = now.uptimeMs - since.uptimeMs;
  const isKnown = since.bootId !== '' && since.bootId === now.bootId && age >= 0;
  return isKnown ? Math.max(0, lifeMs / 2 - age) : 0;
};

interface Claims {
  readonly iss?: unknown;
  readonly iat?: unknown;
}

const claimsOf = (token: string): Claims => {
  try {
    const payload = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(payload, (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
  } catch {
    return {};
  }
};

/** The cluster that has issued the token; `undefined` if it is no token of Rollcall. */
export const issuerOf = (token: string): string | undefined => {
  const { iss } = claimsOf(token);
  return typeof iss === 'string' ? iss : undefined;
};

/**
 * What a bootstrap token that is given to a machine with a token of its own asks for. `other`: to be a node of another cluster. `again`: it was
 * made after the machine's own token, perhaps because that one does not count any more. `nothing`: it is the one of an earlier start.
 */
export const meaningOf = (
  bootstrap: string,
  own: Pick<OwnToken, 'token' | 'clusterId'>,
): BootstrapMeaning => {
  const issuer = issuerOf(bootstrap);
  if (issuer !== undefined && issuer !== own.clusterId) return 'other';
  const [given, had] = [claimsOf(bootstrap).iat, claimsOf(own.token).iat];
  return typeof given === 'number' && typeof had === 'number' && given > had ? 'again' : 'nothing';
};

export type BootstrapMeaning = 'other' | 'again' | 'nothing';

const isTime = (value: unknown): value is MachineTime => {
  const { bootId, uptimeMs } = (value ?? {}) as Partial<MachineTime>;
  return typeof bootId === 'string' && typeof uptimeMs === 'number';
};

/** A token as it was stored; `undefined` if the text is none. */
export const parseOwnToken = (text: string): OwnToken | undefined => {
  let stored: Partial<OwnToken> | null;
  try {
    stored = JSON.parse(text) as Partial<OwnToken> | null;
  } catch {
    return undefined;
  }
  const { token, nodeName, nodeUid, clusterId, lifeMs, since } = stored ?? {};
  const texts = [token, nodeName, nodeUid, clusterId];
  if (!texts.every((part) => typeof part === 'string') || typeof lifeMs !== 'number' || !isTime(since))
    return undefined;
  return { ...(stored as OwnToken), since };
};
