/** Keeps the fleet by the stream of it, and tells elements of the page what has changed. */
import type { LiveChange } from '../../wire/live.ts';
import { applyChange, createFleet, type Fleet } from './fleet.ts';
import { createHearing, type Hearing } from './hearing.ts';
import { openStream } from './stream.ts';

export interface Selectors {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

/** What listeners hear: names of cells that look different. */
export type Listener = (changed: readonly string[]) => void;

export interface LiveStore {
  readonly fleet: Fleet;
  /** How what is shown stands, and by which clock it is judged. */
  readonly hearing: Pick<Hearing, 'standing' | 'returnedAfter'>;
  selectors(): Selectors;
  select(selectors: Selectors): void;
  /** Returns what ends it. */
  listen(listener: Listener): () => void;
  /** The server's clock (ms); while the fleet is not heard, the instant of which it is shown. */
  now(): number;
}

/** Starts to follow. */
export const createLiveStore = (): LiveStore => {
  const fleet = createFleet();
  const listeners = new Set<Listener>();
  let selectors: Selectors = { labelSelector: '', fieldSelector: '' };
  const hearing = createHearing(() => performance.now());

  const tell = (changed: readonly string[] = []): void => {
    for (const listener of listeners) listener(changed);
  };
  const stream = openStream({
    url: () => `data/live?${new URLSearchParams({ ...selectors }).toString()}`,
    onMessage: (data) => {
      const change = JSON.parse(data) as LiveChange;
      const { changed } = applyChange(fleet, change);
      hearing.heard(change);
      tell(changed);
    },
    onConnection: (next) => {
      const was = hearing.standing().is;
      hearing.connected(next);
      if (hearing.standing().is !== was || next.is !== 'open') tell();
    },
  });

  return {
    fleet,
    hearing,
    selectors: () => selectors,
    now: hearing.now,
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
