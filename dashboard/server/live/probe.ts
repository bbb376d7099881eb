/** Asks an API whether it answers: for one Node, so that an API whose store is gone does not count. */

import { createUpstream } from '../../../gateway/upstream/upstream.ts';
import { refusalOf } from '../../../gateway/upstream/upstream-answer.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import { NODES } from '../requests/paths.ts';
import type { SourceDeps } from './source.ts';

/** An API, and who asks. */
export interface ProbeTarget {
  readonly url: URL;
  /** Certificate authority, PEM; `undefined`: a public one. */
  readonly ca: string | undefined;
  readonly token: () => Promise<string>;
}

/** A probe with a connection of its own: it waits for no other request, and a dead connection is given up with the question. */
export interface Probe {
  readonly probe: SourceDeps['probe'];
  close(): void;
}

/** Milliseconds without a byte; whoever asks gives up earlier. */
const TIMEOUT_MS = 10_000;
/** Answers of a server that cannot do its work now. Any other one shows that the API is there. */
const isDown = (status: number): boolean => status >= 500 || status === 429;

/** A page of something between here and the API is no answer of it. */
const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
};

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the API gives no answer')), { once: true });
  });

/** Creates it. */
export const createProbe = ({ url, ca, token }: ProbeTarget): Probe => {
  const upstream = createUpstream({ url, timeoutMs: TIMEOUT_MS, maxSockets: 1, ...optional('ca', ca) });
  const ask = async (signal: AbortSignal): Promise<void> => {
    const headers = { authorization: `Bearer ${await token()}`, accept: 'application/json' };
    const {
      status,
      headers: told,
      body,
    } = await upstream.send({
      method: 'GET',
      path: `${NODES}?limit=1`,
      headers,
      signal,
    });
    const text = Buffer.from(body).toString();
    if (isDown(status) || !isJson(text)) throw refusalOf(status, told, text);
  };
  return { probe: (signal) => Promise.race([ask(signal), aborted(signal)]), close: upstream.close };
};
