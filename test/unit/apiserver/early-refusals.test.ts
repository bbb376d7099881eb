import { expect, it } from 'vitest';
import { createTestApi, NODES } from '../../support/servers/api.ts';

/** A request whose body is only on its way, and how often somebody asked for it. */
const arriving = async (method: string, path: string, as: string | undefined, headers: object = {}) => {
  const api = createTestApi();
  const token = as === undefined ? undefined : await api.tokenFor(as);
  let reads = 0;
  const senders: string[] = [];
  const { status } = await api.serve({
    method,
    path,
    query: new URLSearchParams(),
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    body: async () => {
      reads += 1;
      return Buffer.from('{"metadata":{"name":"n1"}}');
    },
    onSender: (name) => senders.push(name),
  });
  return { status, reads, senders };
};

it.each([
  ['of a stranger', undefined, {}, 403, []],
  ['of a user who may not send it', 'nobody', {}, 403, ['nobody']],
  ['of a reader', 'viewer', {}, 403, ['viewer']],
  ['of a user who may not impersonate another', 'viewer', { 'impersonate-user': 'admin' }, 403, ['viewer']],
])('the body %s is not read', async (_what, as, headers, status, senders) => {
  expect(await arriving('POST', NODES, as, headers)).toEqual({ status, reads: 0, senders });
});

it('the body of a bad token is not read', async () => {
  const refused = await arriving('POST', NODES, undefined, { authorization: 'Bearer bad' });
  expect(refused).toEqual({ status: 401, reads: 0, senders: [] });
});

it('the body of an authorized sender is read once', async () => {
  expect(await arriving('POST', NODES, 'admin')).toEqual({ status: 201, reads: 1, senders: ['admin'] });
});
