/** One stream of server-sent events, opened again when it breaks off. */

/** How the page stands to its server. */
export type Connection = 'connecting' | 'live' | 'cut off' | 'not allowed';

export interface StreamOptions {
  readonly url: () => string;
  readonly onMessage: (data: string) => void;
  readonly onConnection: (connection: Connection) => void;
  /** Called with the reason for which the server refuses what is asked; '' when it has answered. */
  readonly onRefusal: (reason: string) => void;
}

export interface Stream {
  /** Asks anew, as for another address. */
  renew(): void;
  close(): void;
}

/** Longer than the longest silence of a stream that works, ms. */
const SILENCE_MS = 25_000;
const AGAIN_MS = 2_000;

/** The browser says only that a stream failed; the answer says why: `''` without a session, `undefined` if it may work again. */
const whyRefused = async (url: string): Promise<string | undefined> => {
  const aborted = new AbortController();
  try {
    const answer = await fetch(url, { signal: aborted.signal });
    if (answer.status === 401) return '';
    return answer.status < 500 && !answer.ok
      ? ((await answer.json()) as { readonly message: string }).message
      : undefined;
  } catch {
    return undefined;
  } finally {
    aborted.abort();
  }
};

/** Opens the stream. It is closed while nobody can see the page. */
export const openStream = ({ url, onMessage, onConnection, onRefusal }: StreamOptions): Stream => {
  let source: EventSource | undefined;
  let silence: number | undefined;

  const close = (): void => {
    clearTimeout(silence);
    source?.close();
    source = undefined;
  };
  const heed = (): void => {
    clearTimeout(silence);
    silence = window.setTimeout(() => {
      onConnection('cut off');
      renew();
    }, SILENCE_MS);
  };
  const heedReason = (reason: string | undefined): void => {
    if (reason === undefined) window.setTimeout(open, AGAIN_MS);
    else if (reason === '') onConnection('not allowed');
    else onRefusal(reason);
  };
  const fail = (): void => {
    onConnection('cut off');
    // The browser tries again by itself, with its position, unless it was refused.
    if (source?.readyState !== EventSource.CLOSED) return;
    close();
    void whyRefused(url()).then(heedReason);
  };
  const open = (): void => {
    if (source || document.hidden) return;
    source = new EventSource(url());
    source.onopen = () => {
      onRefusal('');
      onConnection('live');
      heed();
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      heed();
      onMessage(data);
    };
    source.onerror = fail;
  };
  const renew = (): void => {
    close();
    open();
  };
  const onVisibility = (): void => (document.hidden ? close() : open());

  document.addEventListener('visibilitychange', onVisibility);
  open();
  return {
    renew,
    close: () => {
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    },
  };
};
