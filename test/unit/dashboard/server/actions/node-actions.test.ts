import { describe, expect, it } from 'vitest';
import { createNodeActions } from '../../../../../dashboard/server/actions/node-actions.ts';
import {
  createPreviews,
  PREVIEW_MS,
  type ShownPreview,
} from '../../../../../dashboard/server/actions/previews.ts';
import type { DashboardApi } from '../../../../../dashboard/server/live/api.ts';
import type { ApiAnswer } from '../../../../../dashboard/server/requests/requests.ts';
import { StatusError } from '../../../../../shared/kube/errors/status-error.ts';
import type { Node, Pod } from '../../../../../shared/kube/types/core.ts';
import { aNode, aPod, at, ready } from '../../../../support/objects/domain-objects.ts';

const T = at('2026-02-03T04:05:06Z');
const unused = (): never => {
  throw new Error('nobody asked for this');
};
const refusal = (code: number, message: string): ApiAnswer => ({
  status: code,
  text: JSON.stringify({ kind: 'Status', code, message }),
});

/** An API with one node, whose writes answer as they are told; what was asked of it is kept. */
const world = (
  given: Node = aNode({ name: 'n1', conditions: [ready('True', T)] }),
  pods: readonly Pod[] = [],
) => {
  const versioned = (version: string, more: Partial<Node> = {}): Node => ({
    ...given,
    ...more,
    metadata: { ...given.metadata, resourceVersion: version, ...more.metadata },
  });
  const state = {
    node: versioned('7') as Node | undefined,
    answer: { status: 200, text: '{}' },
    heardAt: T,
    now: T,
  };
  const asked: string[] = [];
  const explained = () => ({
    answers: [
      {
        question: 'health',
        because: [
          { fact: 'LastSignOfLife', time: new Date(state.heardAt).toISOString() },
          { fact: 'GracePeriod', values: { ms: 40_000 } },
        ],
      },
    ],
  });
  const api: DashboardApi = {
    get: async (path) => {
      asked.push(`GET ${path}`);
      if (path.endsWith('/explain')) return { status: 200, text: JSON.stringify(explained()) };
      return state.node
        ? { status: 200, text: JSON.stringify(state.node) }
        : refusal(404, 'nodes "n1" not found');
    },
    list: async function* (path) {
      asked.push(`LIST ${path}`);
      yield { position: '1', items: path.includes('/pods') ? pods : [] };
    },
    watch: unused,
  };
  const write = async (what: string): Promise<ApiAnswer> => {
    asked.push(what);
    return state.answer;
  };
  const log: string[] = [];
  let tickets = 0;
  const actions = createNodeActions({
    api,
    now: () => state.now,
    secret: () => `ticket-${++tickets}`,
    writes: {
      patch: ({ metadata }, { kind }) => write(`PATCH ${kind} ${metadata.resourceVersion}`),
      drain: ({ metadata }, spec) => write(`DRAIN ${metadata.resourceVersion} ${JSON.stringify(spec)}`),
    },
    onAction: (action, node, { status }) => log.push(`${action} ${node} ${status}`),
  });
  const writes = () => asked.filter((one) => /^(PATCH|DRAIN)/.test(one));
  return { state, asked, actions, writes, log, versioned };
};

const CORDON = { node: 'n1', action: 'cordon' };

