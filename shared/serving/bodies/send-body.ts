/** Sends answers as fast as clients read them, and limits the bytes of unsent answers in memory. */
import type { ServerResponse } from 'node:http';
import { drained } from './send-stream.ts';

/** Bytes written at a time. */
const PIECE = 65_536;

/** A body as it is sent: large text as bytes, so that its length and its pieces are made from one conversion. */
export const sendable = (body: string | Uint8Array): string | Uint8Array =>
  typeof body === 'string' && body.length > PIECE ? Buffer.from(body) : body;

/** Sends complete answers. A holder is the identity, or else the address, that an answer counts for. */
export interface Answers {
  /** Sends a body that `sendable` returned, and ends the response. Resolves when the client has received it or has disconnected. */
  send(body: string | Uint8Array, response: ServerResponse, holder: string): Promise<void>;
}

interface Held {
  readonly response: ServerResponse;
  readonly bytes: number;
}

/** The unsent answers of each holder, the oldest first. */
const createHoldings = () => {
  const holdings = new Map<string, Set<Held>>();
  let total = 0;
  const bytesOf = (held: ReadonlySet<Held>): number => [...held].reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    total: () => total,
    add: (holder: string, held: Held): void => {
      holdings.set(holder, (holdings.get(holder) ?? new Set()).add(held));
      total += held.bytes;
    },
    remove: (holder: string, held: Held): void => {
      const all = holdings.get(holder);
      if (!all?.delete(held)) return;
      total -= held.bytes;
      if (all.size === 0) holdings.delete(holder);
    },
    /** The holder with the most unsent bytes, and its oldest answer. */
    heaviest: (): readonly [string, Held | undefined] => {
      const [first] = [...holdings].sort(([, a], [, b]) => bytesOf(b) - bytesOf(a));
      return [first?.[0] ?? '', first?.[1].values().next().value];
    },
  };
};

const sendPieces = async (body: Uint8Array, response: ServerResponse): Promise<void> => {
  for (let from = 0; from < body.byteLength; from += PIECE) {
    if (response.destroyed) return;
    if (!response.write(body.subarray(from, from + PIECE))) await drained(response);
  }
  response.end();
};

/**
 * Keeps unsent bytes below `most`. Above it, disconnects the client with the oldest answer of the holder with the most
 * bytes.
 */
export const createAnswers = (most: number, onCut: () => void): Answers => {
  const holdings = createHoldings();
  const cut = (): void => {
    const [holder, held] = holdings.heaviest();
    if (!held) return;
    holdings.remove(holder, held);
    onCut();
    held.response.destroy();
  };
  return {
    send: async (body, response, holder) => {
      if (typeof body === 'string' || body.byteLength <= PIECE) {
        response.end(body);
        return;
      }
      const held = { response, bytes: body.byteLength };
      holdings.add(holder, held);
      response.once('close', () => holdings.remove(holder, held));
      while (holdings.total() > most) cut();
      await sendPieces(body, response);
    },
  };
};
