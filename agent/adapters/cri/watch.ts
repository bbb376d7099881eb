/**
 * Notices what becomes of containers: by the runtime's events, or by a list each second where it tells none. Source: kubernetes v1.34
 * pkg/kubelet/pleg.
 */
import { POD_UID } from '../../rules/cri/labels.ts';
import { CriError } from './cri-error.ts';
import type { Parts } from './parts.ts';
import { containersOf, sandboxesOf } from './pods.ts';

export interface Watch {
  onChange(callback: (uid: string) => void): () => void;
  /** Of the clock that is never set: when containers were last listed or told of. */
  lastSeenAt(): number;
  close(): void;
}

/** With events a list only finds what no event told. */
const RELIST_WITH_EVENTS_MS = 60_000;
/** How long until events are asked for again. */
const RETRY_EVENTS_MS = 5_000;
/** Runtimes that tell no events will not learn it. */
const NO_EVENTS: ReadonlySet<string> = new Set(['Unimplemented']);

type Seen = ReadonlyMap<string, readonly [uid: string, state: string | undefined]>;

const look = async (parts: Parts): Promise<Seen> => {
  const [sandboxes, containers] = await Promise.all([sandboxesOf(parts), containersOf(parts)]);
  return new Map(
    [...sandboxes, ...containers].map(({ id, labels, state }) => [
      id,
      [labels[POD_UID] ?? '', state] as const,
    ]),
  );
};

/** The pods of which something came, went, or changed its state. */
const changed = (before: Seen, after: Seen): ReadonlySet<string> => {
  const uids = new Set<string>();
  for (const [id, [uid, state]] of after) if (before.get(id)?.[1] !== state) uids.add(uid);
  for (const [id, [uid]] of before) if (!after.has(id)) uids.add(uid);
  return uids;
};

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => resolve(undefined);
  const timer = setTimeout(end, ms);
  timer.unref();
  signal.addEventListener('abort', end, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
};

export const createWatch = (parts: Parts): Watch => {
  const { uptime, relistPeriodMs } = parts.options;
  const stop = new AbortController();
  const listeners = new Set<(uid: string) => void>();
  const tell = (uid: string): void => {
    for (const call of listeners) call(uid);
  };
  let lastSeenAt = uptime();
  let hasEvents = false;

  /** What was seen; if the runtime does not answer, what was seen before. */
  const lookAgain = async (before: Seen | undefined): Promise<Seen | undefined> => {
    const now = await look(parts).catch(() => undefined);
    if (!now) return before;
    lastSeenAt = uptime();
    for (const uid of before ? changed(before, now) : []) tell(uid);
    return now;
  };
  const relist = async (): Promise<void> => {
    let seen: Seen | undefined;
    while (!stop.signal.aborted) {
      seen = await lookAgain(seen);
      await pause(hasEvents ? RELIST_WITH_EVENTS_MS : relistPeriodMs, stop.signal);
    }
  };

  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const ended = parts.client.events((event) => {
        hasEvents = true;
        lastSeenAt = uptime();
        const uid = event.podSandboxStatus?.labels[POD_UID];
        if (uid !== undefined) tell(uid);
      }, stop.signal);
      const error = await ended.catch((fault: unknown) => fault);
      hasEvents = false;
      if (error instanceof CriError && NO_EVENTS.has(error.code)) return;
      await pause(RETRY_EVENTS_MS, stop.signal);
    }
  };

  void relist();
  void follow();
  return {
    onChange: (callback) => {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    lastSeenAt: () => lastSeenAt,
    close: () => stop.abort(),
  };
};
