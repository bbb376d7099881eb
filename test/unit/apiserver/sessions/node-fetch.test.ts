import { describe, expect, it } from 'vitest';
import type { HttpResponse } from '../../../../shared/apiserver/contract/http.ts';
import type { NodeSession } from '../../../../shared/apiserver/contract/session.ts';
import { createNodeFetch } from '../../../../shared/apiserver/sessions/node-fetch.ts';
import { createTestApi, NODES } from '../../../support/servers/api.ts';

const SIGNAL = new AbortController().signal;

async function* pieces(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

const setUp = async (answer: Partial<HttpResponse>) => {
  const api = createTestApi();
  const body = {
    metadata: { name: 'n1', annotations: { 'rollcall.dev/serving-certificate': 'a'.repeat(64) } },
    status: {
      addresses: [{ type: 'InternalIP', address: '192.0.2.7' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
    },
  };
  const node = await api.send('POST', NODES, { as: 'admin', body });
  const opened: NodeSession[] = [];
  const fetch = createNodeFetch(api, {
    open: async (session) => {
      opened.push(session);
      return { status: 200, headers: {}, body: '', ...answer };
    },
  });
  return { opened, fetch, uid: String(node.json.metadata.uid) };
};

describe('a question of the API server to a node', () => {
  it('is a session of its own, whose answer is put together', async () => {
    const text = new TextEncoder();
    const { opened, fetch, uid } = await setUp({ bytes: pieces(text.encode('{"a'), text.encode('":1}')) });
    const { status, body } = await fetch({ name: 'n1', uid }, '/stats/summary?a=1', SIGNAL);
    expect([status, new TextDecoder().decode(body)]).toEqual([200, '{"a":1}']);
    expect(opened).toMatchObject([
      { target: { path: '/stats/summary', query: 'a=1' }, user: 'system:apiserver', node: { uid } },
    ]);
  });

  it('takes an answer that is there at once', async () => {
    const { fetch, uid } = await setUp({ status: 404, body: 'no' });
    expect(await fetch({ name: 'n1', uid }, '/x', SIGNAL)).toEqual({
      status: 404,
      body: new TextEncoder().encode('no'),
    });
  });

  it('is none to another Node of the name, nor to one that is gone', async () => {
    const { opened, fetch } = await setUp({});
    await expect(fetch({ name: 'n1', uid: 'other' }, '/x', SIGNAL)).rejects.toThrow('is another one');
    await expect(fetch({ name: 'n2', uid: 'other' }, '/x', SIGNAL)).rejects.toThrow('"n2" not found');
    expect(opened).toEqual([]);
  });

  it('has no answer that is too large', async () => {
    const part = new Uint8Array(3 * 2 ** 20);
    const { fetch, uid } = await setUp({ bytes: pieces(part, part) });
    await expect(fetch({ name: 'n1', uid }, '/x', SIGNAL)).rejects.toThrow('more than 4194304 bytes');
  });

  it('has no answer of many values, however short they are', async () => {
    const { fetch, uid } = await setUp({ bytes: pieces(Buffer.from('{},'.repeat(31_000))) });
    await expect(fetch({ name: 'n1', uid }, '/x', SIGNAL)).rejects.toThrow('more than 60000 values');
  });

  it('has no answer that was given up on its way', async () => {
    const stopped = new AbortController();
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{}');
      stopped.abort();
    }
    const { fetch, uid } = await setUp({ bytes: cut() });
    await expect(fetch({ name: 'n1', uid }, '/x', stopped.signal)).rejects.toThrow('aborted');
  });
});
