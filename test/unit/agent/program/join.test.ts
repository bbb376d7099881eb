import { describe, expect, it } from 'vitest';
import { ApiRefusal } from '../../../../agent/adapters/api/session.ts';
import { AgentFault } from '../../../../agent/ports/machine/agent-fault.ts';
import { type JoinDeps, join } from '../../../../agent/program/join.ts';
import type { BootstrapMeaning, OwnToken } from '../../../../agent/rules/registration/own-token.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';

const refusal = (status: number, message: string) => new ApiRefusal({ status, body: { message } });
const NOTHING = { meaning: () => 'nothing' as const, isVoid: async () => false };
const refusing = (status: number, message: string) => ({
  ...NOTHING,
  nodes: { create: async (): Promise<'created'> => 'created' },
  issue: () => Promise.reject(refusal(status, message)),
});
const ISSUED = { token: 't', nodeUid: 'u', clusterId: 'c' };
const BOOTSTRAP = {
  ...NOTHING,
  nodes: { create: async (): Promise<'created'> => 'created' },
  issue: async () => ISSUED,
};

const joining = async (changed: Partial<JoinDeps>, stored?: OwnToken) => {
  const time = createVirtualClock(0);
  let kept = stored;
  const told: string[] = [];
  const work = join({
    nodeName: 'n1',
    tokens: {
      load: async () => kept,
      store: async (token) => {
        kept = token;
      },
    },
    bootstrap: BOOTSTRAP,
    registersNode: true,
    buildNode: async () => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }),
    lifeMs: 1000,
    machineTime: () => ({ bootId: 'b', uptimeMs: time.now() }),
    clock: time,
    log: (message) => void told.push(message),
    signal: new AbortController().signal,
    ...changed,
  });
  return { token: await time.run(work), kept, told, at: time.now() };
};

const WITHOUT_BOOTSTRAP = { bootstrap: undefined } as unknown as Partial<JoinDeps>;
const TOKEN: OwnToken = {
  ...ISSUED,
  nodeName: 'n1',
  lifeMs: 1000,
  since: { bootId: 'b', uptimeMs: 0 },
};

describe('joining', () => {
  it('registers the Node, and stores the token before it is used', async () => {
    const { token, kept } = await joining({});
    expect([token, kept]).toEqual([TOKEN, TOKEN]);
  });

  it('takes up a stored token without a bootstrap token', async () => {
    expect((await joining(WITHOUT_BOOTSTRAP, TOKEN)).token).toEqual(TOKEN);
  });

  it.each<[string, BootstrapMeaning, () => Promise<boolean>, string]>([
    ['of another cluster', 'other', async () => false, 't'],
    ['newer than its own, which is void', 'again', async () => true, 't'],
    ['newer than its own, which counts', 'again', async () => false, 'own'],
    ['newer, when the API does not answer', 'again', () => Promise.reject(new Error('no answer')), 'own'],
    ['of an earlier start, although its own is void', 'nothing', async () => true, 'own'],
  ])('with a bootstrap token that is %s', async (_which, meaning, isVoid, expected) => {
    const bootstrap = { ...BOOTSTRAP, meaning: () => meaning, isVoid };
    expect((await joining({ bootstrap }, { ...TOKEN, token: 'own' })).token?.token).toBe(expected);
  });

  it('goes on when the Node exists, as after a start that was cut short', async () => {
    const nodes = { create: async (): Promise<'exists'> => 'exists' };
    expect((await joining({ bootstrap: { ...NOTHING, nodes, issue: async () => ISSUED } })).token).toEqual(
      TOKEN,
    );
  });

  it('waits for the Node that somebody else makes', async () => {
    let asked = 0;
    const issue = async () => {
      asked += 1;
      if (asked < 4) throw refusal(404, 'not found');
      return ISSUED;
    };
    const nodes = { create: () => Promise.reject(new Error('must not be asked')) };
    const { at, told } = await joining({ registersNode: false, bootstrap: { ...NOTHING, nodes, issue } });
    expect([at, told]).toEqual([1400, ['the node n1 has not joined yet, and tries again']]);
  });

  it.each([
    ['without a bootstrap token', { bootstrap: undefined }, /give a bootstrap token/],
    [
      'with a token of another kind',
      { bootstrap: { ...NOTHING, nodes: { create: async () => ({ forbidden: 'it has made them' }) } } },
      /may not register.*it has made them/,
    ],
    [
      'with an expired token',
      { bootstrap: refusing(401, 'expired') },
      /does not accept the bootstrap token.*expired/,
    ],
    [
      'as a node that has a token',
      { bootstrap: refusing(403, 'rollcall token --release n1') },
      /--release n1/,
    ],
    ['as a Node that is not valid', { bootstrap: refusing(422, 'metadata.name') }, /metadata\.name/],
  ])('says at once what to do %s', async (_what, changed, message) => {
    await expect(joining(changed as Partial<JoinDeps>)).rejects.toThrow(message);
    await expect(joining(changed as Partial<JoinDeps>)).rejects.toThrow(AgentFault);
  });

  it('does not take over the folder of another node', async () => {
    await expect(joining({}, { ...TOKEN, nodeName: 'n2' })).rejects.toThrow('--hostname-override n2');
  });
});
