import { describe, expect, it } from 'vitest';
import { problemOfStorage } from '../../../../../shared/adapters/dynamodb/table/problems.ts';
import { createMemoryState } from '../../../../../shared/adapters/memory/state.ts';
import { createTestApi, heartbeatPath, NODES, nodeBody } from '../../../../support/servers/api.ts';
import { cancelled, connectionError, namedError } from '../../../../support/stores/dynamodb-faults.ts';

interface Row {
  readonly error: Error;
  readonly code: number;
  readonly reason: string;
  readonly retryAfter?: string;
}

/** What the SDK throws, and what a client is told. */
const TABLE: readonly (readonly [string, Row])[] = [
  [
    'no answer in time',
    { error: namedError('TimeoutError', 0), code: 504, reason: 'Timeout', retryAfter: '1' },
  ],
  [
    'a time-out that the service reports',
    { error: namedError('RequestTimeoutException', 408), code: 504, reason: 'Timeout', retryAfter: '1' },
  ],
  [
    'a refused connection',
    { error: connectionError('ECONNREFUSED'), code: 503, reason: 'ServiceUnavailable', retryAfter: '1' },
  ],
  [
    'a connection that broke',
    { error: connectionError('ECONNRESET'), code: 503, reason: 'ServiceUnavailable', retryAfter: '1' },
  ],
  [
    'a name that is not resolved',
    { error: connectionError('EAI_AGAIN'), code: 503, reason: 'ServiceUnavailable', retryAfter: '1' },
  ],
  [
    'a fault of the service',
    {
      error: namedError('InternalServerError', 500),
      code: 503,
      reason: 'ServiceUnavailable',
      retryAfter: '1',
    },
  ],
  [
    'throttling',
    { error: namedError('ThrottlingException'), code: 429, reason: 'TooManyRequests', retryAfter: '1' },
  ],
  [
    'a throttled part of a transaction',
    { error: cancelled('None', 'ThrottlingError'), code: 429, reason: 'TooManyRequests', retryAfter: '1' },
  ],
  [
    'a missing permission, which does not pass',
    { error: namedError('AccessDeniedException'), code: 500, reason: 'InternalError' },
  ],
  ['a missing table', { error: namedError('ResourceNotFoundException'), code: 500, reason: 'InternalError' }],
  ['a mistake of ours', { error: new TypeError('x is undefined'), code: 500, reason: 'InternalError' }],
];

const failing = (error: Error) => {
  const state = createMemoryState();
  const fail = async (): Promise<never> => {
    throw error;
  };
  return createTestApi({
    state: {
      ...state,
      objects: { ...state.objects, read: fail, page: fail },
      heartbeats: { ...state.heartbeats, read: fail, beat: fail },
    },
    statusOf: problemOfStorage,
  });
};

describe.each(TABLE)('%s of the storage', (_, { error, code, reason, retryAfter }) => {
  const wanted = { code, retryAfter, json: { kind: 'Status', reason, code } };

  it.each([
    ['a read', 'GET', `${NODES}/n1`],
    ['a list', 'GET', NODES],
    ['a creation, before its change was sent', 'POST', NODES],
    ['a deletion, before its change was sent', 'DELETE', `${NODES}/n1`],
  ])('is told to %s', async (_what, method, path) => {
    const body = method === 'POST' ? { body: nodeBody('n1') } : {};
    const { json, headers, ...answer } = await failing(error).send(method, path, { as: 'admin', ...body });
    expect({ ...answer, json, retryAfter: headers['retry-after'] }).toMatchObject(wanted);
  });

  it('is told to a beat, which may be sent twice', async () => {
    const { json, headers, ...answer } = await failing(error).sendHeartbeat('POST', heartbeatPath('n1'));
    expect({ ...answer, json, retryAfter: headers['retry-after'] }).toMatchObject(wanted);
  });

  it('is logged with its cause, and the cause is not sent', async () => {
    const api = failing(error);
    const { json } = await api.send('GET', `${NODES}/n1`);
    expect(JSON.stringify(json)).not.toContain(error.message);
    expect(api.failures.map((failure) => failure.error)).toEqual([error]);
  });
});

describe('a change whose outcome nobody knows', () => {
  it('is answered with 504 and without Retry-After, so that no client sends it again by itself', async () => {
    const state = createMemoryState();
    const objects = {
      ...state.objects,
      commit: async () => ({ outcome: 'unclear' }) as const,
      putTombstone: async () => {
        throw namedError('TimeoutError', 0);
      },
    };
    const api = createTestApi({ state: { ...state, objects }, statusOf: problemOfStorage });
    const { code, json, headers } = await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
    expect(code).toBe(504);
    expect(json).toMatchObject({ reason: 'Timeout', message: expect.stringContaining('or not') });
    expect(headers).not.toHaveProperty('retry-after');
  });
});
