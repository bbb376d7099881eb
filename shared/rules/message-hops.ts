/** Which messages are slowed down because their chain goes round too fast. */
import type { EpochMs } from '../kube/values/time.ts';
import { LONGEST_DELAY_SECONDS } from './wake-up.ts';

/** The chain of a message: the messages each of which was sent while the one before it was handled. */
export interface MessageChain {
  /** Messages of the chain, up to this one. */
  readonly hops: number;
  /** Instant (ms, our clock) from which a chain with one hop a second would have as many. The start of the chain, or later if it was slower. */
  readonly startAt: EpochMs;
}

/** Hops that a chain may be ahead of one hop a second. In the scenarios of the simulation none that is not paced is more than three ahead. */
export const FREE_HOPS = 64;
/** A billion: one hop a second for 31 years. */
const MOST_HOPS = 1e9 - 1;

const SHAPE = /^(\d{1,9})\.([0-9a-z]{1,9})$/;
const BASE = 36;

/** The chain in a message's attribute, `<hops>.<start, ms in base 36>`. One that has none, or another text, is the first of its chain. */
export const readChain = (text: string | undefined, now: EpochMs): MessageChain => {
  const [, hops, start] = SHAPE.exec(text ?? '') ?? [];
  if (hops === undefined || start === undefined) return { hops: 1, startAt: now };
  return { hops: Math.max(1, Number(hops)), startAt: Number.parseInt(start, BASE) };
};

/** The text of a chain in the attribute of a message. */
export const chainText = ({ hops, startAt }: MessageChain): string => `${hops}.${startAt.toString(BASE)}`;

/** How many hops a chain is beyond what it may have. Up to 0: none of its messages waits. */
export const excessHops = ({ hops, startAt }: MessageChain, now: EpochMs): number =>
  hops - FREE_HOPS - (now - startAt) / 1000;

/**
 * When a chain of so many hops started, as far as it can be believed. Time in which it was slow gives it no hops for later: else a loop
 * of an old chain would go on unnoticed. A start in the future is one before the clock was set back.
 */
const believedStart = ({ hops, startAt }: MessageChain, now: EpochMs): EpochMs =>
  startAt > now ? now - Math.max(0, hops + 1 - FREE_HOPS) * 1000 : Math.max(startAt, now - hops * 1000);

/** The chain of a message that is sent at `now` while a message of `chain` is handled; `undefined`: while none is. */
export const nextHop = (chain: MessageChain | undefined, now: EpochMs): MessageChain =>
  chain
    ? { hops: Math.min(MOST_HOPS, chain.hops + 1), startAt: believedStart(chain, now) }
    : { hops: 1, startAt: now };

/**
 * Whole seconds for which a message waits: as asked, or longer if its chain has too many hops. Never less than asked, and never so long
 * that the queue refuses it.
 */
export const slowedDelay = (chain: MessageChain, now: EpochMs, askedSeconds: number): number =>
  Math.max(askedSeconds, Math.min(LONGEST_DELAY_SECONDS, Math.max(0, Math.ceil(excessHops(chain, now)))));
