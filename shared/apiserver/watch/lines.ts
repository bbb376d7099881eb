/** Events on the wire: one JSON object a line. */
import type { ApiObject } from '../../api/meta.ts';
import type { StatusError } from '../../api/status-error.ts';
import type { WatchEvent } from './change.ts';

/** An event's object as its client asked for it: whole, as metadata only, as a row of a table. */
export type Represent = (event: WatchEvent) => object;

/** Characters after which lines are handed over, so that a slow client holds up its own watch before it takes memory. */
const PIECE = 65_536;

/** The text of an object that many watchers are sent is made once. */
const texts = new WeakMap<ApiObject, string>();

const textOf = (object: ApiObject): string => {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(object);
  texts.set(object, text);
  return text;
};

const line = (type: string, object: string): string => `{"type":"${type}","object":${object}}\n`;

/** `isShared`: others are sent the same object about now. */
export const lineOf = (event: WatchEvent, represent: Represent | undefined, isShared: boolean): string => {
  if (represent) return line(event.type, JSON.stringify(represent(event)));
  return line(event.type, isShared ? textOf(event.object) : JSON.stringify(event.object));
};

export const errorLine = (error: StatusError): string => line('ERROR', JSON.stringify(error.toStatus()));

/** Lines in pieces of some size; no piece is empty. */
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
