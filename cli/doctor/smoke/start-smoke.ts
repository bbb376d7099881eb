/** The smoke test of the cluster that a command line chooses. */
import { randomBytes } from 'node:crypto';
import { findApi } from '../../access/api-access.ts';
import type { ClusterChoice } from '../../shell/cluster-options.ts';
import type { CommandContext } from '../../shell/command.ts';
import { stopSignal } from '../../shell/stop-signal.ts';
import type { Verdict } from '../facts/verdict.ts';
import { Stopped } from './ports.ts';
import { createSmokeCluster } from './smoke-cluster.ts';
import { smokeTest } from './smoke-test.ts';

/** Bytes of the random part of the name. */
const RANDOM = 4;

/** Runs the test, and tells each verdict. Returns whether Ctrl-C has ended it. Throws a `CommandError` if no cluster is found. */
export const startSmoke = async (
  choice: ClusterChoice,
  context: CommandContext,
  tell: (verdict: Verdict) => void,
): Promise<boolean> => {
  const node = `rollcall-smoke-${randomBytes(RANDOM).toString('hex')}`;
  const cluster = createSmokeCluster(node, await findApi(choice, context), context.fetch);
  let isStopped = false;
  const stopped = stopSignal().then(() => {
    isStopped = true;
    context.complain(`stopping: ${node} is deleted first; another Ctrl-C would leave it`);
  });
  await smokeTest({
    node,
    cluster,
    now: context.now,
    // After the first Ctrl-C the deletion still pauses between its tries.
    wait: (ms) => (isStopped ? context.wait(ms) : Promise.race([context.wait(ms), stopped])),
    checkStopped: () => {
      if (isStopped) throw new Stopped();
    },
    tell,
  });
  return isStopped;
};
