import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createEventDeliverer } from '../../shared/adapters/webhook/deliver-event.ts';
import { sinkNameOf } from '../../shared/adapters/webhook/sink-name.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { SinkUrl } from '../../shared/settings/events/sink-urls.ts';
import type { Sink } from './sink.ts';

/** A URL that gets events. */
export interface HttpSinkSettings extends SinkUrl {
  /** File with the keys, one in a line; it is read for each event. */
  readonly keyFile?: string | undefined;
  /** The environment variable with the keys, comma-separated. */
  readonly keyEnv?: string | undefined;
  readonly caFile?: string | undefined;
}

const keyReader = ({ keyFile, keyEnv }: HttpSinkSettings): (() => Promise<string>) | undefined => {
  if (keyFile !== undefined) return () => readFile(keyFile, 'utf8');
  return keyEnv === undefined ? undefined : async () => process.env[keyEnv] ?? '';
};

/** The sink of a URL. Throws if the file with its certificate authorities cannot be read. */
export const createHttpSink = (settings: HttpSinkSettings, clock: Pick<Clock, 'now'>): Sink => {
  const { url, filter, isGrouped, caFile } = settings;
  const ca = caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') };
  const deliverer = createEventDeliverer({ target: { url, ...ca }, readKeys: keyReader(settings), clock });
  return { name: sinkNameOf(new URL(url).hostname, url), filter, isGrouped, atOnce: 1, ...deliverer };
};
