/** The connections of a listener: their limits, their senders, and which ones are closed to make room. */
import type { Socket } from 'node:net';
import type { ConnectionLimits } from '../../settings/host/host-limits.ts';

/** An open connection. */
export interface Connection {
  readonly address: string;
  /** The first identity that authenticated on it. */
  readonly sender: string | undefined;
  /** The server was full when the connection was opened: its requests are refused. */
  readonly isCrowded: boolean;
  /** The sender has so many connections that this one is closed after its next answer. */
  readonly isBrief: boolean;
}

/** Why a connection was closed. The set is small because it is a metric label. */
export type ClosingReason = 'all' | 'address' | 'unauthenticated' | 'pipelining';

export interface ConnectionCount {
  readonly authenticated: number;
  readonly unauthenticated: number;
}

/** All open connections of a listener. */
export interface Connections {
  /** Adds a new connection. If there are too many of its address, closes it and returns `undefined`. */
  add(socket: Socket): Connection | undefined;
  find(socket: Socket): Connection | undefined;
  /** Call it when the connection starts to wait for its handshake. The wait does not count as its delay. */
  waits(connection: Connection): void;
  /** Call it when the handshake begins. */
  begins(connection: Connection): void;
  /** Call it when the sender of a request on the connection is known. */
  identify(connection: Connection, sender: string): void;
}

export interface ConnectionEvents {
  readonly onClosed: (reason: ClosingReason) => void;
  readonly onCount: (count: ConnectionCount) => void;
  /** Monotonic clock in milliseconds. */
  readonly elapsed: () => number;
}

/** Milliseconds that an unauthenticated connection gets to send a token, after the server has started to read from it. */
const GRACE_MS = 2_000;

interface Entry extends Connection {
  /** When the server last started to read from it; `Infinity` while it waits for its turn. */
  heardAt: number;
  readonly socket: Socket;
  sender: string | undefined;
  isBrief: boolean;
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Connections grouped by a key, in order of arrival. */
const createGroups = () => {
  const groups = new Map<string, Set<Entry>>();
  let size = 0;
  return {
    size: () => size,
    of: (key: string): number => groups.get(key)?.size ?? 0,
    add: (key: string, entry: Entry): void => {
      const group = groups.get(key) ?? new Set();
      groups.set(key, group.add(entry));
      size += 1;
    },
    remove: (key: string, entry: Entry): void => {
      const group = groups.get(key);
      if (!group?.delete(entry)) return;
      size -= 1;
      if (group.size === 0) groups.delete(key);
    },
    /** The oldest connection of the key that has the most. */
    oldestOfLargest: (): Entry | undefined => {
      const [first, ...others] = groups.values();
      const largest = others.reduce((most, group) => (group.size > (most?.size ?? 0) ? group : most), first);
      return largest?.values().next().value;
    },
  };
};

/** The open connections by socket, by address and by sender. */
const createIndex = () => {
  const open = new Map<string, Entry>();
  const addresses = createGroups();
  const strangers = createGroups();
  const senders = createGroups();
  return {
    find: (socket: Socket): Entry | undefined => open.get(keyOf(socket)),
    size: () => open.size,
    ofAddress: addresses.of,
    ofSender: senders.of,
    unauthenticated: strangers.size,
    /** The oldest unauthenticated connection of the address with the most of them. */
    oldestUnauthenticated: strangers.oldestOfLargest,
    /** Stops counting a connection as unauthenticated. */
    leaveUnauthenticated: (entry: Entry): void => strangers.remove(entry.address, entry),
    setSender: (entry: Entry, sender: string): void => {
      strangers.remove(entry.address, entry);
      entry.sender = sender;
      senders.add(sender, entry);
    },
    /** Adds a connection and returns what removes it. */
    add: (entry: Entry): (() => void) => {
      const key = keyOf(entry.socket);
      open.set(key, entry);
      addresses.add(entry.address, entry);
      strangers.add(entry.address, entry);
      return () => {
        // The client may have used its port for a new connection already.
        if (open.get(key) === entry) open.delete(key);
        addresses.remove(entry.address, entry);
        strangers.remove(entry.address, entry);
        if (entry.sender !== undefined) senders.remove(entry.sender, entry);
      };
    },
  };
};

/**
 * Unauthenticated connections compete only with each other: a new one is always accepted, and the oldest one of the address
 * with the most of them is closed once its time is over. Unauthenticated clients therefore cannot keep nodes out, from any
 * address, and the nodes of a fleet that reconnects all at once do not keep each other out.
 */
export const createConnections = (
  limits: ConnectionLimits,
  { onClosed, onCount, elapsed }: ConnectionEvents,
): Connections => {
  const index = createIndex();

  const counted = (): void => {
    const unauthenticated = index.unauthenticated();
    onCount({ authenticated: index.size() - unauthenticated, unauthenticated });
  };
  const close = ({ socket }: Pick<Entry, 'socket'>, reason: ClosingReason): void => {
    onClosed(reason);
    socket.destroy();
  };
  const makeRoom = (): void => {
    const oldest =
      index.unauthenticated() > limits.unauthenticated ? index.oldestUnauthenticated() : undefined;
    if (!oldest || elapsed() - oldest.heardAt < GRACE_MS) return;
    index.leaveUnauthenticated(oldest);
    close(oldest, 'unauthenticated');
  };

  return {
    find: index.find,
    add: (socket) => {
      const address = socket.remoteAddress ?? '';
      if (index.ofAddress(address) >= limits.perAddress) {
        close({ socket }, 'address');
        return undefined;
      }
      const isCrowded = index.size() >= limits.all;
      const entry: Entry = {
        socket,
        address,
        isCrowded,
        sender: undefined,
        isBrief: false,
        heardAt: elapsed(),
      };
      const remove = index.add(entry);
      socket.once('close', () => {
        remove();
        counted();
      });
      makeRoom();
      counted();
      return entry;
    },
    waits: (connection) => {
      (connection as Entry).heardAt = Infinity;
    },
    begins: (connection) => {
      (connection as Entry).heardAt = elapsed();
    },
    identify: (connection, sender) => {
      const entry = connection as Entry;
      if (entry.sender !== undefined || entry.socket.destroyed) return;
      entry.isBrief = index.ofSender(sender) >= limits.perIdentity;
      index.setSender(entry, sender);
      counted();
    },
  };
};
