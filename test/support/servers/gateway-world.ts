/** A gateway in front of an API with nodes, whose answers come as a whole; time is twenty times as fast as ours. */
import { GATEWAY_LIMITS, type GatewayLimits } from '../../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../../gateway/serve.ts';
import { createUpstream } from '../../../gateway/upstream/upstream.ts';
import type { HttpResponse } from '../../../shared/apiserver/contract/http.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { createFastClock } from '../clocks/fast-clock.ts';
import { nodesOf } from '../watches/watching.ts';
import { createTestApi, type Json, NODES } from './api.ts';
import { startHttpApi } from './http-api.ts';

export interface Client {
  readonly response: HttpResponse;
  readonly events: readonly Json[];
  /** Resolves when `count` events have come, with all of them; rejects when the stream ends before. */
  until(count: number): Promise<readonly Json[]>;
  /** Resolves at the end of the stream. */
  readonly ended: Promise<void>;
  leave(): void;
}

const POLLS = { isBuffered: true, longestMs: 50_000 };

const following = (response: HttpResponse, leave: () => void): Client => {
  const events: Json[] = [];
  const waiting = new Set<() => void>();
  const read = async (): Promise<void> => {
    let rest = '';
    for await (const piece of response.stream ?? []) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      events.push(...lines.map((line): Json => JSON.parse(line)));
      for (const wake of waiting) wake();
    }
  };
  const ended = read();
  const until = (count: number): Promise<readonly Json[]> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (events.length >= count) resolve(events);
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`the stream ended with ${JSON.stringify(events)}`)));
    });
  return { response, events, until, ended, leave };
};

export const createGatewayWorld = async (limits: Partial<GatewayLimits> = {}) => {
  const clock = createFastClock(20);
  const api = createTestApi({ clock, limits: POLLS });
  const http = await startHttpApi({ serve: api.serve });
  const upstream = createUpstream({ url: http.url, timeoutMs: 60_000, maxSockets: 64 });
  const lines: string[] = [];
  const hostLog = createHostLog({ format: 'text', clock, write: (line) => lines.push(line.slice(9)) });
  const deps = { upstream, hostLog, clock, random: () => 0.5, limits: { ...GATEWAY_LIMITS, ...limits } };
  const serve = createGatewayServe(deps);
  const clients: Client[] = [];

  const request = async (url: string, token: string | undefined, headers: object, signal: AbortSignal) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://gateway.test');
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return serve({
      method: 'GET',
      path,
      query,
      headers: { ...authorization, ...headers },
      body: new Uint8Array(),
      signal,
    });
  };

  const openAs = async (token: string | undefined, url: string, headers: object = {}): Promise<Client> => {
    const gone = new AbortController();
    const response = await request(url, token, headers, gone.signal);
    const client = following(response, () => gone.abort());
    clients.push(client);
    return client;
  };

  return {
    ...nodesOf(api),
    api,
    http,
    clock,
    lines,
    openAs,
    open: async (url: string, headers: object = {}) => openAs(await api.tokenFor('admin'), url, headers),
    version: async (): Promise<string> => (await api.send('GET', NODES)).json.metadata.resourceVersion,
    /** Watches of the API that are open now. */
    upstreamWatches: () => [...http.watches.open.values()].reduce((sum, one) => sum + one, 0),
    stop: async (): Promise<void> => {
      for (const { leave } of clients) leave();
      await Promise.all(clients.map(({ ended }) => ended));
      upstream.close();
      await http.stop();
    },
  };
};

export type GatewayWorld = Awaited<ReturnType<typeof createGatewayWorld>>;
