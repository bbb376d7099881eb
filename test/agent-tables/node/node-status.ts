import { hasStatusChanged } from '../../../agent/rules/node-status/status-change.ts';
import type { NodeStatus } from '../../../shared/kube/types/core.ts';
import { type Replays, replay } from '../replay.ts';

interface ChangedRow {
  readonly old: NodeStatus | null;
  readonly new: NodeStatus | null;
}

export const TABLES: Replays = {
  'node-status-changed': replay(({ old, new: next }: ChangedRow) =>
    hasStatusChanged(old ?? undefined, next ?? undefined),
  ),
};
