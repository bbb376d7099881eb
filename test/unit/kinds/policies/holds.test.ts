import { beforeEach, describe, expect, it } from 'vitest';
import { holdPrinter } from '../../../../shared/kinds/policies/columns-of-holds.ts';
import { DEFAULT_STOPS, HOLD_CLASSES, type Hold } from '../../../../shared/kube/types/hold.ts';
import {
  GROUP_AUTHENTICATED,
  GROUP_BOOTSTRAPPERS,
  GROUP_MASTERS,
  GROUP_NODE_OPERATORS,
  GROUP_NODES,
  GROUP_RELAYS,
  GROUP_SERVICE_ACCOUNTS,
  GROUP_VIEWERS,
  NODE_USER_PREFIX,
  RELAY_USER_PREFIX,
} from '../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, START, signedToken, statusOf } from '../../../support/servers/api.ts';

const PATH = '/apis/rollcall.dev/v1/holds';
const ONE = `${PATH}/incident`;
const WHY = { reason: 'switch upgrade' };
const MINUTE = 60_000;
const inMs = (ms: number): string => toTime(START + ms);
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const create = (spec: object = WHY, name = 'incident', as = 'admin') =>
  api.send('POST', PATH, { as, body: { metadata: { name }, spec } });
const change = (body: object, as = 'admin', path = ONE) => api.send('PATCH', path, { as, body, type: MERGE });
const read = async () => (await api.send('GET', ONE, { as: 'viewer' })).json;

