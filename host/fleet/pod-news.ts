/** Tells which pods have changed, so that machines start and end them at once instead of with their next report. */
import { setTimeout as wait } from 'node:timers/promises';
import { createTransport } from '../../shared/client/transport.ts';
import { WATCH_LINE } from '../../shared/kube/json/answer-bounds.ts';
import { boundedLines } from '../../shared/kube/json/bounded-answer.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { Loop } from '../../shared/serving/machine/loop.ts';

/** Milliseconds after a watch has ended or failed. */
const AGAIN_MS = 1_000;
const PATH = '/api/v1/pods?watch=true&timeoutSeconds=300';

/** What following pods needs. */
export interface PodNewsDeps {
  readonly url: string;
  /** Certificate of the CA that signed the API's certificate, PEM. */
  readonly ca: string;
  /** Called for each watch, because the token changes when the signing key is replaced. */
  readonly adminToken: () => string;
  /** Called with each pod that is there or has changed; not with one that is gone. */
  readonly onPod: (pod: Pod) => void;
}

interface WatchEvent {
  readonly type: string;
  readonly object: Pod;
}

/** Follows all pods until it is stopped. A watch that fails is begun again. */
export const followPods = ({ url, ca, adminToken, onPod }: PodNewsDeps): Loop => {
  const abort = new AbortController();
  const { signal } = abort;
  const transport = createTransport({ url: new URL(url), ca, maxSockets: 1 });
  const watch = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${adminToken()}` };
    const answer = await transport.send({ method: 'GET', path: PATH, headers, signal, isLong: true });
    for await (const line of boundedLines(answer, WATCH_LINE)) {
      const { type, object } = JSON.parse(line) as WatchEvent;
      if (type === 'ADDED' || type === 'MODIFIED') onPod(object);
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      // The machines' reports find what is missed meanwhile.
      await watch().catch(() => undefined);
      await wait(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    stop: async () => {
      abort.abort();
      transport.close();
      await running;
    },
  };
};
