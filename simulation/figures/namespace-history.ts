/** Follows namespaces of a run that are deleted: how long it takes until they are gone. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import type { Committed } from '../plane/control-plane-types.ts';

/** Follows commits. */
export interface NamespaceHistory {
  onCommit(commit: Committed): void;
  /** Milliseconds from the deletion, by name; a namespace that is still there is left out. */
  goneAfterMs(): Readonly<Record<string, number>>;
}

export const createNamespaceHistory = (): NamespaceHistory => {
  const since = new Map<string, EpochMs>();
  const gone = new Map<string, number>();
  return {
    onCommit: ({ at, change: { after } }) => {
      if (after?.key.resource !== 'namespaces') return;
      const { name } = after.key;
      const stored = liveRow(after);
      const begunAt = since.get(name);
      if (!stored && begunAt !== undefined) gone.set(name, at - begunAt);
      else if (stored?.object.metadata.deletionTimestamp !== undefined && begunAt === undefined)
        since.set(name, at);
    },
    goneAfterMs: () => Object.fromEntries(gone),
  };
};
