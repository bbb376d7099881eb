import { beforeEach, describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, statusOf } from '../../../support/servers/api.ts';

const CORE = '/api/v1/namespaces/default/events';
const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const oldEvent = (rest: object = {}) => ({
  metadata: { name: 'e' },
  involvedObject: { kind: 'Node', name: 'n1' },
  reason: 'Tested',
  message: 'a message',
  type: 'Normal',
  source: { component: 'suite' },
  count: 2,
  firstTimestamp: '2020-01-02T03:04:05Z',
  ...rest,
});
const newEvent = (rest: object = {}) => ({
  metadata: { name: 'e' },
  eventTime: '2020-01-02T03:04:05.000006Z',
  reportingController: 'example.com/c',
  reportingInstance: 'i-1',
  action: 'Act',
  reason: 'Tested',
  type: 'Normal',
  regarding: { kind: 'Node', name: 'n1' },
  note: 'a note',
  ...rest,
});
const post = (path: string, body: object) => api.send('POST', path, { as: 'admin', body });

describe('one store of Events', () => {
  it('shows an Event of v1 as events.k8s.io/v1', async () => {
    await post(CORE, oldEvent());
    const { json } = await api.send('GET', `${EVENTS}/e`);
    const { metadata, ...rest } = json;
    expect(metadata.resourceVersion).toBe((await api.send('GET', `${CORE}/e`)).json.metadata.resourceVersion);
    expect(rest).toEqual({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Node', name: 'n1' },
      reason: 'Tested',
      note: 'a message',
      type: 'Normal',
      deprecatedSource: { component: 'suite' },
      deprecatedCount: 2,
      deprecatedFirstTimestamp: '2020-01-02T03:04:05Z',
      deprecatedLastTimestamp: null,
      eventTime: null,
    });
  });

  it('shows an Event of events.k8s.io/v1 as v1, and both in both lists', async () => {
    expect((await post(EVENTS, newEvent())).json.apiVersion).toBe('events.k8s.io/v1');
    const { metadata: _metadata, ...rest } = (await api.send('GET', `${CORE}/e`)).json;
    expect(rest).toEqual({
      kind: 'Event',
      apiVersion: 'v1',
      involvedObject: { kind: 'Node', name: 'n1' },
      reason: 'Tested',
      message: 'a note',
      type: 'Normal',
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: '2020-01-02T03:04:05.000006Z',
      action: 'Act',
      reportingComponent: 'example.com/c',
      reportingInstance: 'i-1',
    });
    await post(CORE, oldEvent({ metadata: { name: 'f' } }));
    const notes = (await api.send('GET', EVENTS)).json.items.map(({ note }: { note: string }) => note);
    const messages = (await api.send('GET', CORE)).json.items.map(
      ({ message }: { message: string }) => message,
    );
    expect([notes, messages]).toEqual([
      ['a note', 'a message'],
      ['a note', 'a message'],
    ]);
  });

  it('selects by the field names of the version', async () => {
    await post(EVENTS, newEvent());
    const found = async (path: string, selector: string) =>
      (await api.send('GET', `${path}?fieldSelector=${selector}`)).json;
    expect((await found(EVENTS, 'regarding.kind=Node,reportingController=example.com/c')).items).toHaveLength(
      1,
    );
    expect((await found(CORE, 'involvedObject.kind=Node,source=example.com/c')).items).toHaveLength(1);
    expect((await found(EVENTS, 'regarding.kind=Pod')).items).toHaveLength(0);
    expect((await found(EVENTS, 'involvedObject.kind=Node')).code).toBe(400);
  });

  it('is patched, deleted and expires through either version', async () => {
    await post(EVENTS, newEvent());
    const series = { count: 3, lastObservedTime: '2020-01-02T03:05:05.000000Z' };
    const patched = await api.send('PATCH', `${EVENTS}/e`, { as: 'admin', body: { series }, type: MERGE });
    expect(patched.json.series).toEqual(series);
    expect((await api.send('GET', `${CORE}/e`)).json.series).toEqual(series);
    expect((await api.send('DELETE', `${EVENTS}/e`)).json.details).toMatchObject({
      group: 'events.k8s.io',
      kind: 'events',
    });
    expect((await api.send('GET', `${CORE}/e`)).code).toBe(404);
  });
});

