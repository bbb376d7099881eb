import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  canStream,
  composeHttp,
  composeHttpStream,
  type FunctionUrlEvent,
  logWatchFailure,
} from '../../../../lambdas/runtime/compose-http.ts';
import { logger } from '../../../../lambdas/runtime/observability.ts';
import type { HttpRequest, HttpResponse } from '../../../../shared/apiserver/contract/http.ts';
import { conflict, tooManyRequests } from '../../../../shared/kube/errors/status-error.ts';
import { contextWith, eventOf } from './events.ts';

const GET = eventOf<FunctionUrlEvent>('function-url-get');
const OK: HttpResponse = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' };
const error = vi.spyOn(logger, 'error');

beforeEach(() => {
  error.mockImplementation(() => {});
});

afterEach(() => {
  error.mockReset();
});

const requestOf = async (event: FunctionUrlEvent): Promise<HttpRequest> => {
  const seen: HttpRequest[] = [];
  await composeHttp(async (request) => {
    seen.push(request);
    return OK;
  })(event, contextWith());
  const [request] = seen;
  if (!request) throw new Error('not called');
  return request;
};

const answerOf = (response: HttpResponse) => composeHttp(async () => response)(GET, contextWith());

const failureOf = (thrown: unknown) =>
  composeHttp(async () => {
    throw thrown;
  })(GET, contextWith());

it.each([
  ['watch=1', 501],
  ['labelSelector=a&watch=true', 501],
  ['watch=0', 200],
  ['', 200],
])('a watch over a WebSocket is refused, because a function has none: ?%s is %i', async (query, code) => {
  const event = { ...GET, rawQueryString: query, headers: { ...GET.headers, upgrade: 'websocket' } };
  expect((await composeHttp(async () => OK)(event, contextWith())).statusCode).toBe(code);
});

describe('a request', () => {
  it('keeps method, path, repeated parameters and headers', async () => {
    const { method, path, query, headers, body } = await requestOf(GET);
    expect({ method, path }).toEqual({ method: 'GET', path: '/api/v1/nodes' });
    expect(query.get('labelSelector')).toBe('zone=a,tier in (x)');
    expect(query.getAll('fieldSelector')).toEqual(['a', 'b']);
    expect(headers['authorization']).toBe('Bearer token');
    expect(body.length).toBe(0);
  });

  it('has its body as bytes, whether it was sent as text or base64', async () => {
    const text = eventOf<FunctionUrlEvent>('function-url-post-text');
    expect(Buffer.from((await requestOf(text)).body).toString()).toBe('{"intervalSeconds":10}');
    const binary = await requestOf(eventOf<FunctionUrlEvent>('function-url-put-binary'));
    expect(Buffer.from(binary.body)).toEqual(Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x0a, 0xff, 0x80]));
    const encoded = {
      ...text,
      body: Buffer.from('{"note":"Zoë"}').toString('base64'),
      isBase64Encoded: true,
    };
    expect(Buffer.from((await requestOf(encoded)).body).toString()).toBe('{"note":"Zoë"}');
    expect(Buffer.from((await requestOf({ ...text, body: '{"note":"Zoë"}' })).body).toString()).toBe(
      '{"note":"Zoë"}',
    );
  });
});

describe('an answer', () => {
  it('is sent as text, and bytes in base64', async () => {
    expect(await answerOf(OK)).toEqual({
      statusCode: 200,
      headers: OK.headers,
      body: 'ok',
      isBase64Encoded: false,
    });
    expect(await answerOf({ ...OK, body: Uint8Array.of(0xff, 0) })).toMatchObject({
      body: '/wA=',
      isBase64Encoded: true,
    });
  });
});

async function* lines() {
  yield 'one\n';
  yield 'two\n';
}

