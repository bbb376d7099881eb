import {
  DescribeContinuousBackupsCommand,
  RestoreTableToPointInTimeCommand,
  TableAlreadyExistsException,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createTableRestorer } from '../../../../../shared/adapters/dynamodb/upkeep/restore/restorer.ts';

const AT = Date.parse('2026-03-10T12:00:00Z');

/** A client that answers as AWS's documentation says, and records what it was asked. */
const recorded = (...answers: readonly unknown[]) => {
  const asked: unknown[] = [];
  const send = async (command: { readonly input: unknown }) => {
    const answer = answers[asked.length];
    asked.push([command.constructor, command.input]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { restorer: createTableRestorer({ send }), asked };
};

const answerOf = (description: Readonly<Record<string, unknown>>) => ({
  ContinuousBackupsDescription: { PointInTimeRecoveryDescription: description },
});

describe('the restorer of AWS', () => {
  it('reads the window', async () => {
    const { restorer, asked } = recorded(
      answerOf({
        PointInTimeRecoveryStatus: 'ENABLED',
        EarliestRestorableDateTime: new Date(AT),
        LatestRestorableDateTime: new Date(AT + 5000),
      }),
      answerOf({ PointInTimeRecoveryStatus: 'DISABLED' }),
    );
    expect(await restorer.window('Rollcall-objects')).toEqual({ earliest: AT, latest: AT + 5000 });
    expect(await restorer.window('Rollcall-objects')).toBeUndefined();
    expect(asked[0]).toEqual([DescribeContinuousBackupsCommand, { TableName: 'Rollcall-objects' }]);
  });

  it('restores on demand, and leaves a table that is there', async () => {
    const exists = new TableAlreadyExistsException({ message: 'exists', $metadata: {} });
    const { restorer, asked } = recorded({}, exists, new Error('LimitExceeded'));
    const again = () => restorer.restore('Rollcall-objects', 'Rollcall-g2-objects', AT);
    await again();
    await again();
    await expect(again()).rejects.toThrow('LimitExceeded');
    expect(asked[1]).toEqual([
      RestoreTableToPointInTimeCommand,
      {
        SourceTableName: 'Rollcall-objects',
        TargetTableName: 'Rollcall-g2-objects',
        RestoreDateTime: new Date(AT),
        BillingModeOverride: 'PAY_PER_REQUEST',
      },
    ]);
  });
});
