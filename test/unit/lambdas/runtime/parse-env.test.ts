import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { parseEnv } from '../../../../lambdas/runtime/parse-env.ts';
import { positiveSeconds, tableName } from '../../../../shared/settings/aws/env.ts';

const Env = z.object({ OBJECTS_TABLE: tableName, NODE_MONITOR_PERIOD_SECONDS: positiveSeconds });

describe('parseEnv', () => {
  it('returns typed values and leaves other variables out', () => {
    const given = { OBJECTS_TABLE: 'objects', NODE_MONITOR_PERIOD_SECONDS: '5', AWS_REGION: 'eu-west-1' };
    expect(parseEnv(Env, given)).toEqual({ OBJECTS_TABLE: 'objects', NODE_MONITOR_PERIOD_SECONDS: 5 });
  });

  it('names every variable that is missing or wrong, and what it must be', () => {
    expect(() => parseEnv(Env, { NODE_MONITOR_PERIOD_SECONDS: 'often' })).toThrow(
      [
        'The environment of this function is not valid:',
        'OBJECTS_TABLE is missing: it must be the name of a DynamoDB table',
        'NODE_MONITOR_PERIOD_SECONDS=often must be a number of seconds above 0',
      ].join('\n  - '),
    );
  });
});
