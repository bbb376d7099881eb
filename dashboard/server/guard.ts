/** Who may ask the dashboard's server what. Everything else is refused before it is looked at. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ACTION_HEADER } from '../wire/actions.ts';

/** A refusal, in words for whoever sees it in a browser. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The head of a request, as far as it decides. */
export interface GuardedHead {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

const METHODS = ['GET', 'HEAD', 'POST'];
const FETCH_SITES: readonly (string | undefined)[] = [undefined, 'none', 'same-origin'];

const refused = (status: number, message: string): Refusal => ({ status, message });

/** A name of another host that leads here (DNS rebinding) must not read anything. */
const hostRefusal = ({ headers }: GuardedHead, port: number): Refusal | undefined =>
  [`127.0.0.1:${port}`, `localhost:${port}`].includes(headers.host ?? '')
    ? undefined
    : refused(421, `this server answers only to http://127.0.0.1:${port}`);

/** A person may follow a link to the page from anywhere: it shows nothing without the cookie, and no other page can frame it. */
const isVisit = ({ method, path, headers }: GuardedHead): boolean =>
  method === 'GET' &&
  path === '/' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  headers['sec-fetch-dest'] === 'document';

const originRefusal = (head: GuardedHead): Refusal | undefined => {
  const { headers } = head;
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}`)
    return refused(403, 'pages of other origins may not ask this server');
  if (!FETCH_SITES.includes(headers['sec-fetch-site']) && !isVisit(head))
    return refused(403, 'other sites may not ask this server: open the address in a new tab');
  return undefined;
};

/** A path that has to be decoded or cleaned before it is understood is none of this server. */
const pathRefusal = ({ path }: GuardedHead): Refusal | undefined =>
  /^\/[\w./-]*$/.test(path) && !path.split('/').includes('..') && !path.includes('//')
    ? undefined
    : refused(400, 'there is no such path');

/** The button of a link that was not opened as browsers open links. Its token is what counts. */
const formRefusal = (headers: GuardedHead['headers']): Refusal | undefined =>
  /^application\/x-www-form-urlencoded(;|$)/.test(headers['content-type'] ?? '')
    ? undefined
    : refused(415, 'the page sends a form');

/** A write says what it is three times: its origin, its type, and a header of its own. Nobody navigates to one. */
const writeRefusal = ({ method, path, headers }: GuardedHead): Refusal | undefined => {
  if (method !== 'POST') return undefined;
  if (path === '/') return formRefusal(headers);
  if (!path.startsWith('/data/actions/')) return refused(405, 'only actions take a POST');
  if (headers.origin === undefined) return refused(403, 'a write needs the Origin of this page');
  if (headers['sec-fetch-site'] === 'none') return refused(403, 'a write comes from this page');
  if (headers[ACTION_HEADER] !== '1') return refused(403, `a write needs the header ${ACTION_HEADER}`);
  return headers['content-type'] === 'application/json' ? undefined : refused(415, 'a write is JSON');
};

/** Why a request is refused; `undefined` if it is not. `port`: where this server listens. */
export const refusalOf = (head: GuardedHead, port: number): Refusal | undefined => {
  if (!METHODS.includes(head.method)) return refused(405, 'this server knows GET, HEAD and POST');
  return hostRefusal(head, port) ?? originRefusal(head) ?? pathRefusal(head) ?? writeRefusal(head);
};

/** Whether two texts are the same. How long it takes tells nothing about where they differ. */
export const isSameSecret = (given: string, wanted: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
};
