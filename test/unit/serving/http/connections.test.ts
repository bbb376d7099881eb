import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConnections } from '../../../../shared/serving/http/connections.ts';
import { createHandshakes } from '../../../../shared/serving/http/secure-server.ts';

const LIMITS = { all: 10, perAddress: 6, perIdentity: 2, unauthenticated: 4 };

/** As much of a socket as is looked at. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;
  readonly remotePort: number;
  constructor(address: string, port: number) {
    super();
    this.remoteAddress = address;
    this.remotePort = port;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
  setTimeout(): this {
    return this;
  }
}

const aDoor = () => {
  const reasons: string[] = [];
  let count = { authenticated: 0, unauthenticated: 0 };
  let port = 0;
  let now = 0;
  const connections = createConnections(LIMITS, {
    onClosed: (reason) => reasons.push(reason),
    onCount: (present) => {
      count = present;
    },
    elapsed: () => now,
  });
  const come = (address: string, sender?: string, from?: number) => {
    port += 1;
    const socket = new FakeSocket(address, from ?? port);
    const connection = connections.add(socket as unknown as Socket);
    if (connection && sender !== undefined) connections.identify(connection, sender);
    return { socket, connection };
  };
  const advance = (ms: number): void => {
    now += ms;
  };
  return { come, reasons, connections, advance, count: () => count };
};

describe('connections', () => {
  it('are closed to make room: the oldest unauthenticated one of the address with the most', () => {
    const { come, reasons, advance } = aDoor();
    const [quiet, loud, ...early] = [come('b'), come('a'), come('a'), come('a')];
    advance(2_000);
    const others = [...early, come('c')];
    expect([quiet, loud, ...others].map(({ socket }) => socket.destroyed)).toEqual([
      false,
      true,
      false,
      false,
      false,
    ]);
    expect(reasons).toEqual(['unauthenticated']);
  });

  it('stay open if they are authenticated, however many unauthenticated ones come', () => {
    const { come, count, advance } = aDoor();
    const known = [come('a', 'n1'), come('a', 'n2'), come('b', 'n3')];
    for (let index = 0; index < 50; index += 1) {
      come(`s${index}`);
      advance(2_000);
    }
    expect(known.map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
    expect(count()).toEqual({ authenticated: 3, unauthenticated: 4 });
  });

  it('are not closed if they are new, or wait for their handshakes', () => {
    const { come, reasons, connections, advance } = aDoor();
    const early = Array.from({ length: 5 }, () => come('a').connection);
    expect(reasons).toEqual([]);
    for (const connection of early) if (connection) connections.waits(connection);
    advance(60_000);
    come('b');
    expect(reasons).toEqual([]);
    for (const connection of early) if (connection) connections.begins(connection);
    advance(1_999);
    come('c');
    expect(reasons).toEqual([]);
    advance(1);
    come('d');
    expect(reasons).toEqual(['unauthenticated']);
  });

  it('are limited for each address', () => {
    const { come, reasons } = aDoor();
    for (let index = 0; index < 6; index += 1) come('a', `n${index}`);
    expect(come('a').connection).toBeUndefined();
    expect(come('b').connection).toBeDefined();
    expect(reasons).toEqual(['address']);
  });

  it('above the limit are marked as crowded', () => {
    const { come } = aDoor();
    const all = Array.from({ length: 11 }, (_, index) => come(`a${index % 3}`, `n${index}`));
    expect(all.map(({ connection }) => connection?.isCrowded)).toEqual([...Array(10).fill(false), true]);
  });

  it('of one identity beyond its limit are closed after their answers', () => {
    const { come } = aDoor();
    const all = [come('a', 'ann'), come('b', 'ann'), come('c', 'ann'), come('c', 'bob')];
    expect(all.map(({ connection }) => connection?.isBrief)).toEqual([false, false, true, false]);
  });

  it('are forgotten when they are closed', () => {
    const { come, count, connections } = aDoor();
    const all = [come('a', 'ann'), come('a'), come('b', 'ann')];
    for (const { socket } of all) socket.destroy();
    expect(count()).toEqual({ authenticated: 0, unauthenticated: 0 });
    expect(connections.find(all[0]?.socket as unknown as Socket)).toBeUndefined();
    expect(come('c', 'ann').connection?.isBrief).toBe(false);
  });

  it('are found although an earlier one from the same port is closed after they have come', () => {
    const { come, connections } = aDoor();
    const [earlier, later] = [come('a', undefined, 700), come('a', undefined, 700)];
    earlier.socket.destroy();
    expect(connections.find(later.socket as unknown as Socket)).toBe(later.connection);
    later.socket.destroy();
    expect(connections.find(later.socket as unknown as Socket)).toBeUndefined();
  });
});

describe('handshakes', () => {
  const begun = (count: number) => {
    const turns: (() => void)[] = [];
    const handshakes = createHandshakes((resume) => turns.push(resume));
    const started: number[] = [];
    const hellos: number[] = [];
    const sockets = Array.from({ length: count }, (_, index) => new FakeSocket('a', index));
    for (const [index, socket] of sockets.entries())
      handshakes.await(
        socket as unknown as Socket,
        () => hellos.push(index),
        () => started.push(index),
      );
    expect(turns).toHaveLength(0);
    for (const socket of sockets) socket.emit('readable');
    return { turns, sockets, started, hellos };
  };

  it('begin when their clients do, a few in each turn of the event loop', () => {
    const { turns, sockets, started, hellos } = begun(10);
    expect([hellos.length, started.length]).toEqual([10, 0]);
    sockets[9]?.destroy();
    const seen: number[] = [];
    while (turns.length > 0) {
      turns.shift()?.();
      seen.push(started.length);
    }
    expect(seen).toEqual([4, 8, 9]);
  });

  it('do not wait for connections that were closed before their turn', () => {
    const { turns, sockets, started } = begun(1_000);
    for (const socket of sockets.slice(0, 998)) socket.destroy();
    turns.shift()?.();
    expect([started, turns.length]).toEqual([[998, 999], 0]);
  });

  it('leave out a connection whose end is not reported yet', () => {
    const { turns, sockets, started } = begun(5);
    const [first] = sockets;
    if (first) first.destroyed = true;
    turns.shift()?.();
    expect(started).toEqual([1, 2, 3, 4]);
  });
});