describe('the rules of events.k8s.io/v1', () => {
  it.each<[string, object, string]>([
    ['no time', { eventTime: null }, 'eventTime: Required value'],
    ['an unknown type', { type: 'Odd' }, 'type: Invalid value: "": has invalid value: Odd'],
    ['no action', { action: '' }, 'action: Required value'],
    ['no instance', { reportingInstance: '' }, 'reportingInstance: Required value'],
    [
      'a long instance',
      { reportingInstance: 'x'.repeat(129) },
      'reportingInstance: Invalid value: "": can have at most 128 characters',
    ],
    [
      'a short series',
      { series: { count: 1, lastObservedTime: '2020-01-02T03:05:05.000000Z' } },
      'series.count: Invalid value: "": should be at least 2',
    ],
    ['a series without a time', { series: { count: 2 } }, 'series.lastObservedTime: Required value'],
    ['an old field', { deprecatedCount: 2 }, 'count: Invalid value: "": needs to be unset'],
    [
      'an object elsewhere',
      { metadata: { name: 'e', namespace: 'kube-public' }, regarding: { kind: 'Node' } },
      'involvedObject.namespace: Invalid value: "": does not match event.namespace',
    ],
  ])('refuse %s', async (_name, rest, fault) => {
    const body = newEvent(rest);
    const { namespace = 'default' } = body.metadata as { namespace?: string };
    expect(statusOf(await post(EVENTS.replace('default', namespace), body))).toEqual([
      422,
      'Invalid',
      `Event "e" is invalid: ${fault}`,
    ]);
  });

  it('allow changes of the series only, also through PUT', async () => {
    await post(EVENTS, newEvent());
    const { json } = await api.send('PUT', `${EVENTS}/e`, {
      as: 'admin',
      body: newEvent({ note: 'x', type: 'Warning' }),
    });
    expect(json.message).toBe(
      'Event "e" is invalid: [message: Invalid value: "x": field is immutable, type: Invalid value: "Warning": field is immutable]',
    );
  });

  it('print a changed reference as its internal type', async () => {
    await post(EVENTS, newEvent());
    const body = newEvent({ regarding: { kind: 'Pod', name: 'p' } });
    const { json } = await api.send('PUT', `${EVENTS}/e`, { as: 'admin', body });
    expect(json.message).toContain(
      'involvedObject: Invalid value: {"Kind":"Pod","Namespace":"","Name":"p","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}: field is immutable',
    );
  });

  it('do not apply to v1, which has its own rules for the namespace', async () => {
    expect((await post(CORE, oldEvent({ type: 'Odd' }))).code).toBe(201);
    const elsewhere = CORE.replace('default', 'kube-system');
    expect((await post(elsewhere, oldEvent())).json.message).toBe(
      'Event "e" is invalid: involvedObject.namespace: Invalid value: "": does not match event.namespace',
    );
  });
});

describe('the name of an Event of v1', () => {
  it.each([
    ['n1.17f0', 201, undefined],
    ['Bad_Name', 201, undefined],
    ['a/b', 422, `may not contain '/'`],
    ['a%b', 422, `may not contain '%'`],
    ['..', 422, `may not be '..'`],
    ['.', 422, `may not be '.'`],
  ])('%s is answered with %i', async (name, code, why) => {
    const received = await post(CORE, oldEvent({ metadata: { name } }));
    const message =
      why && `Event "${name}" is invalid: metadata.name: Invalid value: ${JSON.stringify(name)}: ${why}`;
    expect([received.code, received.json.message]).toEqual([code, message ?? 'a message']);
  });
});

describe('an expired Event', () => {
  const HOUR_MS = 3_600_000;
  const namesOf = (list: { items: { metadata: { name: string } }[] }) =>
    list.items.map(({ metadata }) => metadata.name);

  beforeEach(async () => {
    await post(CORE, oldEvent());
    api.advance(HOUR_MS);
    await post(CORE, oldEvent({ metadata: { name: 'young' } }));
  });

  it.each([CORE, EVENTS])(
    'is not in a list of %s, whether its row or its entry is read (V-15)',
    async (path) => {
      expect(namesOf((await api.send('GET', path)).json)).toEqual(['young']);
      // More changes than a list lays over its rows.
      for (let n = 0; n < 40; n += 1)
        await api
          .send('DELETE', `${CORE}/young`)
          .then(() => post(CORE, oldEvent({ metadata: { name: 'young' } })));
      expect(namesOf((await api.send('GET', path)).json)).toEqual(['young']);
      expect(namesOf((await api.send('GET', path)).json)).toEqual(['young']);
    },
  );

  it.each([
    ['GET', {}],
    ['DELETE', {}],
    ['PATCH', { body: { reason: 'Other' }, type: MERGE }],
  ] as const)('is not found by %s', async (method, sent) => {
    expect((await api.send(method, `${CORE}/e`, { as: 'admin', ...sent })).code).toBe(404);
  });

  it('can be created again without anything of the old one (V-15)', async () => {
    const { code, json } = await post(CORE, oldEvent({ reason: 'Again' }));
    expect(code).toBe(201);
    expect(json).toMatchObject({ reason: 'Again' });
    expect((await api.send('GET', `${CORE}/e`)).json.metadata.uid).toBe(json.metadata.uid);
    expect((await post(CORE, oldEvent())).code).toBe(409);
  });

  it('is created by a PUT, as if there was none', async () => {
    const put = await api.send('PUT', `${CORE}/e`, { as: 'admin', body: oldEvent() });
    expect(put.code).toBe(201);
  });

  it('is kept for an hour after a change', async () => {
    api.advance(HOUR_MS / 2);
    await api.send('PATCH', `${CORE}/young`, { as: 'admin', body: { count: 3 }, type: MERGE });
    api.advance(HOUR_MS / 2);
    expect((await api.send('GET', `${CORE}/young`)).code).toBe(200);
    api.advance(HOUR_MS / 2);
    expect((await api.send('GET', `${CORE}/young`)).code).toBe(404);
  });
});
