import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardServer, startServer } from '../../../dashboard/server/server.ts';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

const page = { type: 'text/html; charset=utf-8', bytes: Buffer.from('<!doctype html>') };
const unused = (): never => {
  throw new Error('nobody asked for this');
};

/** What a browser sends when a person opens a link. */
const VISIT = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

describe('the server of the dashboard', () => {
  let server: DashboardServer;
  const reads: string[] = [];

  beforeAll(async () => {
    const get = async (path: string) => {
      reads.push(path);
      return { status: 200, text: '{"kind":"Node"}' };
    };
    const api = { get, list: unused, watch: unused };
    const fleet = {
      join: unused,
      stop: unused,
      state: undefined as never,
      isWhole: unused,
      source: unused,
      api: undefined as never,
      zones: unused,
      due: unused,
      dueVersion: unused,
      lease: unused,
    };
    server = await startServer({
      port: 0,
      files: new Map([['index.html', page]]),
      api,
      fleet,
      epoch: 'e',
      history: { asked: unused, isCaughtUp: unused, problem: unused, close: unused },
      whatIf: unused,
      now: () => 0,
      onError: unused,
    });
  });
  afterAll(() => server.stop());

  const send = (path: string, headers: object = {}, method = 'GET', body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const own = { host: `127.0.0.1:${server.port}`, ...headers };
      const asked = request(
        { port: server.port, host: '127.0.0.1', path, method, headers: own },
        (message) => {
          let text = '';
          message.on('data', (chunk) => {
            text += chunk;
          });
          message.on('end', () =>
            resolve({ status: message.statusCode ?? 0, headers: message.headers, body: text }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  const enter = async (): Promise<string> => {
    const { headers } = await send(`/${new URL(server.link()).search}`, VISIT);
    return String(headers['set-cookie']).split(';')[0] ?? '';
  };

  it('gives the cookie for the token of the link once, and takes the token out of the address', async () => {
    const { search } = new URL(server.link());
    const entered = await send(`/${search}`, VISIT);
    expect(entered.status).toBe(303);
    expect(entered.headers['location']).toBe('/');
    expect(String(entered.headers['set-cookie'])).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    const again = await send(`/${search}`, VISIT);
    expect([again.status, again.headers['set-cookie']]).toEqual([403, undefined]);
  });

  it('uses no link up for who only looks at it', async () => {
    const { search } = new URL(server.link());
    const looks = await Promise.all([
      send(`/${search}`, VISIT, 'HEAD'),
      send(`/${search}`),
      send(`/${search}`, { ...VISIT, 'sec-purpose': 'prefetch;prerender' }),
      send(`/${search}`, { ...VISIT, 'x-moz': 'prefetch' }),
      send(`/${search}`, { ...VISIT, purpose: 'preview' }),
      send(`/${search}`, { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }),
    ]);
    expect(looks.map(({ status }) => status)).toEqual([200, 200, 503, 503, 503, 200]);
    expect(looks.flatMap(({ headers }) => headers['set-cookie'] ?? [])).toEqual([]);
    expect((await send(`/${search}`, VISIT)).status).toBe(303);
  });

  it('has a button for browsers that do not say that they navigate', async () => {
    const { search } = new URL(server.link());
    const { body, headers } = await send(`/${search}`);
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    const [, token = ''] = /name="token" value="([\w-]+)"/.exec(body) ?? [];
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const pressed = await send('/', form, 'POST', `token=${token}`);
    expect([pressed.status, pressed.headers['location']]).toEqual([303, '/']);
    expect((await send('/', form, 'POST', `token=${token}`)).status).toBe(403);
    expect((await send(`/${search}`)).status).toBe(403);
  });

  it('goes on by itself where a redirect would come without the cookie: from a file or another site', async () => {
    const { search } = new URL(server.link());
    const entered = await send(`/${search}`, { ...VISIT, 'sec-fetch-site': 'cross-site' });
    expect([entered.status, entered.body]).toEqual([200, expect.stringContaining('http-equiv="refresh"')]);
    expect(entered.headers['set-cookie']).toBeDefined();
  });

  it('gives the page to everybody on this machine, and data to those with the cookie', async () => {
    expect((await send('/')).status).toBe(200);
    const path = '/data/read?path=/api/v1/nodes/a1';
    expect((await send(path)).status).toBe(401);
    expect((await send(path, { cookie: 'rollcall=x' })).status).toBe(401);
    const cookie = await enter();
    expect(await send(path, { cookie })).toMatchObject({ status: 200, body: '{"kind":"Node"}' });
    expect((await send('/data/read?path=/api/v1/secrets', { cookie })).status).toBe(403);
    expect(reads).toEqual(['/api/v1/nodes/a1']);
  });

  it('lets no page run code that is not its own, nor others show or read it', async () => {
    const { headers } = await send('/');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('refuses other hosts, origins, sites, methods and ways up, also with the cookie', async () => {
    const cookie = await enter();
    const path = '/data/read?path=/api/v1/nodes/a1';
    const statuses = await Promise.all([
      send(path, { cookie, host: 'rollcall.example' }),
      send(path, { cookie, origin: 'http://rollcall.example' }),
      send(path, { cookie, 'sec-fetch-site': 'cross-site' }),
      send(path, { cookie }, 'DELETE'),
      send('/../../etc/passwd', { cookie }),
      send('/..%2f..%2fetc/passwd', { cookie }),
      send('/data/nothing', { cookie }),
      send('/no-file.js', { cookie }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([421, 403, 403, 405, 400, 400, 404, 404]);
  });

  it('reads no body that is too large or not JSON', async () => {
    const origin = `http://127.0.0.1:${server.port}`;
    const headers = {
      origin,
      cookie: await enter(),
      'content-type': 'application/json',
      'x-rollcall-dashboard': '1',
    };
    const large = `"${'x'.repeat(20_000)}"`;
    expect((await send('/data/actions/preview', headers, 'POST', large)).status).toBe(400);
    expect((await send('/data/actions/preview', headers, 'POST', 'no JSON')).status).toBe(400);
    expect(
      (await send('/data/actions/preview', { ...headers, origin: 'http://a.example' }, 'POST', '{}')).status,
    ).toBe(403);
  });
});
