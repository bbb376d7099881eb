/** Delivers CloudEvents to a URL, signed if there are keys. */

import { optional } from '../../kube/values/optional.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CloudEvent } from '../../rules/notifications/cloud-event.ts';
import { type Delivery, retryAfterMs, verdictOf } from '../../rules/notifications/delivery.ts';
import { createEventPoster, type EventTarget, signatureOf } from './post-event.ts';

/** More than two keys are no rotation. */
const MOST_KEYS = 2;

/** The keys in a text: one in a line, or comma-separated. */
const keysIn = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((key) => key.trim())
    .filter((key) => key !== '')
    .slice(0, MOST_KEYS);

/** What the deliveries to one URL need. */
export interface EventDelivererDeps {
  readonly target: EventTarget;
  /** Reads the text with the keys for each event; absent: nothing is signed. */
  readonly readKeys?: (() => Promise<string>) | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** Delivers to one URL over connections that are kept. */
export interface EventDeliverer {
  /** Rejects if there was no answer, or no key although there should be one. */
  deliver(event: CloudEvent, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

/** Without a key although there should be one, nothing is sent. */
const signed = async (
  { readKeys, clock }: EventDelivererDeps,
  body: string,
): Promise<Readonly<Record<string, string>>> => {
  if (!readKeys) return {};
  const keys = keysIn(await readKeys());
  if (keys.length === 0) throw new Error('there is no key to sign the event with');
  return { 'rollcall-signature': signatureOf(body, Math.floor(clock.now() / 1000), keys) };
};

const deliveryOf = (status: number, retryAfter: string | undefined, now: number): Delivery => {
  const asked = retryAfterMs(retryAfter, now);
  return {
    verdict: verdictOf(status),
    said: `status ${status}`,
    ...optional('retryAfterMs', asked),
  };
};

/** Creates what delivers to one URL. */
export const createEventDeliverer = (deps: EventDelivererDeps): EventDeliverer => {
  const poster = createEventPoster(deps.target);
  return {
    deliver: async (event, signal) => {
      const body = JSON.stringify(event);
      const type = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
      const { status, retryAfter } = await poster.post(
        body,
        { ...type, ...(await signed(deps, body)) },
        signal,
      );
      return deliveryOf(status, retryAfter, deps.clock.now());
    },
    close: poster.close,
  };
};
