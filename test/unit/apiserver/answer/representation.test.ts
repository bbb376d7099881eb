import { describe, expect, it } from 'vitest';
import { representationOf, represented } from '../../../../shared/apiserver/answer/representation.ts';
import type { HttpRequest } from '../../../../shared/apiserver/contract/http.ts';
import type { Verb } from '../../../../shared/apiserver/contract/request-info.ts';
import type { ApiList, ApiObject } from '../../../../shared/kube/types/meta.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const META = 'v=v1;g=meta.k8s.io';
const TABLE = `application/json;as=Table;${META}`;
const PARTIAL = `application/json;as=PartialObjectMetadata;${META}`;
const PARTIAL_LIST = `application/json;as=PartialObjectMetadataList;${META}`;

interface Asked {
  readonly accept?: string;
  readonly verb?: Verb;
  readonly includeObject?: string;
  readonly group?: string;
  readonly subresource?: string;
}

const asked = ({ accept = TABLE, verb = 'get', includeObject, group = '', subresource = '' }: Asked = {}) => {
  const request: HttpRequest = {
    method: 'GET',
    path: '/',
    query: new URLSearchParams(includeObject === undefined ? {} : { includeObject }),
    headers: { accept },
    body: new Uint8Array(),
  };
  return representationOf(
    request,
    { verb, group, resource: 'nodes', subresource },
    { clock: { now: () => NOW } },
  );
};

const metadata = {
  name: 'n1',
  resourceVersion: '7',
  creationTimestamp: '2026-03-01T11:55:00Z',
  labels: { a: 'b' },
};
const NODE = { kind: 'Node', apiVersion: 'v1', metadata, spec: {} } as ApiObject;
const { kind: _kind, apiVersion: _version, ...ITEM } = NODE;
const LIST = {
  kind: 'NodeList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9', continue: 'more', remainingItemCount: 3 },
  items: [ITEM as ApiObject],
} satisfies ApiList;
const STATUS = { kind: 'Status', apiVersion: 'v1', metadata: {} } as ApiObject;
const SHORT = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };

describe('an object', () => {
  it('is unchanged for JSON', async () => {
    expect((await asked({ accept: 'application/json' })).object(NODE)).toBe(NODE);
  });

  it('is a Table of one row with its resourceVersion', async () => {
    const table = (await asked()).object(NODE);
    expect(table).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: '7' },
    });
    expect(table).toMatchObject({ rows: [{ object: SHORT }] });
    expect(table).toMatchObject({
      rows: [
        {
          cells: [
            'n1',
            'Unknown',
            '<none>',
            '5m',
            '',
            '<none>',
            '<none>',
            '<unknown>',
            '<unknown>',
            '<unknown>',
          ],
        },
      ],
    });
  });

  it('that was not stored has a Table without a version', async () => {
    expect((await asked()).object({ ...NODE, metadata: { name: 'n1' } })).toMatchObject({ metadata: {} });
  });

  it('has a Table of the requested version, also in its rows', async () => {
    const old = (await asked({ accept: 'application/json;as=Table;v=v1beta1;g=meta.k8s.io' })).object(NODE);
    expect(old).toMatchObject({
      apiVersion: 'meta.k8s.io/v1beta1',
      rows: [{ object: { apiVersion: 'meta.k8s.io/v1beta1' } }],
    });
  });

  it('is its metadata for PartialObjectMetadata', async () => {
    expect((await asked({ accept: PARTIAL })).object(NODE)).toEqual(SHORT);
  });

  it('that is a Status is not converted', async () => {
    for (const accept of [TABLE, PARTIAL, PARTIAL_LIST])
      expect((await asked({ accept })).object(STATUS)).toBe(STATUS);
  });

  it('without metadata is not converted', async () => {
    const receipt = { kind: 'HeartbeatReceipt', apiVersion: 'rollcall.dev/v1' } as ApiObject;
    expect((await asked()).object(receipt)).toBe(receipt);
  });

  it.each([
    ['status', 10],
    ['proxy', 2],
  ])('of subresource %s has a Table of %i columns', async (subresource, count) => {
    expect((await asked({ subresource })).object(NODE)).toHaveProperty('columnDefinitions.length', count);
  });

  it.each([
    ['', '*core.Node'],
    ['coordination.k8s.io', '*coordination.Node'],
    ['events.k8s.io', '*core.Node'],
    ['apps', '*apps.Node'],
  ])('of group "%s" cannot be a PartialObjectMetadataList', async (group, type) => {
    const representation = await asked({ accept: PARTIAL_LIST, group });
    expect(() => representation.object(NODE)).toThrow(
      expect.objectContaining({
        code: 406,
        details: undefined,
        message: `you requested PartialObjectMetadataList, but the requested object is not a list (${type})`,
      }),
    );
  });
});

