/** `/data/read?path=…`: single reads of the API, as far as the page needs them. */
import type { DataRoute } from './route.ts';

const NAME = '[\\w.%-]+';
/** What may be read. Secrets, logs and whatever else the token may read are not the page's business. */
const READABLE = [
  `/api/v1/nodes/${NAME}(/explain)?`,
  `/api/v1/namespaces/${NAME}/pods/${NAME}(/explain)?`,
  `/apis/rollcall\\.dev/v1/zones/${NAME}(/explain)?`,
].map((pattern) => new RegExp(`^${pattern}$`));

/** Whether the page may read a path of the API. */
export const isReadable = (path: string): boolean =>
  READABLE.some((pattern) => pattern.test(path)) && !/(^|\/)\.\.?(\/|$)|%2f|%2e/i.test(path);

export const readRoute: DataRoute = ({ path, query }, { api }) => {
  if (path !== '/read') return undefined;
  const wanted = query.get('path') ?? '';
  if (!isReadable(wanted))
    return Promise.resolve({ status: 403, body: { message: 'the page may not read this' } });
  return api.get(wanted).then(({ status, text }) => ({ status, body: text }));
};
