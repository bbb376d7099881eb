import { describe, expect, it } from 'vitest';
import { toObjectItem } from '../../../../../shared/adapters/dynamodb/table/items.ts';
import {
  type StreamAttribute,
  type StreamImage,
  toRowChange,
} from '../../../../../shared/adapters/dynamodb/table/stream-records.ts';
import type { Commit } from '../../../../../shared/ports/store/commit.ts';

const key = { resource: 'nodes', namespace: '', name: 'worker-1' };
const UID = '3f1f0a8e-5a4c-4a52-9d37-0f9a7e0f3a11';

const object = (revision: number) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-1', uid: UID, resourceVersion: String(revision), annotations: { note: 'Zoë' } },
});

const commit = (revision: number, next: 'marker' | undefined): Commit => ({
  key,
  revision,
  expected: undefined,
  uid: UID,
  next: next ?? {
    uid: UID,
    object: object(revision),
    facts: {
      node: {
        createdAt: 1,
        zone: '',
        ready: 'True',
        readyTransitionAt: 2,
        excludeDisruption: true,
        clientReady: false,
        noExecute: [{ key: 'k', since: 3 }],
      },
    },
  },
  entry: {
    slot: 'entry',
    revision,
    type: 'ADDED',
    key,
    object: object(revision),
    before: null,
    attempt: 'a',
    at: 1_700_000_000_000,
  },
});

const toAttribute = (value: unknown): StreamAttribute => {
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (typeof value === 'number') return { N: String(value) };
  return typeof value === 'boolean' ? { BOOL: value } : { S: String(value) };
};

const image = (of: Commit): StreamImage =>
  Object.fromEntries(Object.entries(toObjectItem(of)).map(([name, value]) => [name, toAttribute(value)]));

describe('a record of the stream', () => {
  it('shows a row before and after a change', () => {
    const dynamodb = { OldImage: image(commit(7, undefined)), NewImage: image(commit(8, undefined)) };
    const change = toRowChange({ eventName: 'MODIFY', dynamodb });
    expect(change.key).toEqual(key);
    expect(change.before).toMatchObject({ state: 'live', revision: 7, uid: UID });
    expect(change.after).toMatchObject({
      state: 'live',
      revision: 8,
      object: object(8),
      facts: { node: { ready: 'True', noExecute: [{ key: 'k', since: 3 }] } },
    });
  });

  it('shows when the stream got it, by DynamoDB, if it says so', () => {
    const dynamodb = { NewImage: image(commit(8, undefined)) };
    expect(toRowChange({ dynamodb })).not.toHaveProperty('at');
    const ApproximateCreationDateTime = 1_700_000_000;
    expect(toRowChange({ dynamodb: { ...dynamodb, ApproximateCreationDateTime } }).at).toBe(
      1_700_000_000_000,
    );
  });

  it('shows a deletion as a marker and an expiry as nothing after', () => {
    const deleted = toRowChange({
      dynamodb: { OldImage: image(commit(7, undefined)), NewImage: image(commit(8, 'marker')) },
    });
    expect(deleted.after).toEqual({ state: 'marker', key, uid: UID, revision: 8 });
    const expired = toRowChange({ eventName: 'REMOVE', dynamodb: { OldImage: image(commit(8, 'marker')) } });
    expect(expired).toEqual({ key, before: { state: 'marker', key, uid: UID, revision: 8 } });
  });

  it.each([
    { name: 'no images', record: { dynamodb: { SequenceNumber: '1' } } },
    { name: 'an image that is no row', record: { dynamodb: { NewImage: { pk: { S: 'nodes#0' } } } } },
    { name: 'an attribute of an unknown kind', record: { dynamodb: { NewImage: { pk: { SS: ['a'] } } } } },
  ])('is refused with $name', ({ record }) => {
    expect(() => toRowChange(record)).toThrow();
  });
});
