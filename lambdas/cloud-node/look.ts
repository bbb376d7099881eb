/** Looks at Nodes: what does the provider say about their machines? */

import { type CloudProvider, CloudUnavailableError } from '../../shared/ports/outside/cloud-provider.ts';
import { cloudStep, isUnsettled, nextLookSeconds } from '../../shared/rules/cloud/cloud-step.ts';
import { claimedKey, instanceKey, providerIdOf } from '../../shared/rules/cloud/instance.ts';
import { isNamedBy, operatorMachine } from '../../shared/rules/cloud/verified-machine.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { apply } from './answers/apply.ts';
import { AT_ONCE, type Judged, judge, readNodes } from './answers/judged.ts';
import { rememberNode } from './answers/known-instances.ts';
import { isBelieved } from './answers/witnesses.ts';
import { type CloudNodeDeps, type LookReport, NOTHING } from './deps.ts';
import type { NodesMessage } from './message.ts';
import { CLOUD_NODE_QUEUE } from './queue.ts';

/** `tries`: looks in a row that settled nothing. `isSwept`: only the next sweep looks again. */
export type LookOptions = Partial<Pick<NodesMessage, 'tries' | 'isSwept'>>;

/** The key of a Node's machine. The Node's own word comes first: whoever asks by name may get another machine. */
const machineOf = ({ row, answer }: Judged): string => {
  if (providerIdOf(row.object) !== '' || typeof answer === 'string') return claimedKey(row.object);
  return instanceKey(answer.providerId);
};

/** Also the machine for which an administrator names the Node, or its events would reach no Node. Resolves to whether another Node names the machine, too. */
const remember = async (deps: CloudNodeDeps, judged: Judged): Promise<boolean> => {
  const { row, answer } = judged;
  const nodeName = row.key.name;
  const machine = machineOf(judged);
  const given = operatorMachine(row.object);
  if (given !== '' && given !== machine)
    await rememberNode(deps, { instance: given, nodeName, isNamed: true });
  if (machine === '') return false;
  const isNamed = given === machine || isNamedBy(row.object, answer);
  return rememberNode(deps, { instance: machine, nodeName, isNamed });
};

const wouldGo =
  (deps: CloudNodeDeps) =>
  ({ row, answer }: Judged): boolean => {
    const step = cloudStep(row.object, answer, deps.clock.now());
    return step.does === 'delete' && step.isMissing;
  };

const again = async (
  deps: CloudNodeDeps,
  { tries = 0, isSwept = false }: LookOptions,
  names: readonly string[],
): Promise<void> => {
  // Each sweep would begin another row of looks.
  if (names.length === 0 || isSwept) return;
  const body = { v: 1, kind: 'nodes', names, tries: tries + 1 };
  await deps.queues.send(CLOUD_NODE_QUEUE.name, [{ body, delaySeconds: nextLookSeconds(tries) }]);
};

const act = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  judged: readonly Judged[],
): Promise<LookReport> => {
  const doubtful = judged.filter(wouldGo(deps));
  const isOf = new Set(doubtful);
  const isTrusted = doubtful.length === 0 || (await isBelieved(deps, cloud, judged));
  const due = isTrusted ? judged : judged.filter((one) => !isOf.has(one));
  const done = await inParallel(due, AT_ONCE, async (one) => {
    const isShared = await remember(deps, one);
    return apply(deps, { ...one, isShared });
  });
  return {
    ...NOTHING,
    deleted: done.filter((one) => one === 'deleted').length,
    initialised: done.filter((one) => one === 'initialised').length,
    distrusted: isTrusted ? 0 : doubtful.length,
  };
};

/**
 * Looks at the Nodes with these names and their machines. If the provider cannot answer, or the answer will change soon, it looks again later:
 * nothing is lost. Throws if a Node could not be written.
 */
export const lookAt = async (
  deps: CloudNodeDeps,
  cloud: CloudProvider,
  names: readonly string[],
  options: LookOptions = {},
): Promise<LookReport> => {
  const rows = await readNodes(deps, names);
  try {
    const judged = await judge(cloud, rows);
    const report = await act(deps, cloud, judged);
    const unsettled = judged.filter(({ row, answer }) => isUnsettled(row.object, answer));
    await again(
      deps,
      options,
      unsettled.map(({ row }) => row.key.name),
    );
    return report;
  } catch (error) {
    if (!(error instanceof CloudUnavailableError)) throw error;
    await again(deps, options, names);
    return { ...NOTHING, unanswered: names.length, error };
  }
};
