import type { ObjectKey, Row, RowCheck } from '../../ports/store/rows.ts';

/** What a check compares of a stored row. */
export type CheckedRow = Pick<Row, 'state' | 'uid' | 'revision'>;

const holds = (found: CheckedRow | undefined, check: RowCheck): boolean => {
  if ('isGone' in check) {
    const { lastUid } = check;
    return !found || (found.state !== 'live' && (lastUid === undefined || found.uid === lastUid));
  }
  if ('goneUid' in check) return found?.state !== 'live' || found.uid !== check.goneUid;
  return found?.state === 'live' && found.revision === check.revision;
};

/**
 * Whether all checks hold. Throws if two are about one row, or one is about `own`, the row that the transaction writes: DynamoDB
 * refuses such a transaction, so no store takes it.
 */
export const rowChecksHold = (
  rowOf: (key: ObjectKey) => CheckedRow | undefined,
  checks: readonly RowCheck[],
  own?: ObjectKey,
): boolean => {
  const keys = [...checks.map(({ key }) => key), ...(own ? [own] : [])];
  const rows = keys.map(({ resource, namespace, name }) => `${resource}/${namespace}/${name}`);
  if (new Set(rows).size < rows.length)
    throw new Error('a transaction cannot check a row twice, nor one that it writes');
  return checks.every((check) => holds(rowOf(check.key), check));
};
