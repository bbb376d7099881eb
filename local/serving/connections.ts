/** The connections of a listener: how many there may be, whose they are, and which of them make room for others. */
import type { Socket } from 'node:net';
import type { ConnectionLimits } from '../../shared/config/host-limits.ts';

export interface Connection {
  readonly address: string;
  /** Who showed a valid token on it first. */
  readonly sender: string | undefined;
  /** It found the server full: its requests are refused. */
  readonly isCrowded: boolean;
  /** Its sender has so many that this one ends with its answer. */
  readonly isBrief: boolean;
}

/** Why a connection was closed: a small set, for it becomes a label. */
export type ClosingReason = 'all' | 'address' | 'unauthenticated' | 'pipelining';

export interface ConnectionCount {
  readonly authenticated: number;
  readonly unauthenticated: number;
}

export interface Connections {
  /** Counts a new connection, or closes it: then there is none. */
  add(socket: Socket): Connection | undefined;
  find(socket: Socket): Connection | undefined;
  /** It waits for its handshake: that costs it none of its time. */
  waits(connection: Connection): void;
  /** Its handshake begins. */
  begins(connection: Connection): void;
  /** The sender of a request on it is known. */
  identify(connection: Connection, sender: string): void;
}

export interface ConnectionEvents {
  readonly onClosed: (reason: ClosingReason) => void;
  readonly onCount: (count: ConnectionCount) => void;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed: () => number;
}

/** Milliseconds that a stranger gets to show a token, from the moment at which the server listens to it. */
const GRACE_MS = 2_000;

interface Entry extends Connection {
  /** When the server last began to listen to it; `Infinity` while it waits for its turn. */
  heardAt: number;
  readonly socket: Socket;
  sender: string | undefined;
  isBrief: boolean;
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Connections by some key of theirs, in the order in which they came. */
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
    /** The oldest one of the key that has the most. */
    oldestOfLargest: (): Entry | undefined => {
      const [first, ...others] = groups.values();
      const largest = others.reduce((most, group) => (group.size > (most?.size ?? 0) ? group : most), first);
      return largest?.values().next().value;
    },
  };
};

/**
 * Connections on which nobody has shown a valid token compete among themselves only: a new one is always let in, and the
 * oldest one of the address that has the most of them makes room, once it had its time. So strangers keep no node out, from
 * whatever address, and a fleet that comes back all at once keeps out nobody of its own.
 */
export const createConnections = (
  limits: ConnectionLimits,
  { onClosed, onCount, elapsed }: ConnectionEvents,
): Connections => {
  const open = new Map<string, Entry>();
  const addresses = createGroups();
  const strangers = createGroups();
  const senders = createGroups();

  const counted = (): void => {
    const unauthenticated = strangers.size();
    onCount({ authenticated: open.size - unauthenticated, unauthenticated });
  };
  const close = ({ socket }: Pick<Entry, 'socket'>, reason: ClosingReason): void => {
    onClosed(reason);
    socket.destroy();
  };
  const remove = (key: string, entry: Entry): void => {
    open.delete(key);
    addresses.remove(entry.address, entry);
    strangers.remove(entry.address, entry);
    if (entry.sender !== undefined) senders.remove(entry.sender, entry);
    counted();
  };
  const makeRoom = (): void => {
    const oldest = strangers.size() > limits.unauthenticated ? strangers.oldestOfLargest() : undefined;
    if (!oldest || elapsed() - oldest.heardAt < GRACE_MS) return;
    strangers.remove(oldest.address, oldest);
    close(oldest, 'unauthenticated');
  };

  return {
    find: (socket) => open.get(keyOf(socket)),
    add: (socket) => {
      const address = socket.remoteAddress ?? '';
      if (addresses.of(address) >= limits.perAddress) {
        close({ socket }, 'address');
        return undefined;
      }
      const isCrowded = open.size >= limits.all;
      const entry: Entry = {
        ...{ socket, address, isCrowded, sender: undefined, isBrief: false },
        heardAt: elapsed(),
      };
      const key = keyOf(socket);
      open.set(key, entry);
      addresses.add(address, entry);
      strangers.add(address, entry);
      socket.once('close', () => remove(key, entry));
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
      strangers.remove(entry.address, entry);
      entry.sender = sender;
      entry.isBrief = senders.of(sender) >= limits.perIdentity;
      senders.add(sender, entry);
      counted();
    },
  };
};
