/** Whether a word about a machine is acted on: only if the provider, or an administrator, names the Node for the machine. */
import { nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import type { LiveRow } from '../../../shared/ports/store/rows.ts';
import { hasMachine } from '../../../shared/rules/cloud/instance.ts';
import { isNamedFor } from '../../../shared/rules/cloud/verified-machine.ts';
import type { CloudNodeDeps } from '../deps.ts';
import { machineDoubted } from './events.ts';

/** A word about the machine of a Node. `id` names it: it is told once. */
interface WordOf {
  readonly instance: string;
  readonly id: string;
}

/** A Node that only names the machine itself is told of a word on which nothing is done. */
export const isHeeded = async (
  { recorder }: Pick<CloudNodeDeps, 'recorder'>,
  row: LiveRow | undefined,
  { instance, id }: WordOf,
): Promise<boolean> => {
  if (!row || !hasMachine(row.object, instance)) return row !== undefined && isNamedFor(row.object, instance);
  if (isNamedFor(row.object, instance)) return true;
  const held = `What its cloud says about ${instance} is not acted on.`;
  const text = machineDoubted(row.key.name, 'MachineNotVerified', held);
  await recorder.record(nodeTarget(row.key.name, row.uid), text, id);
  return false;
};
