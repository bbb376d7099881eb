/** An answer as it is on the wire, for connections whose requests do not pass Node's HTTP server. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpResponse } from '../../apiserver/contract/http.ts';
import { KEEP_ALIVE_MS } from './secure-server.ts';

const STAYS = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n`;

let dated = { second: Number.NaN, text: '' };

/** The Date header, which has whole seconds. */
const dateText = (): string => {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dated.second) dated = { second, text: new Date(second * 1_000).toUTCString() };
  return dated.text;
};

/** Writes an answer with a text as its body; the connection stays open. */
export const writeResponse = (socket: Socket, { status, headers, body }: HttpResponse): void => {
  const text = typeof body === 'string' ? body : Buffer.from(body).toString();
  const bytes = Buffer.byteLength(text);
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  head += `content-length: ${bytes}\r\nDate: ${dateText()}\r\n${STAYS}\r\n`;
  // A text of ASCII has the same bytes in both, and is copied faster so.
  socket.write(head + text, bytes === text.length ? 'latin1' : 'utf8');
};
