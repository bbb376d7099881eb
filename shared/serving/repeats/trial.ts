/**
 * Finds out whether this Node.js reads connections as `repeated-requests.ts` expects, which its documentation does not promise: a connection of this
 * process with itself, over TLS and without a network, has each of its requests answered in the expected way, or repeats are not used.
 */

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { createPipelines } from '../bodies/pipelines.ts';
import { createRepeats, type Repeats } from './repeated-requests.ts';

const put = (body: string): string =>
  `PUT /trial HTTP/1.1\r\nHost: trial\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

const UPGRADE =
  'GET /trial HTTP/1.1\r\nHost: trial\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n';

/** What is sent in one piece, and the lines that the answers to it are expected to say. */
const COURSE: readonly (readonly [sent: string, answers: readonly string[]])[] = [
  [put('one'), ['served one']],
  [put('two'), ['served two']],
  [put('six'), ['again six']],
  ['GET /other HTTP/1.1\r\nHost: trial\r\n\r\n', ['served ']],
  [put('ten'), ['again ten']],
  [put('one') + put('two'), ['served one', 'served two']],
  [put('six'), ['served six']],
  [put('ten'), ['again ten']],
  [UPGRADE, ['switched']],
  [put('two'), [`unread ${put('two').length}`]],
];

const answer = async (
  message: IncomingMessage,
  response: ServerResponse,
  repeats: Repeats,
): Promise<void> => {
  const body = `served ${await text(message)}\n`;
  const again = (next: Uint8Array) => ({
    status: 200,
    headers: {},
    body: `again ${Buffer.from(next).toString()}\n`,
  });
  response.writeHead(200, { 'content-length': body.length });
  repeats.answered(message, { status: 200, headers: {}, body, again });
  response.end(body);
};

interface Trial {
  readonly faults: readonly string[];
  /** Whether all that was sent to the server is answered, and all that it answered is sent. */
  isSettled(): boolean;
}

/** Answers as a listener does, and notes what this Node.js is found to do otherwise. */
const serve = (server: Server): Trial => {
  const faults: string[] = [];
  let socket: Socket | undefined;
  server.on('secureConnection', (opened) => {
    socket = opened;
  });
  const pipelines = createPipelines();
  const onFault = (fault: string): void => void faults.push(fault);
  const repeats = createRepeats({ isBusy: pipelines.isBusy, keepAliveMs: server.keepAliveTimeout, onFault });
  server.on('request', (message, response) => {
    repeats.begins(message);
    pipelines.add(message.socket, response);
    answer(message, response, repeats).catch((error: unknown) => message.destroy(error as Error));
  });
  server.on('upgrade', (message, connection: Duplex) => {
    repeats.begins(message);
    connection.on('data', (chunk: Buffer) => connection.write(`unread ${chunk.byteLength}\n`));
    connection.write('switched\n');
  });
  return { faults, isSettled: () => !socket || (socket.writableLength === 0 && !pipelines.isBusy(socket)) };
};

const LINE = /^(?:served|again|switched|unread)[^\r\n]*(?=\n)/gm;

/** Sends the pieces one after another; returns the first answers that are not as expected. */
const firstFault = async (
  client: TLSSocket,
  { isSettled }: Trial,
  within: AbortSignal,
): Promise<string | undefined> => {
  for (const [sent, expected] of COURSE) {
    while (!isSettled() && !within.aborted) await nextTurn();
    client.write(sent);
    let read = '';
    let lines: readonly string[] = [];
    while (lines.length < expected.length) {
      read += String((await once(client, 'data', { signal: within }))[0]);
      lines = read.match(LINE) ?? [];
    }
    if (lines.join() !== expected.join()) return `"${lines.join()}" came instead of "${expected.join()}"`;
  }
  return undefined;
};

/** Longest time for a trial (ms), on a machine that is busy with something else, too. */
const TRIAL_MS = 10_000;

/** Tries it on a server that does not listen, for `withinMs` at most. Returns what is otherwise than expected; never rejects. */
export const faultOf = async (server: Server, withinMs = TRIAL_MS): Promise<string | undefined> => {
  const trial = serve(server);
  const [end, otherEnd] = duplexPair();
  server.emit('connection', otherEnd);
  // Nobody can stand between a process and itself.
  const client = connect({ socket: end, rejectUnauthorized: false });
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), withinMs);
  client.on('error', () => undefined);
  client.once('end', () => over.abort());
  try {
    await once(client, 'secureConnect', over);
    const fault = await firstFault(client, trial, over.signal);
    return trial.faults[0] ?? fault;
  } catch {
    return trial.faults[0] ?? 'a connection ends, or an answer does not come in time';
  } finally {
    clearTimeout(timer);
    client.destroy();
    otherEnd.destroy();
  }
};