describe('an answer in pieces', () => {
  const answer: HttpResponse = { ...OK, body: '', stream: lines() };

  it('is joined if the URL does not stream', async () => {
    expect(await answerOf({ ...answer, stream: lines() })).toMatchObject({
      statusCode: 200,
      body: 'one\ntwo\n',
    });
  });

  it('is streamed after its status if the URL streams, and so are bytes and errors', async () => {
    const written: string[] = [];
    const sink = () =>
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          written.push(chunk.toString());
          done();
        },
      });
    vi.stubGlobal('awslambda', {
      streamifyResponse: (handler: unknown) => handler,
      HttpResponseStream: {
        from: (stream: Writable, prelude: object) => {
          written.push(JSON.stringify(prelude));
          return stream;
        },
      },
    });
    expect(canStream()).toBe(true);
    const send = async (respond: () => Promise<HttpResponse>): Promise<readonly string[]> => {
      written.length = 0;
      // Middy's type knows only the standard form; a streaming runtime calls with the stream in between.
      const handler = composeHttpStream(respond) as unknown as (...given: unknown[]) => Promise<void>;
      await handler(GET, sink(), contextWith());
      return written.filter((text) => text !== '');
    };
    const prelude = JSON.stringify({ statusCode: 200, headers: OK.headers });
    expect(await send(async () => answer)).toEqual([prelude, 'one\n', 'two\n']);
    expect(await send(async () => OK)).toEqual([prelude, 'ok']);
    expect(await send(async () => ({ ...OK, body: Uint8Array.of(104, 105) }))).toEqual([prelude, 'hi']);
    const [status, body] = await send(() => Promise.reject(conflict({ resource: 'nodes', name: 'w' })));
    expect(status).toBe('{"statusCode":409,"headers":{"content-type":"application/json"}}');
    expect(body).toContain('"reason":"Conflict"');
    vi.unstubAllGlobals();
  });
});

describe('an error', () => {
  it("becomes a Status with its code; a client's error is not logged", async () => {
    const { statusCode, headers, body } = await failureOf(conflict({ resource: 'nodes', name: 'worker-1' }));
    expect(statusCode).toBe(409);
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(JSON.parse(body)).toMatchObject({ kind: 'Status', reason: 'Conflict', code: 409 });
    expect(error).not.toHaveBeenCalled();
  });

  it('that is temporary has a Retry-After', async () => {
    const { statusCode, headers } = await failureOf(tooManyRequests('slow down', 3));
    expect([statusCode, headers['retry-after']]).toEqual([429, '3']);
  });

  it.each([{ thrown: new Error('table arn:aws:… is missing') }, { thrown: 'a text' }, { thrown: undefined }])(
    'of another kind is a 500 that says nothing of its cause, which is logged: $thrown',
    async ({ thrown }) => {
      const { statusCode, body } = await failureOf(thrown);
      expect(statusCode).toBe(500);
      expect(JSON.parse(body)).toMatchObject({
        reason: 'InternalError',
        message: 'Internal error occurred: the request could not be completed',
      });
      expect(error).toHaveBeenCalledWith('the request failed', {
        method: 'GET',
        path: '/api/v1/nodes',
        error: thrown,
      });
    },
  );

  it('of a read for open watches is logged without a request, because none fails', () => {
    const thrown = new Error('throttled');
    logWatchFailure(thrown);
    expect(error).toHaveBeenCalledWith('watches failed to read changes; they try again', { error: thrown });
  });

  it('of a time-out becomes a 504 before Lambda ends the function', async () => {
    const never = composeHttp(() => new Promise(() => {}));
    const { statusCode, body } = await never(GET, contextWith(101));
    expect(statusCode).toBe(504);
    expect(JSON.parse(body)).toMatchObject({ reason: 'Timeout', details: { retryAfterSeconds: 1 } });
  });

  it('of a time-out of a change is not to be repeated at once: it may have been made', async () => {
    const never = composeHttp(() => new Promise(() => {}));
    const post = eventOf<FunctionUrlEvent>('function-url-post-text');
    const { statusCode, headers, body } = await never(post, contextWith(101));
    expect(statusCode).toBe(504);
    expect(headers).not.toHaveProperty('retry-after');
    expect(JSON.parse(body)).toMatchObject({ reason: 'Timeout', message: expect.stringContaining('or not') });
  });
});