describe('a Hold', () => {
  it('is stored as it is given, and says who made it', async () => {
    const spec = {
      ...WHY,
      zones: ['b'],
      nodeSelector: { matchLabels: { pool: 'gpu' } },
      stops: ['Drains', 'ClientEvictions'],
      owner: 'on call',
      until: inMs(MINUTE),
    };
    const body = { metadata: { name: 'incident' }, spec, status: { by: 'mallory', epoch: 7 } };
    const { code, json } = await api.send('POST', PATH, { as: 'operator', body });
    expect([code, json.spec, json.status.by]).toEqual([201, spec, 'operator']);
    expect(json.status.epoch).not.toBe(7);
    expect(json.metadata.generation).toBe(1);
  });

  it('says so also if it is applied', async () => {
    const body = { apiVersion: 'rollcall.dev/v1', kind: 'Hold', metadata: { name: 'incident' }, spec: WHY };
    const type = 'application/apply-patch+yaml';
    const { code, json } = await api.send('PATCH', `${ONE}?fieldManager=me`, { as: 'operator', body, type });
    expect([code, json.status.by]).toEqual([201, 'operator']);
  });

  it('keeps its maker whoever writes its status, and its status whoever writes the object', async () => {
    await create();
    const status = { by: 'mallory', epoch: 3, heldNodes: 0 };
    expect((await change({ status }, 'admin', `${ONE}/status`)).code).toBe(200);
    await change({ status: { epoch: 4 }, spec: { reason: 'still broken' } });
    expect((await read()).status).toMatchObject({ by: 'admin', epoch: 3, heldNodes: 0 });
  });

  it('may get another reason and another end, and nothing else', async () => {
    await create({ ...WHY, zones: ['a'] });
    const { code, json } = await change({ spec: { reason: 'fans', until: inMs(MINUTE) } });
    expect([code, json.metadata.generation]).toEqual([200, 2]);
    const others = { zones: ['b'], nodeSelector: {}, stops: ['Drains'], owner: 'me' };
    for (const [field, value] of Object.entries(others))
      expect(statusOf(await change({ spec: { [field]: value } }))).toEqual([
        422,
        'Invalid',
        expect.stringContaining(`spec.${field}: Invalid value: ${JSON.stringify(value)}: field is immutable`),
      ]);
  });

  it('that has ended does not begin again, and may be changed otherwise', async () => {
    await create({ ...WHY, until: inMs(MINUTE) });
    api.advance(MINUTE);
    for (const until of [inMs(5 * MINUTE), null])
      expect(statusOf(await change({ spec: { until } }))).toEqual([
        422,
        'Invalid',
        'Hold.rollcall.dev "incident" is invalid: spec.until: Forbidden: the Hold has ended; make another one',
      ]);
    expect((await change({ metadata: { labels: { seen: 'yes' } } })).code).toBe(200);
  });

  const ZONES = Array.from({ length: 90 }, (_, n) => `${'z'.repeat(55)}-${n}`);
  it.each<[string, object, string]>([
    ['no reason', {}, 'spec.reason: Required value: tells others why nothing happens'],
    ['an empty reason', { reason: ' ' }, 'spec.reason: Required value'],
    ['a long reason', { reason: 'r'.repeat(257) }, 'spec.reason: Too long: may not be more than 256'],
    ['a long owner', { ...WHY, owner: 'o'.repeat(257) }, 'spec.owner: Too long: may not be more than 256'],
    ['no zone', { ...WHY, zones: [] }, 'spec.zones: Required value: must name a zone'],
    ['a zone twice', { ...WHY, zones: ['a', 'a'] }, 'spec.zones[1]: Duplicate value: "a"'],
    [
      'no selector',
      { ...WHY, nodeSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
      'spec.nodeSelector.matchExpressions[0].operator: Invalid value: "Is"',
    ],
    ['a long scope', { ...WHY, zones: ZONES }, 'spec: Too long: zones and nodeSelector may not be more'],
    ['nothing to stop', { ...WHY, stops: [] }, 'spec.stops: Required value: must name a class'],
    ['an unknown class', { ...WHY, stops: ['Beats'] }, 'spec.stops[0]: Unsupported value: "Beats"'],
    ['a class twice', { ...WHY, stops: ['Drains', 'Drains'] }, 'spec.stops[1]: Duplicate value: "Drains"'],
    ['an end that is over', { ...WHY, until: inMs(0) }, 'spec.until: Invalid value'],
  ])('is refused with %s', async (_, spec, fault) => {
    expect(statusOf(await create(spec))).toEqual([422, 'Invalid', expect.stringContaining(fault)]);
  });

  it('is refused with an end that is no time, and with a new one that is over', async () => {
    expect((await create({ ...WHY, until: 'soon' })).code).toBe(400);
    await create();
    expect(statusOf(await change({ spec: { until: inMs(-1_000) } }))[2]).toContain('must be in the future');
  });

  it('is one of 32 at most that have not ended', async () => {
    for (let n = 0; n < 32; n += 1)
      expect((await create({ ...WHY, until: inMs(MINUTE) }, `h${n}`)).code).toBe(201);
    expect(statusOf(await create())).toEqual([
      422,
      'Invalid',
      'Hold.rollcall.dev "incident" is invalid: spec: Forbidden: a cluster has at most 32 Holds that have not ended',
    ]);
    api.advance(MINUTE);
    expect((await create()).code).toBe(201);
  });
});

describe('V-107: a Hold is for administrators and node operators; viewers read', () => {
  const [spec, ALL] = [WHY, ['create', 'get', 'list', 'watch', 'update', 'patch', 'delete']];
  const requests: Readonly<Record<string, (token: string) => Promise<{ readonly code: number }>>> = {
    create: (token) =>
      api.send('POST', `${PATH}?dryRun=All`, { token, body: { metadata: { name: 'x' }, spec } }),
    get: (token) => api.send('GET', ONE, { token }),
    list: (token) => api.send('GET', PATH, { token }),
    watch: async (token) => ({
      code: (await api.open(`${PATH}?watch=true&timeoutSeconds=1`, { token })).status,
    }),
    update: (token) => api.send('PUT', ONE, { token, body: { metadata: { name: 'incident' }, spec } }),
    patch: (token) => api.send('PATCH', ONE, { token, type: MERGE, body: { spec: { reason: 'fans' } } }),
    delete: (token) => api.send('DELETE', `${ONE}?dryRun=All`, { token }),
    status: (token) => api.send('PATCH', `${ONE}/status`, { token, type: MERGE, body: { status: {} } }),
    'delete all': (token) => api.send('DELETE', `${PATH}?dryRun=All`, { token }),
  };

  it.each<[string, string, readonly string[]]>([
    ['ann', GROUP_MASTERS, [...ALL, 'status', 'delete all']],
    ['ann', GROUP_NODE_OPERATORS, ALL],
    ['ann', GROUP_VIEWERS, ['get', 'list', 'watch']],
    ['ann', GROUP_AUTHENTICATED, []],
    ['ann', GROUP_BOOTSTRAPPERS, []],
    [`${NODE_USER_PREFIX}n1`, GROUP_NODES, []],
    [`${RELAY_USER_PREFIX}hall`, GROUP_RELAYS, []],
    ['system:serviceaccount:default:web', GROUP_SERVICE_ACCOUNTS, []],
  ])('%s of %s may %j', async (name, group, verbs) => {
    await create();
    const token = await signedToken(name, [group]);
    const allowed: string[] = [];
    for (const [verb, send] of Object.entries(requests)) {
      const { code } = await send(token);
      if (code < 300) allowed.push(verb);
      else expect([verb, code]).toEqual([verb, 403]);
    }
    expect(allowed.toSorted()).toEqual(verbs.toSorted());
  });
});

describe('the table of Holds', () => {
  const cellsOf = (hold: Partial<Hold>) =>
    holdPrinter.cells({ metadata: { name: 'incident' }, ...hold } as Hold, START);
  const cellOf = (name: string, hold: Partial<Hold>) =>
    cellsOf(hold)[holdPrinter.columns.findIndex((one) => one.name === name)];
  const inForce = (status: 'True' | 'False', reason: string) => ({
    status: { conditions: [{ type: 'InForce', status, reason }] },
  });
  const MANY = ['a', 'b', 'c', 'd', 'e'];

  it.each<[string, Partial<Hold>, string]>([
    ['Scope', {}, 'all'],
    ['Scope', { spec: { nodeSelector: {} } }, 'all'],
    ['Scope', { spec: { zones: ['a', 'b'] } }, 'a,b'],
    ['Scope', { spec: { zones: MANY } }, 'a,b,c,+2'],
    ['Scope', { spec: { zones: ['a'], nodeSelector: { matchLabels: { pool: 'gpu' } } } }, 'a & pool=gpu'],
    [
      'Scope',
      { spec: { nodeSelector: { matchLabels: { [`${'k'.repeat(50)}`]: 'v' } } } },
      `${'k'.repeat(39)}…`,
    ],
    ['Stops', {}, 'default'],
    ['Stops', { spec: { stops: DEFAULT_STOPS.toReversed() } }, 'default'],
    ['Stops', { spec: { stops: ['Drains', 'Repair'] } }, 'Drains,Repair'],
    ['Stops', { spec: { stops: HOLD_CLASSES } }, HOLD_CLASSES.join(',')],
    ['State', {}, 'Closing'],
    ['State', inForce('False', 'Closing'), 'Closing'],
    ['State', inForce('True', 'Closed'), 'Held'],
    ['State', inForce('False', 'Expired'), 'Expired'],
    ['State', { ...inForce('True', 'Closed'), spec: { until: inMs(0) } }, 'Expired'],
    ['State', { ...inForce('True', 'Closed'), spec: { until: inMs(1_000) } }, 'Held'],
    [
      'State',
      { ...inForce('True', 'Closed'), metadata: { name: 'incident', deletionTimestamp: inMs(0) } },
      'Resumed',
    ],
    ['By', {}, '<unknown>'],
    ['By', { status: { by: 'alice' } }, 'alice'],
    ['Held Nodes', {}, '<unknown>'],
    ['Held Nodes', { status: { heldNodes: 0 } }, '0'],
    ['Until', {}, 'resumed'],
    ['Until', { spec: { until: inMs(MINUTE) } }, inMs(MINUTE)],
    ['Reason', { spec: { reason: 'fans' } }, 'fans'],
    ['Epoch', { status: { epoch: 12 } }, '12'],
  ])('says as %s of %j: %s', (name, hold, cell) => {
    expect(cellOf(name, hold)).toBe(cell);
  });
});
