import { describe, expect, it } from 'vitest';
import type { Upstream, UpstreamRequest } from '../../../../gateway/upstream/upstream.ts';
import { createUpstreamFeed } from '../../../../gateway/upstream/upstream-feed.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError, serviceUnavailable } from '../../../../shared/kube/errors/status-error.ts';

const event = (type: string, version: number, name = `n${version}`): string =>
  `${JSON.stringify({ type, object: { kind: 'Node', metadata: { name, resourceVersion: String(version) } } })}\n`;

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `Error`: the connection breaks there. */
  readonly pieces: readonly (string | Uint8Array | Error)[];
}

/** An API that gives one answer after another, and then none. */
const createWorld = (answers: readonly (Answer | Error)[]) => {
  const clock = createVirtualClock(0);
  const asked: { readonly at: number; readonly query: URLSearchParams; readonly as: string | undefined }[] =
    [];
  const told: unknown[] = [];
  const refused: (string | undefined)[] = [];
  let read = 0;
  async function* bodyOf({ pieces }: Answer): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      read += 1;
      yield typeof piece === 'string' ? Buffer.from(piece) : piece;
    }
  }
  const open = async ({ path, headers, signal }: UpstreamRequest) => {
    const answer = answers[asked.length];
    const query = new URL(path, 'http://api.test').searchParams;
    asked.push({ at: clock.now(), query, as: headers['authorization'] });
    if (answer instanceof Error) throw answer;
    if (answer) return { status: answer.status ?? 200, headers: answer.headers ?? {}, body: bodyOf(answer) };
    return new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  };
  const upstream: Upstream = { open, send: () => Promise.reject(new Error('not asked')), close: () => {} };
  const feed = createUpstreamFeed(
    {
      upstream,
      clock,
      target: { path: '/api/v1/nodes', selectors: new URLSearchParams('labelSelector=a%3Db') },
      credentials: () => ({ authorization: 'Bearer t' }),
      refused: (one) => refused.push(one['authorization']),
      failed: (error) => told.push(error instanceof Error ? error.message : error),
      answered: () => undefined,
      onNews: () => undefined,
    },
    10,
  );
  /** What polls bring within so many milliseconds. */
  const poll = (ms: number): Promise<readonly string[]> =>
    clock.run(
      (async () => {
        const seen: string[] = [];
        for (const until = clock.now() + ms; clock.now() <= until; await clock.sleep(feed.restMs()))
          seen.push(...(await feed.poll()).map(({ type, object }) => `${type} ${object.metadata.name}`));
        return seen;
      })(),
    );
  const froms = () => asked.map(({ query }) => Number(query.get('resourceVersion')));
  return { feed, clock, poll, asked, told, refused, froms, read: () => read };
};

const broken = new StatusError('ServiceUnavailable', 'broken');

describe('a feed of the API', () => {
  it('asks again from the version at which the last answer ended; the first watch is short', async () => {
    const { poll, feed, asked, froms } = createWorld([
      { pieces: [event('ADDED', 11) + event('BOOKMARK', 15)] },
      { pieces: [event('MODIFIED', 17)] },
    ]);
    expect(await poll(5_000)).toEqual(['ADDED n11', 'MODIFIED n17']);
    expect([froms(), feed.position()]).toEqual([[10, 15, 17], 17]);
    expect(asked.map(({ query }) => query.get('timeoutSeconds'))).toEqual(['3', null, null]);
    expect(asked[0]?.query.get('labelSelector')).toBe('a=b');
    feed.close?.();
  });

  it.each([
    ['between two lines', [event('ADDED', 11), broken]],
    ['within a line', [event('ADDED', 11) + event('ADDED', 12).slice(0, 20), broken]],
    ['within a line, as if that was its end', [event('ADDED', 11) + event('ADDED', 12).slice(0, 20)]],
    [
      'within a character',
      [Buffer.from(event('ADDED', 11) + event('ADDED', 12, 'ü')).subarray(0, -40), broken],
    ],
  ])('loses nothing and repeats nothing when an answer breaks off %s', async (_, pieces) => {
    const { poll, froms, told, feed } = createWorld([
      { pieces },
      { pieces: [event('ADDED', 12) + event('ADDED', 13)] },
    ]);
    expect(await poll(5_000)).toEqual(['ADDED n11', 'ADDED n12', 'ADDED n13']);
    expect(froms()).toEqual([10, 11, 13]);
    expect(told).toHaveLength(1);
    feed.close?.();
  });

  it('waits longer after each failure, obeys Retry-After, and asks again at once after an answer', async () => {
    const away = serviceUnavailable('away', {});
    const busy = { status: 429, headers: { 'retry-after': '20' }, pieces: ['busy'] };
    const { poll, asked, told, feed } = createWorld([
      away,
      away,
      away,
      busy,
      { pieces: [event('ADDED', 11)] },
    ]);
    expect(await poll(60_000)).toEqual(['ADDED n11']);
    expect(asked.map(({ at }) => at)).toEqual([0, 500, 1_500, 3_500, 23_500, expect.any(Number)]);
    expect(asked.map(({ query }) => query.get('timeoutSeconds'))).toEqual(['3', '3', '3', '3', '3', null]);
    expect(told).toEqual(['away', 'away', 'away', 'busy']);
    feed.close?.();
  });

  it('continues after an ERROR; after a 410 it ends, when all earlier events were delivered', async () => {
    const error = (code: number) =>
      `${JSON.stringify({ type: 'ERROR', object: { code, message: `m${code}` } })}\n`;
    const { poll, feed, told } = createWorld([
      { pieces: [event('ADDED', 11) + error(500)] },
      { pieces: [event('ADDED', 12) + error(410)] },
    ]);
    const seen: string[] = [];
    await expect(
      (async () => {
        for (;;) seen.push(...(await poll(100)));
      })(),
    ).rejects.toMatchObject({ reason: 'Expired', message: 'm410' });
    expect(told).toEqual(['the API answered 500: m500']);
    expect(feed.position()).toBe(12);
  });

  it('reports which credentials were refused', async () => {
    const { poll, refused, feed } = createWorld([{ status: 401, pieces: ['{"message":"Unauthorized"}'] }]);
    await poll(300);
    expect(refused).toEqual(['Bearer t']);
    feed.close?.();
  });

  it('stops reading while the events so far are not polled', async () => {
    const pieces = Array.from({ length: 5_000 }, (_, index) => event('ADDED', 11 + index));
    const { feed, clock, read } = createWorld([{ pieces }]);
    await feed.poll();
    await clock.run(clock.sleep(10_000));
    expect(read()).toBeLessThan(1_100);
    const [first, second] = [await feed.poll(), await clock.run(clock.sleep(1).then(() => feed.poll()))];
    expect([first.length, second.length]).toEqual([1_000, 1_000]);
    feed.close?.();
  });
});
