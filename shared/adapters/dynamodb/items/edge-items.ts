import type { Commit } from '../../../ports/store/commit.ts';
import type { TransactItem } from '../table/client.ts';
import { edgeKey } from '../table/keys.ts';
import { CONTROL } from '../table/schema.ts';

/** The parts of a transaction for the edges of a commit. They need no condition: that of the object is enough. */
export const edgeItems = (table: string, { key, uid, edges }: Commit): readonly TransactItem[] => {
  if (!edges) return [];
  const puts = edges.puts.map(({ owner, controller, blockOwnerDeletion, summary }) => ({
    Put: {
      TableName: table,
      Item: {
        ...edgeKey(owner, key, uid),
        ...(controller ? { [CONTROL.isController]: true } : {}),
        ...(blockOwnerDeletion ? { [CONTROL.blocksDeletion]: true } : {}),
        ...(summary === undefined ? {} : { [CONTROL.summary]: summary }),
      },
    },
  }));
  const removes = edges.removes.map((owner) => ({
    Delete: { TableName: table, Key: edgeKey(owner, key, uid) },
  }));
  return [...puts, ...removes];
};
