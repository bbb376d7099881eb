/** Answers input that Node's HTTP parser rejects, for which there is no request object. */
import type { Socket } from 'node:net';
import { badRequest, methodNotAllowed } from '../../kube/errors/status-error.ts';

/** An error of the parser. `rawPacket`: the bytes that arrived. */
export interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Uint8Array;
}

const REQUEST_LINE = /^[\w-]+ \S+ HTTP\/1\.\d\r?\n/;
const HEADERS_TOO_LONG = 'HPE_HEADER_OVERFLOW';
const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

const isRequest = ({ rawPacket = new Uint8Array() }: ParseError): boolean =>
  REQUEST_LINE.test(Buffer.from(rawPacket).toString('latin1'));

const withStatus = (error: ParseError): string => {
  const isUnknownMethod = error.code === 'HPE_INVALID_METHOD' && isRequest(error);
  const status = isUnknownMethod ? methodNotAllowed() : badRequest('the request is not valid HTTP');
  const body = JSON.stringify(status.toStatus());
  const line = isUnknownMethod ? '405 Method Not Allowed' : '400 Bad Request';
  return `HTTP/1.1 ${line}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
};

const textOf = (error: ParseError): string => {
  if (error.code === HEADERS_TOO_LONG)
    return 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n';
  if (error.code === TOO_SLOW) return 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n';
  return withStatus(error);
};

/** Sends an error and closes the connection. If another answer is being sent on it (`isBusy`), only closes it. */
export const refuseUnreadable = (error: ParseError, socket: Socket, isBusy: boolean): void => {
  if (isBusy || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(textOf(error), () => socket.destroy());
};
