import { beforeEach, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../../../cli/shell/command.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { createTestApi, type Json, MERGE, START, type TestApi } from '../../../support/servers/api.ts';
import { runCommandLine } from '../../../support/shell/command-line.ts';

const KEYS = JSON.stringify({ current: 'k1', keys: { k1: Buffer.alloc(32, 1).toString('base64url') } });
const ACCESS = '--key-file keys.json --cluster-id test --server https://api.test';
const HOLDS = '/apis/rollcall.dev/v1/holds';
const ONE = `${HOLDS}/incident`;
const HOUR_MS = 3_600_000;

/** Milliseconds since the start. */
let passed: number;
let api: TestApi;
/** What happens while a command waits, by the number of its waits. */
type Meanwhile = (waits: number) => Promise<void> | void;

/** An API that cannot bring a Hold into force itself. */
const createSlowApi = (): TestApi => {
  const state = createMemoryState();
  const replaceHoldBook = () => Promise.reject(new Error('throttled'));
  return createTestApi({ state: { ...state, control: { ...state.control, replaceHoldBook } } });
};

beforeEach(() => {
  [api, passed] = [createSlowApi(), 0];
});

const pass = (ms: number): void => {
  passed += ms;
  api.advance(ms);
};

/** Sends the command's requests to the API of a test. */
const toApi: CommandContext['fetch'] = async (url, { method = 'GET', headers, body } = {}) => {
  const { authorization = '', 'content-type': type } = headers as Record<string, string>;
  const { code, bytes } = await api.send(method, url.replace('https://api.test', ''), {
    token: authorization.replace('Bearer ', ''),
    ...(type === undefined ? {} : { type }),
    ...(typeof body === 'string' ? { raw: body } : {}),
  });
  return new Response(Buffer.from(bytes), { status: code });
};

const run = async (line: string, meanwhile: Meanwhile = () => undefined, fetch = toApi) => {
  let waits = 0;
  return runCommandLine(`${line} ${ACCESS}`, {
    now: () => START + passed,
    readFile: async () => KEYS,
    wait: async (ms) => {
      pass(ms);
      waits += 1;
      await meanwhile(waits);
    },
    fetch,
  });
};

/** What the controller writes. */
const say = async (status: 'True' | 'False', reason: string, more: object = {}): Promise<void> => {
  const at = toTime(START + passed);
  const message = status === 'True' ? 'nothing that it stops happens' : '3 slots are not settled';
  const condition = { type: 'InForce', status, reason, message, lastTransitionTime: at };
  const body = { status: { epoch: 4, conditions: [condition], ...more } };
  const { code } = await api.send('PATCH', `${ONE}/status`, { as: 'admin', type: MERGE, body });
  expect(code).toBe(200);
};
const stored = async (): Promise<Json> => (await api.send('GET', ONE, { as: 'admin' })).json;

describe('rollcall hold', () => {
  it('makes a Hold, and says when it is in force', async () => {
    const line = 'hold incident --zones a,b --selector pool=gpu,tier!=db,!spot --stops Drains,Repair';
    const more = '--for 2h --reason fans --owner sre';
    const { code, printed } = await run(`${line} ${more}`, async (waits) => {
      if (waits === 1) await say('False', 'Closing');
      if (waits === 4) await say('True', 'Closed', { heldNodes: 31, since: toTime(START + passed) });
    });
    expect([code, printed]).toEqual([
      0,
      'incident is in force for 31 nodes after 1.0 s, until 2026-03-01T14:00:00Z. End it with: rollcall resume incident',
    ]);
    const { spec, status } = await stored();
    expect(status.by).toBe('kubernetes-admin');
    expect(spec).toEqual({
      zones: ['a', 'b'],
      nodeSelector: {
        matchLabels: { pool: 'gpu' },
        matchExpressions: [
          { key: 'tier', operator: 'NotIn', values: ['db'] },
          { key: 'spot', operator: 'DoesNotExist' },
        ],
      },
      stops: ['Drains', 'Repair'],
      reason: 'fans',
      owner: 'sre',
      until: '2026-03-01T14:00:00Z',
    });
  });

  it('makes one for all nodes that stops the default until somebody resumes', async () => {
    const { code, printed } = await run('hold incident --until-resumed --reason fans', () =>
      say('True', 'Closed'),
    );
    expect([code, printed]).toEqual([
      0,
      'incident is in force after 0.3 s. End it with: rollcall resume incident',
    ]);
    expect((await stored()).spec).toEqual({ reason: 'fans' });
  });

  it.each<[string, Meanwhile, string]>([
    ['nobody closes it', () => undefined, 'is not in force after 30.0 s: Closing'],
    [
      'it is not closed in time',
      (waits) => (waits === 1 ? say('False', 'Closing') : undefined),
      'is not in force after 30.0 s: Closing: 3 slots are not settled. It stays',
    ],
    ['it has expired', () => say('False', 'Expired'), 'has ended before it was in force'],
    [
      'another one has its name',
      async () => {
        await api.send('DELETE', ONE, { as: 'admin' });
        const body = { metadata: { name: 'incident' }, spec: { reason: 'another' } };
        await api.send('POST', HOLDS, { as: 'admin', body });
      },
      'has ended before it was in force',
    ],
    [
      'it is resumed',
      async () => {
        await api.send('DELETE', ONE, { as: 'admin' });
      },
      'was made, but since then: there is no Hold "incident" at https://api.test',
    ],
  ])('fails if %s', async (_, meanwhile, text) => {
    const { code, complaint } = await run('hold incident --until-resumed --reason fans', meanwhile);
    expect([code, complaint]).toEqual([1, expect.stringContaining(`rollcall hold: incident ${text}`)]);
  });

  it('waits on while the API stumbles', async () => {
    let left = 3;
    const { code, printed } = await run(
      'hold incident --until-resumed --reason fans',
      (waits) => (waits === 2 ? say('True', 'Closed', { heldNodes: 1 }) : undefined),
      async (url, init) => {
        if (init?.method !== 'GET' || left === 0) return toApi(url, init);
        left -= 1;
        throw new Error('connect ECONNREFUSED');
      },
    );
    expect([code, printed]).toEqual([0, expect.stringContaining('in force for 1 node after 1.0 s.')]);
  });

  it('tells why the API refuses', async () => {
    const { code, complaint } = await run('hold incident --stops Beats --until-resumed --reason fans');
    expect([code, complaint]).toEqual([
      1,
      expect.stringContaining('answered 422: Hold.rollcall.dev "incident" is invalid: spec.stops[0]: Unsupp'),
    ]);
  });

  const FORGOTTEN =
    'give either --for DURATION or --until-resumed: a forgotten Hold is an outage of its own; see rollcall hold --help';
  it.each([
    ['hold', 'give the name of one Hold'],
    ['hold a b --until-resumed --reason x', 'give the name of one Hold'],
    ['hold a --reason x', FORGOTTEN],
    ['hold a --reason x --for 2h --until-resumed', FORGOTTEN],
    ['hold a --for 2h', '--reason is required'],
    ['hold a --reason x --for soon', '--for soon is not a duration'],
    ['hold a --reason x --for 2h --selector a>1', '--selector a>1 names no labels'],
    ['hold a --reason x --for 2h --selector ,', '--selector ,: found'],
    ['hold a --reason x --for 2h --zone a', 'there is no option --zone; did you mean --zones?'],
  ])('refuses the command line: %s', async (line, text) => {
    const { code, complaint } = await run(line);
    expect([code, complaint]).toEqual([2, expect.stringContaining(text)]);
    expect((await stored()).code).toBe(404);
  });
});

describe('rollcall resume', () => {
  const make = (spec: object = {}) =>
    api.send('POST', HOLDS, {
      as: 'operator',
      body: { metadata: { name: 'incident' }, spec: { reason: 'fans', ...spec } },
    });
  const inForce = () => say('True', 'Closed', { since: toTime(START + passed) });

  it('ends a Hold, and says how long it held and who made it', async () => {
    await make();
    await inForce();
    pass(2 * HOUR_MS);
    const { code, printed } = await run('resume incident');
    expect([code, printed]).toEqual([0, 'incident is resumed. It held for 120m. Made by operator: fans']);
    expect((await stored()).code).toBe(404);
  });

  it('says of one that has ended for how long it held', async () => {
    await make({ until: toTime(START + HOUR_MS) });
    await inForce();
    pass(2 * HOUR_MS);
    expect((await run('resume incident')).printed).toContain('It held for 60m, and had ended by itself.');
  });

  it('says of one that was not closed that it never held', async () => {
    await make();
    expect((await run('resume incident')).printed).toContain('It was never in force.');
  });

  it('deletes the Hold that it has read, and no later one', async () => {
    await make();
    const { complaint } = await run('resume incident', undefined, async (url, init) => {
      const response = await toApi(url, init);
      if (init?.method === 'GET') {
        await api.send('DELETE', ONE, { as: 'admin' });
        await make();
      }
      return response;
    });
    expect(complaint).toContain('answered 409');
    expect((await stored()).metadata.name).toBe('incident');
  });

  it.each([
    ['resume', 2, 'give the name of one Hold'],
    ['resume a b', 2, 'give the name of one Hold'],
    ['resume incident', 1, 'there is no Hold "incident" at https://api.test. kubectl get holds lists them'],
  ])('refuses: %s', async (line, exit, text) => {
    const { code, complaint } = await run(line);
    expect([code, complaint]).toEqual([exit, expect.stringContaining(text)]);
  });
});
