/** Drains nodes in time before the maintenance that their cloud has announced. */
import type { Node } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { nodeTarget } from '../../shared/ports/process/event-recorder.ts';
import { type LiveRow, liveRow } from '../../shared/ports/store/rows.ts';
import { instanceKey, providerIdOf } from '../../shared/rules/cloud/instance.ts';
import { withCloudAnnouncement } from '../../shared/rules/cloud/planned-maintenance.ts';
import {
  nextDrainAt,
  type ScheduledWord,
  scheduledOf,
  withDueDrains,
  withScheduled,
} from '../../shared/rules/cloud/scheduled-maintenance.ts';
import { isNamedFor } from '../../shared/rules/cloud/verified-machine.ts';
import { drainRequestOf } from '../../shared/rules/drain/node-drain.ts';
import { leaving, maintenanceAhead, maintenanceOver } from './answers/events.ts';
import { isHeeded } from './answers/heeded.ts';
import { readNodes } from './answers/judged.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from './deps.ts';

/** What a sweep finds a planned drain by. The Node itself says what is planned. */
const remember = async (
  { control }: CloudNodeDeps,
  { key: { name }, uid, object }: LiveRow,
): Promise<void> => {
  const key = { topic: 'planned-drain', name } as const;
  const [seen, since] = [await control.sighting(key), nextDrainAt(object)];
  const next = since === undefined ? undefined : { ...key, uid, since };
  if (seen?.uid !== next?.uid || seen?.since !== next?.since) await control.replaceSighting(key, seen, next);
};

interface Written {
  readonly before: LiveRow;
  readonly after: LiveRow;
}

const write = async (
  { writer }: CloudNodeDeps,
  seen: LiveRow,
  change: (node: Node, now: EpochMs) => Node,
): Promise<Written | undefined> => {
  let written: Written | undefined;
  const { outcome } = await writer.write(
    seen.key,
    (found, now) => {
      const row = liveRow(found);
      if (row?.uid !== seen.uid) return undefined;
      const next = withCloudAnnouncement(change(row.object, now), now);
      written = { before: row, after: { ...row, object: next } };
      return next === row.object ? undefined : { next, writer: 'controller' };
    },
    seen,
  );
  return outcome === 'written' || written?.before.object === written?.after.object ? written : undefined;
};

const tell = async (
  { recorder }: CloudNodeDeps,
  { key: { name }, uid }: LiveRow,
  [was, is]: readonly [Node, Node],
): Promise<LookReport> => {
  const [before, after] = [drainRequestOf(was), drainRequestOf(is)];
  const target = nodeTarget(name, uid);
  if (after && after.id !== before?.id) {
    const text = leaving(name, 'maintenance', after.deadlineAt);
    await recorder.record(target, text, after.id);
    return { ...NOTHING, drained: 1 };
  }
  const said = scheduledOf(is)[0];
  if (!said || is === was) return NOTHING;
  const text = said.isOver ? maintenanceOver(name) : maintenanceAhead(name, said);
  await recorder.record(target, text, `${said.id}/${said.saidAt}`);
  return NOTHING;
};

const act = async (
  deps: CloudNodeDeps,
  row: LiveRow,
  change: (node: Node, now: EpochMs) => Node,
): Promise<LookReport> => {
  const written = await write(deps, row, change);
  if (!written) return NOTHING;
  await remember(deps, written.after);
  return tell(deps, row, [written.before.object, written.after.object]);
};

/** Acts on what a cloud says about maintenance of the machine of this Node. */
export const schedule = async (
  deps: CloudNodeDeps,
  word: ScheduledWord,
  name: string,
): Promise<LookReport> => {
  const [row] = await readNodes(deps, [name]);
  if (!row || !(await isHeeded(deps, row, word))) return NOTHING;
  return act(deps, row, (node, now) =>
    isNamedFor(node, word.instance) ? withScheduled(node, word, now, deps.config.maintenanceLeadMs) : node,
  );
};

/** Requests the drains of this Node that are due. */
export const drainDue = async (deps: CloudNodeDeps, name: string): Promise<LookReport> => {
  const [row] = await readNodes(deps, [name]);
  const key = { topic: 'planned-drain', name } as const;
  if (row) return act(deps, row, (node, now) => withDueDrains(node, instanceKey(providerIdOf(node)), now));
  const seen = await deps.control.sighting(key);
  if (seen) await deps.control.replaceSighting(key, seen, undefined);
  return NOTHING;
};
