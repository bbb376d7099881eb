import { toTime } from '../../kube/values/time.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import { namespaceKey } from '../../ports/store/rows.ts';
import { builtInNamespace } from '../../rules/owners/namespace-holds.ts';
import type { ObjectWriter } from './object-writer.ts';

/** Stores a built-in namespace unless it is stored already. */
export const bearNamespace = async (
  name: string,
  { writer, ids }: { readonly writer: ObjectWriter; readonly ids: Pick<IdSource, 'uuid'> },
): Promise<void> => {
  const uid = ids.uuid();
  await writer.write(namespaceKey(name), (row, now) =>
    row?.state === 'live'
      ? undefined
      : { next: builtInNamespace(name, uid, toTime(now)), writer: 'controller' },
  );
};
