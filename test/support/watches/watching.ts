/** Watches of an API in memory, under a clock that jumps to whatever is awaited next. */
import { createVirtualClock } from '../../../shared/adapters/memory/virtual-clock.ts';
import type { HttpResponse } from '../../../shared/apiserver/contract/http.ts';
import type { WatchLimits } from '../../../shared/apiserver/feed/watches.ts';
import { createTestApi, type Json, NODES, type Sent, START, type TestApi } from '../servers/api.ts';

export interface Seen {
  readonly events: readonly Json[];
  /** Milliseconds until the end of the stream. */
  readonly lasted: number;
}

export const createWatching = (limits?: WatchLimits) => {
  const even = createVirtualClock(START);
  let setMs = 0;
  const clock = { ...even, now: () => even.now() + setMs };
  /** Somebody sets the clock; what sleeps goes on sleeping. */
  const setClock = (byMs: number): void => {
    setMs += byMs;
  };
  const api = createTestApi({ clock, ...(limits ? { limits } : {}) });

  const read = async (stream: AsyncIterable<string>): Promise<Seen> => {
    const startedAt = even.now();
    let text = '';
    for await (const piece of stream) text += piece;
    const lines = text.split('\n');
    if (lines.pop() !== '') throw new Error('the last line has no end');
    return { events: lines.map((line) => JSON.parse(line)), lasted: even.now() - startedAt };
  };

  /** An opened watch to its end, while `during` happens half a second after now. */
  const watchOpened = async (
    { stream }: Pick<HttpResponse, 'stream'>,
    during: () => Promise<unknown> = async () => {},
  ): Promise<Seen> => {
    if (!stream) throw new Error('the answer is not a stream');
    const happening = clock.sleep(500).then(during);
    const [seen] = await clock.run(Promise.all([read(stream), happening]));
    return seen;
  };

  /** A watch to its end, while `during` happens half a second after it began. */
  const watch = async (
    url: string,
    during?: () => Promise<unknown>,
    sent: Sent = { as: 'admin' },
  ): Promise<Seen> => {
    return watchOpened(await api.open(url, sent), during);
  };

  return { ...api, clock, setClock, watch, watchOpened };
};

export type Watching = ReturnType<typeof createWatching>;

const MERGE = { as: 'admin', type: 'application/merge-patch+json' };

/** Nodes as the tests of watches write them. */
export const nodesOf = ({ send }: Pick<TestApi, 'send'>) => ({
  create: (name: string, labels: Readonly<Record<string, string>> = {}) =>
    send('POST', NODES, { as: 'admin', body: { metadata: { name, labels } } }),
  label: (name: string, labels: Readonly<Record<string, string | null>>) =>
    send('PATCH', `${NODES}/${name}`, { ...MERGE, body: { metadata: { labels } } }),
  cordon: (name: string, unschedulable: boolean | null) =>
    send('PATCH', `${NODES}/${name}`, { ...MERGE, body: { spec: { unschedulable } } }),
  remove: (name: string) => send('DELETE', `${NODES}/${name}`),
});

/** `TYPE name`, or `TYPE` where there is none. */
export const toldOf = ({ events }: Seen): readonly string[] =>
  events.map(({ type, object }) => (object.metadata.name ? `${type} ${object.metadata.name}` : type));

export const versionOf = async ({ send }: Pick<TestApi, 'send'>, url = NODES): Promise<string> =>
  (await send('GET', url)).json.metadata.resourceVersion;
