/** Encodes events: one JSON object per line. */

import type { StatusError } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { WatchEvent } from './change.ts';

/** Makes an event's object in the form that the client asked for: whole, metadata only, or as a row of a Table. */
export type Represent = (event: WatchEvent) => object;

/**
 * Characters after which lines are handed over, so that a slow client blocks its own watch before its lines fill
 * the memory.
 */
const PIECE = 65_536;

/** Caches the JSON of objects that are sent to several watches. */
const texts = new WeakMap<ApiObject, string>();

/** The JSON of an object. It is cached as long as the object is in memory. */
export const textOf = (object: ApiObject): string => {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  return text;
};

const line = (type: string, object: string): string => `{"type":"${type}","object":${object}}\n`;

/**
 * The line of an event. `isShared`: other watches send the same object at about the same time, so its JSON is
 * cached.
 */
export const lineOf = (event: WatchEvent, represent: Represent | undefined, isShared: boolean): string => {
  if (represent) return line(event.type, JSON.stringify(represent(event)));
  return line(event.type, isShared ? textOf(event.object) : JSON.stringify(event.object));
};

/** The line of an ERROR event. */
export const errorLine = (error: StatusError): string => line('ERROR', JSON.stringify(error.toStatus()));

/** Joins lines into pieces of about 64 KiB; no piece is empty. */
export function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const one of lines) {
    piece += one;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
