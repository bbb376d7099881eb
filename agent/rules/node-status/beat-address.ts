/** Which of several addresses the beats of this machine go to: that of a relay first, and those that stand in for it. */

/** The address of the next beat. */
export interface BeatAddress {
  /** Its place in the list of addresses. */
  readonly place: number;
  /** Uptime (ms) at which it was chosen. */
  readonly sinceMs: number;
}

/** The first address of the list, which is the one that is wanted. */
export const FIRST_ADDRESS: BeatAddress = { place: 0, sinceMs: 0 };

/** Milliseconds after which the first address is tried again. A try may cost a time-out, so that beats come late. */
const BACK_MS = 120_000;

/** The address for a beat at this uptime (J-200). */
export const addressAt = (address: BeatAddress, uptimeMs: number): BeatAddress =>
  address.place > 0 && uptimeMs - address.sinceMs >= BACK_MS ? FIRST_ADDRESS : address;

/** The address after this one has failed (J-201). */
export const addressAfterFailure = (
  { place }: BeatAddress,
  addresses: number,
  uptimeMs: number,
): BeatAddress => ({ place: (place + 1) % addresses, sinceMs: uptimeMs });

/** Whether an answer shows that the control plane cannot be reached by this address, as when a relay has lost its uplink. */
export const isAway = (status: number): boolean => status >= 500;

/** A function of AWS that is throttled says so in words of AWS. */
const TOO_MANY = 429;

const isStatus = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'kind' in body && body.kind === 'Status';

/**
 * Whether a refusal is none of a control plane, which sends a `Status`: AWS answers for a URL that is gone, and a proxy in its own name (J-201).
 */
export const isForeign = (status: number, body: unknown): boolean =>
  status >= 300 && status !== TOO_MANY && !isAway(status) && !isStatus(body);