describe('a list', () => {
  it('is a Table with the metadata of the list', async () => {
    expect(await (await asked({ verb: 'list' })).list(LIST)).toMatchObject({
      metadata: LIST.metadata,
      rows: [{ object: SHORT }],
    });
  });

  it('without items still has columns', async () => {
    const table = await (await asked({ verb: 'list' })).list({ ...LIST, items: [] });
    expect(table).toMatchObject({ rows: [] });
    expect(table).toHaveProperty('columnDefinitions.length', 10);
  });

  it('is a list of metadata', async () => {
    expect(await (await asked({ verb: 'list', accept: PARTIAL_LIST })).list(LIST)).toEqual({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: LIST.metadata,
      items: [SHORT],
    });
  });

  it('cannot be a PartialObjectMetadata', async () => {
    await expect((await asked({ verb: 'list', accept: PARTIAL })).list(LIST)).rejects.toThrow(
      'you requested PartialObjectMetadata, but the requested object is a list (*core.NodeList)',
    );
  });
});

describe('the object in a row', () => {
  it.each([
    [undefined, SHORT],
    ['', SHORT],
    ['Metadata', SHORT],
    ['Object', NODE],
    ['None', null],
  ])('with includeObject %s', async (includeObject, object) => {
    const question = { verb: 'list', ...(includeObject === undefined ? {} : { includeObject }) } as const;
    expect(await (await asked(question)).list(LIST)).toHaveProperty('rows.0.object', object);
  });

  const MESSAGE = `Unable to convert to Table as requested: includeObject: Invalid value: "Foo": must be 'Metadata', 'Object', 'None', or empty`;

  it('is refused after a read', async () => {
    const representation = await asked({ includeObject: 'Foo' });
    expect(() => representation.object(NODE)).toThrow(
      expect.objectContaining({ code: 400, message: MESSAGE }),
    );
  });

  it.each(['create', 'update', 'patch', 'delete', 'deletecollection', 'watch'] as const)(
    'is refused before a %s',
    async (verb) => {
      await expect(asked({ includeObject: 'Foo', verb })).rejects.toThrow(
        expect.objectContaining({ code: 400 }),
      );
    },
  );

  it('is not checked without a Table', async () => {
    expect((await asked({ includeObject: 'Foo', accept: 'application/json' })).object(NODE)).toBe(NODE);
  });
});

describe('the events of a watch', () => {
  const BOOKMARK = {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      resourceVersion: '12',
      creationTimestamp: null,
      annotations: { 'k8s.io/initial-events-end': 'true' },
    },
    spec: {},
    status: {},
  } as unknown as ApiObject;

  it('have columns in the first one only', async () => {
    const represent = (await asked({ verb: 'watch' })).events();
    const tables = [represent(NODE), represent(NODE), represent(NODE)];
    expect(tables[0]).toHaveProperty('columnDefinitions.0.name', 'Name');
    expect(tables.slice(1).map((table) => 'columnDefinitions' in table && table.columnDefinitions)).toEqual([
      null,
      null,
    ]);
    expect(tables[2]).toMatchObject({ kind: 'Table', rows: [{ object: SHORT }] });
  });

  it('remember per stream whether columns were sent', async () => {
    const representation = await asked({ verb: 'watch' });
    representation.events()(NODE);
    expect(representation.events()(NODE)).toHaveProperty('columnDefinitions.0.name', 'Name');
  });

  it('show a bookmark as one row of an empty object', async () => {
    expect((await asked({ verb: 'watch' })).events()(BOOKMARK)).toMatchObject({
      kind: 'Table',
      metadata: { resourceVersion: '12' },
      rows: [
        {
          cells: [
            '',
            'Unknown',
            '<none>',
            '<unknown>',
            '',
            '<none>',
            '<none>',
            '<unknown>',
            '<unknown>',
            '<unknown>',
          ],
          object: { kind: 'PartialObjectMetadata', metadata: BOOKMARK.metadata },
        },
      ],
    });
  });

  it('leave an error as it is', async () => {
    expect((await asked({ verb: 'watch' })).events()(STATUS)).toBe(STATUS);
  });

  it.each([
    [PARTIAL, SHORT],
    [PARTIAL_LIST, NODE],
    ['application/json', NODE],
  ])('for a client that accepts %s are %j', async (accept, object) => {
    expect((await asked({ verb: 'watch', accept })).events()(NODE)).toEqual(object);
  });
});

describe('an answer', () => {
  it.each([
    ['text', 'ok', 'ok'],
    ['a list', LIST, { kind: 'Table' }],
    ['an object', NODE, { kind: 'Table' }],
    ['a Status', STATUS, { kind: 'Status' }],
  ])('that is %s', async (_what, body, expected) => {
    const answer = await represented({ status: 201, body }, await asked({ verb: 'list' }));
    expect(answer.status).toBe(201);
    if (typeof expected === 'string') expect(answer.body).toBe(expected);
    else expect(answer.body).toMatchObject(expected);
  });
});
