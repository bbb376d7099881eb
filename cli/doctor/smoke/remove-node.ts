/** Removes the node of the smoke test, however the test has ended. */
import { reasonOf } from '../../shell/command.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';
import { Refused, type SmokeDeps } from './ports.ts';
import { secondsOf } from './seconds.ts';

/** For how long the deletion is tried. */
const TRIED_MS = 60_000;
const PAUSE_MS = 2_000;
/** A registration that had no answer may be carried out until then. */
const UNSURE_MS = 15_000;

const smoke = verdictsOf('smoke');

const left = (node: string, why: string): Verdict =>
  smoke.fail(`${node} could not be deleted, and is left: ${why}`, `kubectl delete node ${node}`);

/** Whether the node is gone; otherwise why it is not. */
const tryOnce = async ({ cluster }: SmokeDeps): Promise<true | string | Refused> => {
  try {
    await cluster.remove();
    return (await cluster.look()) === undefined || 'something holds it, such as a finalizer';
  } catch (error) {
    return error instanceof Refused ? error : reasonOf(error);
  }
};

/**
 * Deletes the node, and tries again for a minute. `isSure`: the API has said that the node is there; otherwise it is looked for some time longer, as it may still
 * come. Never rejects: the verdict names a node that is left.
 */
export const removeNode = async (deps: SmokeDeps, isSure: boolean): Promise<Verdict> => {
  const { node, now, wait } = deps;
  const startedAt = now();
  const [sureAt, endsAt] = [isSure ? startedAt : startedAt + UNSURE_MS, startedAt + TRIED_MS];
  for (;;) {
    const result = await tryOnce(deps);
    if (result === true && now() >= sureAt)
      return smoke.ok(`${node} is deleted, ${secondsOf(deps, startedAt)}`);
    if (result instanceof Refused) return left(node, result.message);
    if (result !== true && now() >= endsAt) return left(node, result);
    await wait(PAUSE_MS);
  }
};
