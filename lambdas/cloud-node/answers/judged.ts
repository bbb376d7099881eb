import type { CloudProvider } from '../../../shared/ports/outside/cloud-provider.ts';
import { type LiveRow, liveRow, nodeKey } from '../../../shared/ports/store/rows.ts';
import { isUninitialised } from '../../../shared/rules/cloud/initialise.ts';
import { type InstanceAnswer, providerIdOf } from '../../../shared/rules/cloud/instance.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { CloudNodeDeps } from '../deps.ts';

/** Nodes that are read or written at the same time. */
export const AT_ONCE = 16;

/** A Node as it was read, and what its provider says about its machine. */
export interface Judged {
  readonly row: LiveRow;
  readonly answer: InstanceAnswer;
  /** Another Node names the machine, too. */
  readonly isShared?: boolean;
}

/** The Nodes that are there, of those with these names. */
export const readNodes = async (
  { objects }: Pick<CloudNodeDeps, 'objects'>,
  names: readonly string[],
): Promise<readonly LiveRow[]> => {
  const rows = await inParallel(names, AT_ONCE, (name) => objects.read(nodeKey(name)));
  return rows.flatMap((row) => liveRow(row) ?? []);
};

/** A Node without a providerID that waits for no cloud belongs to none: a machine that only has curl, for example. */
const isOfCloud = ({ object }: LiveRow): boolean => providerIdOf(object) !== '' || isUninitialised(object);

/** Asks the provider about the machines of these Nodes. Of Nodes that belong to no cloud the answer is `unknown`. */
export const judge = async (cloud: CloudProvider, rows: readonly LiveRow[]): Promise<readonly Judged[]> => {
  const asked = rows.filter(isOfCloud);
  if (asked.length === 0) return rows.map((row) => ({ row, answer: 'unknown' }));
  const queries = asked.map(({ key, object }) => ({ nodeName: key.name, providerId: providerIdOf(object) }));
  const answers = await cloud.instances(queries);
  const byRow = new Map(asked.map((row, index) => [row, answers[index]]));
  return rows.map((row) => ({ row, answer: byRow.get(row) ?? 'unknown' }));
};
