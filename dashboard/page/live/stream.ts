/** One stream of server-sent events, opened again when it breaks off, or when its server is silent. */
import { SILENCE_MS } from '../../wire/source.ts';
import type { Connection } from './standing.ts';

export interface StreamOptions {
  readonly url: () => string;
  readonly onMessage: (data: string) => void;
  readonly onConnection: (connection: Connection) => void;
}

export interface Stream {
  /** Asks anew, as for another address. */
  renew(): void;
  close(): void;
}

/** After a failure, ms. */
const AGAIN_MS = 2_000;
/** How often is looked whether the server is silent, ms. */
const LOOK_MS = 250;
/** A difference (ms) between the two clocks of the browser that shows that the machine slept, or that its clock was set. */
const JUMP_MS = 3_000;

/** The browser says only that a stream failed; the answer says why. `undefined`: it may work again. */
const whyRefused = async (url: string): Promise<Connection | undefined> => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(SILENCE_MS) });
    if (answer.status === 401) return { is: 'not allowed' };
    // What this server answers is short; the stream is not read here.
    if (answer.ok || answer.status >= 500) return void answer.body?.cancel();
    return { is: 'refused', reason: ((await answer.json()) as { readonly message: string }).message };
  } catch {
    return undefined;
  }
};

/** Measures silence by a clock that does not jump, and says so if the machine slept. */
const createEar = () => {
  let [at, wall] = [performance.now(), Date.now()];
  const silentMs = (): number => performance.now() - at;
  return {
    hear: (): void => {
      [at, wall] = [performance.now(), Date.now()];
    },
    since: (): number => wall,
    isSilent: (): boolean => silentMs() > SILENCE_MS || Math.abs(Date.now() - wall - silentMs()) > JUMP_MS,
  };
};

/** Opens the stream. It is closed while the page is hidden. */
export const openStream = ({ url, onMessage, onConnection }: StreamOptions): Stream => {
  const ear = createEar();
  let source: EventSource | undefined;
  let [looking, retrying]: [number | undefined, number | undefined] = [undefined, undefined];

  const quiet = (): void => onConnection({ is: 'quiet', since: ear.since(), isOffline: !navigator.onLine });
  const close = (): void => {
    clearInterval(looking);
    clearTimeout(retrying);
    source?.close();
    source = undefined;
  };
  let openedAt = 0;
  const look = (): void => {
    if (!ear.isSilent()) return;
    quiet();
    if (performance.now() - openedAt > SILENCE_MS) reopen();
  };
  const fail = async (failed: EventSource): Promise<void> => {
    // The browser tries again by itself, with its position, unless it was refused.
    if (failed.readyState !== EventSource.CLOSED) return quiet();
    failed.close();
    const refusal = await whyRefused(url());
    if (source !== failed) return;
    if (refusal) {
      close();
      onConnection(refusal);
      return;
    }
    quiet();
    retrying = window.setTimeout(reopen, AGAIN_MS);
  };
  const open = (): void => {
    if (source || document.hidden) return;
    const opened = new EventSource(url());
    source = opened;
    openedAt = performance.now();
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      ear.hear();
      onConnection({ is: 'open' });
      onMessage(data);
    };
    opened.onerror = () => void fail(opened);
    looking = window.setInterval(look, LOOK_MS);
  };
  const reopen = (): void => {
    close();
    open();
  };
  /** What was heard before is not known to hold. */
  const begin = (): void => {
    ear.hear();
    onConnection({ is: 'connecting' });
    open();
  };
  const renew = (): void => {
    close();
    begin();
  };
  const onVisibility = (): void => (document.hidden ? close() : begin());

  document.addEventListener('visibilitychange', onVisibility);
  begin();
  return {
    renew,
    close: () => {
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    },
  };
};