describe('an action of the page', () => {
  it('changes nothing until somebody has seen what follows', async () => {
    const { actions, writes, asked } = world(undefined, [aPod({ nodeName: 'n1' })]);
    const { ticket, sentences, resourceVersion, command } = await actions.preview(CORDON);
    expect([resourceVersion, command]).toEqual(['7', 'kubectl cordon n1']);
    expect(sentences.join(' ')).toContain('1 pod stays here');
    expect(asked).toEqual(['GET /api/v1/nodes/n1', 'LIST /api/v1/pods?fieldSelector=spec.nodeName%3Dn1']);
    expect(writes()).toEqual([]);
    expect(await actions.perform({ ticket })).toEqual({ status: 200, body: { message: 'n1 is cordoned.' } });
    expect(writes()).toEqual(['PATCH cordon 7']);
  });

  it('asks the API for nothing that is not valid', async () => {
    const { actions, asked } = world();
    await expect(actions.preview({ node: '../x', action: 'cordon' })).rejects.toThrow(StatusError);
    await expect(actions.perform({ ticket: '' })).rejects.toThrow(StatusError);
    expect((await actions.perform({ ticket: 'guess' })).body).toMatchObject({ isChanged: true });
    expect(asked).toEqual([]);
  });

  it('is done once, however often it is sent', async () => {
    const { actions, writes, log } = world();
    const { ticket } = await actions.preview(CORDON);
    const answers = await Promise.all([1, 2, 3].map(() => actions.perform({ ticket })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(writes()).toEqual(['PATCH cordon 7']);
    expect(log[0]).toBe('cordon n1 200');
  });

  it('is not done to a Node that has changed, or was made anew', async () => {
    const { actions, state, versioned } = world();
    const { ticket } = await actions.preview(CORDON);
    state.answer = refusal(409, 'the object has been modified');
    state.node = versioned('8');
    expect(await actions.perform({ ticket })).toMatchObject({
      status: 409,
      body: { isChanged: true, message: expect.stringContaining('has changed since') },
    });
    const { ticket: next } = await actions.preview(CORDON);
    state.node = versioned('9', { metadata: { name: 'n1', uid: 'another' } });
    expect(await actions.perform({ ticket: next })).toMatchObject({
      status: 409,
      body: { isChanged: true, message: expect.stringContaining('made anew') },
    });
  });

  it('is done if the conflict is its own first try', async () => {
    const { actions, state, versioned } = world();
    const { ticket } = await actions.preview(CORDON);
    state.answer = refusal(409, 'the object has been modified');
    state.node = versioned('8', { spec: { unschedulable: true } });
    expect(await actions.perform({ ticket })).toMatchObject({ status: 200 });
  });

  it('says what the API says, and may be tried again if nobody knows whether it was done', async () => {
    const { actions, state, writes } = world();
    const { ticket } = await actions.preview(CORDON);
    state.answer = refusal(503, 'the store does not answer');
    expect(await actions.perform({ ticket })).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('the store does not answer') },
    });
    state.answer = refusal(429, 'too many requests');
    expect((await actions.perform({ ticket })).status).toBe(429);
    state.answer = { status: 200, text: '{}' };
    expect((await actions.perform({ ticket })).status).toBe(200);
    expect(writes()).toHaveLength(3);
    const second = await actions.preview(CORDON);
    state.answer = refusal(403, 'User "rollcall-dashboard" cannot patch resource "nodes"');
    expect(await actions.perform({ ticket: second.ticket })).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('cannot patch') },
    });
  });

  it('has no ticket if it is not offered', async () => {
    const { actions } = world(aNode({ name: 'n1', unschedulable: true }));
    expect(await actions.preview(CORDON)).toMatchObject({
      ticket: '',
      refusals: ['It is cordoned already.'],
    });
  });

  it('says that there is no such node', async () => {
    const { actions, state } = world();
    state.node = undefined;
    await expect(actions.preview(CORDON)).rejects.toMatchObject({ code: 404 });
  });

  it('sends the options that were shown, and reads the budgets of all namespaces', async () => {
    const other: Pod = { ...aPod({ nodeName: 'n1' }), metadata: { name: 'p', namespace: 'shop', uid: 'u' } };
    const { actions, asked, writes } = world(undefined, [aPod({ nodeName: 'n1' }), other]);
    const { ticket } = await actions.preview({ node: 'n1', action: 'drain', drain: { force: true } });
    expect(asked.filter((one) => one.includes('poddisruptionbudgets'))).toEqual([
      'LIST /apis/policy/v1/namespaces/default/poddisruptionbudgets',
      'LIST /apis/policy/v1/namespaces/shop/poddisruptionbudgets',
    ]);
    await actions.perform({ ticket });
    expect(writes()).toEqual(['DRAIN 7 {"force":true,"ignoreDaemonSets":true}']);
  });

  describe('out of service', () => {
    const OFF = { node: 'n1', action: 'outOfService' };
    const down = () => {
      const made = world(aNode({ name: 'n1', conditions: [ready('Unknown', T)] }));
      made.state.heardAt = T - 60_000;
      return made;
    };

    it('needs the word that the machine is off', async () => {
      const { actions, writes } = down();
      const { ticket } = await actions.preview(OFF);
      await expect(actions.perform({ ticket })).rejects.toMatchObject({ code: 422 });
      expect(writes()).toEqual([]);
      expect((await actions.perform({ ticket, isOff: true })).status).toBe(200);
      expect(writes()).toEqual(['PATCH outOfService 7']);
    });

    it('is not done if the machine has spoken since (J-333)', async () => {
      const { actions, writes, state } = down();
      const { ticket } = await actions.preview(OFF);
      state.heardAt = T - 1_000;
      expect(await actions.perform({ ticket, isOff: true })).toMatchObject({
        status: 409,
        body: { isChanged: true, message: expect.stringContaining('It was heard 1s ago') },
      });
      expect(writes()).toEqual([]);
    });
  });
});

describe('previews', () => {
  const preview = {} as ShownPreview;

  it('are kept for ten minutes, and the latest 64 of them', () => {
    let [now, made] = [0, 0];
    const previews = createPreviews({ now: () => now, secret: () => `t${++made}` });
    const first = previews.add(preview);
    now = PREVIEW_MS - 1;
    expect(previews.find(first)).toBeDefined();
    now = PREVIEW_MS;
    expect(previews.find(first)).toBeUndefined();
    const tickets = Array.from({ length: 65 }, () => previews.add(preview));
    expect(tickets.filter((one) => previews.find(one))).toHaveLength(64);
    now = -PREVIEW_MS;
    expect(previews.find(tickets.at(-1) ?? '')).toBeUndefined();
  });
});
