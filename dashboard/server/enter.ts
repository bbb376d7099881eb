/** The printed link: who opens it gets the session's cookie. Who only looks at it does not use it up. */
import type { IncomingMessage } from 'node:http';
import type { DashboardSession } from './session.ts';

/** What is answered to a request with the token of a link. */
export interface Entry {
  readonly status: number;
  /** Besides those that every answer has. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Asked = Pick<IncomingMessage, 'method' | 'headers'>;

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const USED = 'This link has been used, or it is not of this process. The terminal shows a new one.';

const used: Entry = { status: 403, headers: TEXT, body: USED };

const pageOf = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rollcall</title>${body}</html>`;

/** A browser that loads the link before anybody wants to see it says so. Source: Fetch, "The `Sec-Purpose` HTTP request header". */
const isAhead = ({ headers }: Asked): boolean =>
  [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']].some((one) =>
    /prefetch|prerender|preview/i.test(String(one ?? '')),
  );

/** Whether a person has opened it in a tab: programs that show a preview of a link do not say that they navigate. */
const isOpened = ({ headers }: Asked): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

/**
 * The token leaves the address with a redirect. After a link of a file or another site the browser would not send the cookie with that: there
 * the page itself goes on.
 */
const entered = (cookie: string, { headers }: Asked): Entry =>
  headers['sec-fetch-site'] === 'cross-site'
    ? {
        status: 200,
        headers: { ...HTML, 'set-cookie': cookie },
        body: pageOf('<meta http-equiv="refresh" content="0; url=/"><a href="/">The dashboard</a>'),
      }
    : { status: 303, headers: { location: '/', 'set-cookie': cookie }, body: '' };

/** For whoever did not say that a person opens it, such as an old browser: a button, whose request does. */
const asking = (token: string): Entry => ({
  status: 200,
  headers: {
    ...HTML,
    // Without a referrer, the form would have the origin `null`, which the guard refuses.
    'referrer-policy': 'strict-origin',
    'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
  },
  body: pageOf(
    `<form method="post" action="/"><input type="hidden" name="token" value="${token}"><button>Open the dashboard</button></form>`,
  ),
});

/** Answers a GET or HEAD of the link. */
export const openLink = (asked: Asked, token: string, session: DashboardSession): Entry => {
  if (isAhead(asked)) return { status: 503, headers: TEXT, body: 'This link is not opened ahead of time.' };
  if (!session.isGood(token)) return used;
  if (asked.method === 'HEAD' || !isOpened(asked)) return asking(token);
  return enterBy(asked, token, session);
};

/** Uses the token up, as the button of the page does. */
export const enterBy = (asked: Asked, token: string, session: DashboardSession): Entry => {
  const cookie = session.exchange(token);
  return cookie === undefined ? used : entered(cookie, asked);
};
