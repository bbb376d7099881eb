import { describe, expect, it } from 'vitest';
import { openLink } from '../../../../dashboard/server/enter.ts';
import { refusalOf } from '../../../../dashboard/server/guard.ts';
import { createSession } from '../../../../dashboard/server/session.ts';

const PORT = 4321;
const HOST = `127.0.0.1:${PORT}`;

/** The Origin of a POST to the page's own server. Source: Fetch, "append a request `Origin` header". */
const originBy = (policy: string): string => (policy === 'no-referrer' ? 'null' : `http://${HOST}`);

describe('the button of a link that a browser does not say to have opened', () => {
  it('sends a form that the guard takes, with the Origin that the page makes browsers send', () => {
    const session = createSession(PORT);
    const { status, headers, body } = openLink({ method: 'GET', headers: {} }, session.token(), session);
    expect([status, body.includes('<form method="post"')]).toEqual([200, true]);
    // All pages have `no-referrer`, unless they say otherwise.
    const origin = originBy(headers['referrer-policy'] ?? 'no-referrer');
    const form = { host: HOST, origin, 'content-type': 'application/x-www-form-urlencoded' };
    const asked = { ...form, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' };
    expect(refusalOf({ method: 'POST', path: '/', headers: asked }, PORT)).toBeUndefined();
  });
});
