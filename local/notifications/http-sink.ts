import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createEventPoster, signatureOf } from '../../shared/adapters/webhook/post-event.ts';
import type { CloudEvent } from '../../shared/domain/notifications/cloud-event.ts';
import { retryAfterMs, verdictOf } from '../../shared/domain/notifications/delivery.ts';
import type { EventFilter } from '../../shared/domain/notifications/event-filter.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Delivery, Sink } from './sink.ts';

/** A URL that gets events. */
export interface HttpSinkSettings {
  /** Without a fragment. */
  readonly url: string;
  readonly filter: EventFilter;
  readonly isGrouped: boolean;
  /** File with the keys, one in a line; it is read for each event. */
  readonly keyFile?: string | undefined;
  /** The environment variable with the keys, comma-separated. */
  readonly keyEnv?: string | undefined;
  readonly caFile?: string | undefined;
}

/** More than two keys are no rotation. */
const MOST_KEYS = 2;

/** The same at each start, and without what may be secret in a URL. */
export const sinkNameOf = (readable: string, whole: string): string =>
  `${readable}-${createHash('sha256').update(whole).digest('hex').slice(0, 8)}`;

const keysIn = (text: string): readonly string[] =>
  text
    .split(/[\n,]/)
    .map((key) => key.trim())
    .filter((key) => key !== '')
    .slice(0, MOST_KEYS);

const readKeys = async ({ keyFile, keyEnv }: HttpSinkSettings): Promise<readonly string[]> => {
  if (keyFile !== undefined) return keysIn(await readFile(keyFile, 'utf8'));
  return keyEnv === undefined ? [] : keysIn(process.env[keyEnv] ?? '');
};

/** Without a key although there should be one, nothing is sent. */
const signed = async (
  settings: HttpSinkSettings,
  body: string,
  now: number,
): Promise<Readonly<Record<string, string>>> => {
  if (settings.keyFile === undefined && settings.keyEnv === undefined) return {};
  const keys = await readKeys(settings);
  if (keys.length === 0) throw new Error('there is no key to sign the event with');
  return { 'rollcall-signature': signatureOf(body, Math.floor(now / 1000), keys) };
};

const deliveryOf = (status: number, retryAfter: string | undefined, now: number): Delivery => {
  const asked = retryAfterMs(retryAfter, now);
  return {
    ...{ verdict: verdictOf(status), said: `status ${status}` },
    ...(asked === undefined ? {} : { retryAfterMs: asked }),
  };
};

/** The sink of a URL. Throws if the file with its certificate authorities cannot be read. */
export const createHttpSink = (settings: HttpSinkSettings, clock: Pick<Clock, 'now'>): Sink => {
  const { url, filter, isGrouped, caFile } = settings;
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
  const poster = createEventPoster({ url, ...ca });
  return {
    name: sinkNameOf(new URL(url).hostname, url),
    filter,
    isGrouped,
    atOnce: 1,
    deliver: async (event: CloudEvent, signal) => {
      const body = JSON.stringify(event);
      const type = { 'content-type': 'application/cloudevents+json; charset=utf-8' };
      const headers = { ...type, ...(await signed(settings, body, clock.now())) };
      const { status, retryAfter } = await poster.post(body, headers, signal);
      return deliveryOf(status, retryAfter, clock.now());
    },
    close: poster.close,
  };
};
