import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../../dashboard/server/guard.ts';
import { isReadable } from '../../../../dashboard/server/routes/read.ts';
import { createSession } from '../../../../dashboard/server/session.ts';

const PORT = 4321;
const head = (method: string, path: string, headers: object = {}) => ({
  method,
  path,
  headers: { host: `127.0.0.1:${PORT}`, ...headers },
});
const write = { origin: `http://127.0.0.1:${PORT}`, 'content-type': 'application/json' };
const VISIT = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const marked = { 'x-rollcall-dashboard': '1' };

describe('the guard of the dashboard', () => {
  it.each([
    ['the page itself', head('GET', '/'), undefined],
    ['the page by its other name', head('GET', '/', { host: `localhost:${PORT}` }), undefined],
    ['what the page loads', head('GET', '/main.js', { 'sec-fetch-site': 'same-origin' }), undefined],
    ['a link that somebody opens', head('GET', '/', { 'sec-fetch-site': 'none' }), undefined],
    ['a name that leads here', head('GET', '/', { host: `evil.example:${PORT}` }), 421],
    ['another port', head('GET', '/', { host: '127.0.0.1:80' }), 421],
    ['no host', head('GET', '/', { host: undefined }), 421],
    ['another origin', head('GET', '/data/live', { origin: 'http://evil.example' }), 403],
    ['another origin of this machine', head('GET', '/data/live', { origin: 'http://127.0.0.1:80' }), 403],
    ['an origin that is hidden', head('GET', '/data/live', { origin: 'null' }), 403],
    ['another site', head('GET', '/data/live', { 'sec-fetch-site': 'cross-site' }), 403],
    ['another port of the same site', head('GET', '/data/live', { 'sec-fetch-site': 'same-site' }), 403],
    [
      'a link that somebody follows from another site',
      head('GET', '/', { 'sec-fetch-site': 'cross-site', ...VISIT }),
      undefined,
    ],
    [
      'a frame of another site',
      head('GET', '/', {
        'sec-fetch-site': 'cross-site',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'iframe',
      }),
      403,
    ],
    [
      'a visit of data from another site',
      head('GET', '/data/live', { 'sec-fetch-site': 'cross-site', ...VISIT }),
      403,
    ],
    ['the form of a link', head('POST', '/', FORM), undefined],
    [
      'the form of a link on another site',
      head('POST', '/', { ...FORM, 'sec-fetch-site': 'cross-site', ...VISIT }),
      403,
    ],
    ['no form', head('POST', '/', write), 415],
    ['another method', head('PUT', '/'), 405],
    ['a way up', head('GET', '/../etc/passwd'), 400],
    ['a way up in code', head('GET', '/%2e%2e/etc/passwd'), 400],
    ['two slashes', head('GET', '//evil.example/'), 400],
    ['a write of the page', head('POST', '/data/actions/preview', { ...write, ...marked }), undefined],
    [
      'a write without origin',
      head('POST', '/data/actions/preview', { ...marked, 'content-type': 'application/json' }),
      403,
    ],
    [
      'a write as a form could send it',
      head('POST', '/data/actions/preview', { ...write, ...marked, 'content-type': 'text/plain' }),
      415,
    ],
    ['a write of something else', head('POST', '/data/live', { ...write, ...marked }), 405],
    [
      'a write that somebody navigates to',
      head('POST', '/data/actions/preview', { ...write, ...marked, 'sec-fetch-site': 'none' }),
      403,
    ],
    ['a write without the header', head('POST', '/data/actions/preview', write), 403],
  ] as const)('knows %s', (_, given, status) => {
    expect(refusalOf(given, PORT)?.status).toBe(status);
  });
});

describe('the session of the dashboard', () => {
  it('takes the token of the link once, and shows another one after it', () => {
    const session = createSession(PORT);
    const token = session.token();
    expect(session.exchange('guess')).toBeUndefined();
    const cookie = session.exchange(token);
    expect(cookie).toMatch(/^rollcall-4321=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(session.exchange(token)).toBeUndefined();
    expect(session.token()).not.toBe(token);
    expect(session.holds(`other=1; ${cookie?.split(';')[0]}`)).toBe(true);
  });

  it('tells when the link is used, and makes another one when it is asked to', () => {
    let used = 0;
    const session = createSession(PORT, () => {
      used += 1;
    });
    const first = session.token();
    session.renew();
    expect([session.isGood(first), session.exchange(first), used]).toEqual([false, undefined, 0]);
    expect(session.exchange(session.token())).toBeDefined();
    expect(used).toBe(1);
  });

  it.each([undefined, '', 'rollcall-4321=', 'rollcall-4321=guess', 'rollcall-1=x'])(
    'holds no cookie such as %s',
    (cookies) => {
      expect(createSession(PORT).holds(cookies)).toBe(false);
    },
  );
});

describe('what the page may read', () => {
  it.each([
    '/api/v1/nodes/a1',
    '/api/v1/nodes/a1/explain',
    '/api/v1/namespaces/shop/pods/web-0/explain',
    '/apis/rollcall.dev/v1/zones/eu--a/explain',
  ])('includes %s', (path) => {
    expect(isReadable(path)).toBe(true);
  });

  it.each([
    '/api/v1/secrets',
    '/api/v1/namespaces/kube-system/secrets/token',
    '/api/v1/nodes/../secrets',
    '/api/v1/nodes/%2e%2e/secrets',
    '/api/v1/nodes/a1/proxy/metrics',
    '/api/v1/namespaces/shop/pods/web-0/log',
    '/api/v1/nodes/a1?x=/explain',
    '//evil.example/api/v1/nodes/a1',
    '',
  ])('does not include %s', (path) => {
    expect(isReadable(path)).toBe(false);
  });
});
