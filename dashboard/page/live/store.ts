/** Keeps the fleet by the stream of it, and tells elements of the page what has changed. */
import { applyChange, createFleet, type Fleet } from './fleet.ts';
import { type Connection, openStream } from './stream.ts';

export interface Selectors {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** What listeners hear: names of cells that look different. */
export type Listener = (changed: readonly string[]) => void;

export interface LiveStore {
  readonly fleet: Fleet;
  connection(): Connection;
  /** Why the selectors are refused; '' if they are not. */
  refusal(): string;
  selectors(): Selectors;
  select(selectors: Selectors): void;
  /** Returns what ends it. */
  listen(listener: Listener): () => void;
  /** The server's clock, ms. */
  now(): number;
}

/** Starts to follow. */
export const createLiveStore = (): LiveStore => {
  const fleet = createFleet();
  const listeners = new Set<Listener>();
  let selectors: Selectors = { labelSelector: '', fieldSelector: '' };
  let connection: Connection = 'connecting';
  let refusal = '';

  const tell = (changed: readonly string[] = []): void => {
    for (const listener of listeners) listener(changed);
  };
  const stream = openStream({
    url: () => `data/live?${new URLSearchParams({ ...selectors }).toString()}`,
    onMessage: (data) => tell(applyChange(fleet, JSON.parse(data), Date.now()).changed),
    onConnection: (next) => {
      connection = next;
      tell();
    },
    onRefusal: (reason) => {
      refusal = reason;
      tell();
    },
  });

  return {
    fleet,
    connection: () => connection,
    refusal: () => refusal,
    selectors: () => selectors,
    now: () => Date.now() + fleet.skewMs,
    select: (next) => {
      selectors = next;
      stream.renew();
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
