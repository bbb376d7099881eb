/** The smoke test: a node is registered, beats, falls silent, and comes back. It shows that beats, passes and taints work, and disturbs no other node. */
import { reasonOf } from '../../shell/command.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';
import { Refused, type Seen, type SmokeDeps, Stopped } from './ports.ts';
import { removeNode } from './remove-node.ts';
import { secondsOf } from './seconds.ts';
import { BACK, READY, type Step, TAINTED, unknownAfter } from './steps.ts';

/** Between two looks, or two tries. */
const PAUSE_MS = 500;
/** For how long a request is tried that has no answer. */
const REQUEST_MS = 15_000;

const smoke = verdictsOf('smoke');

/** Why the test ends here. */
class Ended extends Error {
  readonly verdict: Verdict;
  /** Whether the API has refused the node, so that there is none. */
  readonly isRefused: boolean;

  constructor(verdict: Verdict, isRefused = false) {
    super(verdict.words);
    this.verdict = verdict;
    this.isRefused = isRefused;
  }
}

const fail = (words: string, remedy: string): never => {
  throw new Ended(smoke.fail(words, remedy));
};

const pause = async ({ wait, checkStopped }: SmokeDeps): Promise<void> => {
  await wait(PAUSE_MS);
  checkStopped();
};

/** Tries a request until it has an answer. Throws `Ended` if it is refused, or has none for too long. */
const persist = async <T>(
  deps: SmokeDeps,
  what: string,
  remedy: string,
  ask: () => Promise<T>,
): Promise<T> => {
  const endsAt = deps.now() + REQUEST_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof Refused || deps.now() >= endsAt) fail(`${what}: ${reasonOf(error)}`, remedy);
    }
    await pause(deps);
  }
};

/** What a look finds; an error that another look may not have: its text. */
const lookOnce = async ({ node, cluster }: SmokeDeps): Promise<Seen | string> => {
  try {
    const seen = await cluster.look();
    return (
      seen ??
      fail(
        `${node} was deleted by somebody else`,
        'which client or cloud deletes nodes that it does not know?',
      )
    );
  } catch (error) {
    if (error instanceof Refused)
      return fail(`${node} cannot be read: ${error.message}`, 'look at the server');
    if (error instanceof Ended) throw error;
    return reasonOf(error);
  }
};

/** The verdict on a step that has taken too long. `last`: what the last look has found. */
const missed = async (
  deps: SmokeDeps,
  step: Step,
  startedAt: number,
  last: Seen | string,
): Promise<Verdict> => {
  const within = secondsOf(deps, startedAt);
  if (typeof last === 'string')
    return smoke.fail(
      `${step.missing} within ${within}, as far as is known: ${last}`,
      'does the API answer? rollcall doctor',
    );
  const told = await deps.cluster.explain(step.question);
  const words = `${step.missing} within ${within}${told ? `; the API says: ${told.message}` : ''}`;
  // Its rate is 0: all zones with nodes are down, or the settings and policies want that. Kubernetes does the same.
  return step === TAINTED && told?.verdict === 'HeldByZone'
    ? smoke.warn(words, 'run it again when nodes are tainted again')
    : smoke.fail(words, step.remedy);
};

/** Looks until the node is as the step wants it. Returns when; throws `Ended` if it does not come to that, but for a taint that is held back. */
const reach = async (deps: SmokeDeps, step: Step, startedAt: number): Promise<void> => {
  for (;;) {
    const seen = await lookOnce(deps);
    if (typeof seen !== 'string' && step.isDone(seen)) break;
    if (deps.now() - startedAt >= step.withinMs) {
      const verdict = await missed(deps, step, startedAt, seen);
      if (verdict.status === 'fail') throw new Ended(verdict);
      return deps.tell(verdict);
    }
    await pause(deps);
  }
  deps.tell(smoke.ok(`${step.done}, ${secondsOf(deps, startedAt)}`));
};

const BEATS = 'does the address for heartbeats answer? docs/runbook.md#heartbeat-server-errors';

/** Sends a beat. Returns the grace period (ms), and when it was sent. */
const beat = async (deps: SmokeDeps): Promise<{ readonly graceMs: number; readonly at: number }> => {
  let at = deps.now();
  const graceMs = await persist(deps, 'a beat has failed', BEATS, () => {
    at = deps.now();
    return deps.cluster.beat();
  });
  return { graceMs, at };
};

/** Nobody may call a node silent before its grace period is over. */
const checkPatience = (deps: SmokeDeps, startedAt: number, graceMs: number): void => {
  if (deps.now() - startedAt >= graceMs) return;
  fail(
    `Unknown after ${secondsOf(deps, startedAt)}, before the grace period of ${graceMs / 1000} s was over`,
    'does a policy give nodes a shorter grace period? Is the clock of the control plane right?',
  );
};

const TOKEN = 'is the token one of an administrator? rollcall token --admin';

const lifeOf = async (deps: SmokeDeps): Promise<void> => {
  await persist(deps, `${deps.node} gets no token`, TOKEN, deps.cluster.enrol);
  await reach(deps, READY, (await beat(deps)).at);
  const last = await beat(deps);
  await reach(deps, unknownAfter(last.graceMs), last.at);
  checkPatience(deps, last.at, last.graceMs);
  await reach(deps, TAINTED, deps.now());
  await reach(deps, BACK, (await beat(deps)).at);
};

/** It is not tried again: without an answer nobody knows whether it was carried out. */
const register = async (deps: SmokeDeps): Promise<void> => {
  const { node, cluster, now, tell } = deps;
  const startedAt = now();
  await cluster.register().catch((error: unknown) => {
    const verdict = smoke.fail(`${node} cannot be registered: ${reasonOf(error)}`, TOKEN);
    throw new Ended(verdict, error instanceof Refused);
  });
  tell(smoke.ok(`${node} is registered, ${secondsOf(deps, startedAt)}`));
};

/** Names what earlier tests have left. It is not deleted: another test may be running. */
const tellOthers = async (deps: SmokeDeps): Promise<void> => {
  const others = await persist(deps, 'nodes cannot be listed', TOKEN, deps.cluster.others);
  if (others.length === 0) return;
  deps.tell(
    smoke.warn(
      `left of an earlier test, unless one runs now: ${others.join(', ')}`,
      `kubectl delete node ${others.join(' ')}`,
    ),
  );
};

const verdictOf = (error: unknown): Verdict => {
  if (error instanceof Ended) return error.verdict;
  if (error instanceof Stopped) return smoke.fail('stopped before its end', 'run it again');
  return smoke.fail(`the test itself has failed: ${reasonOf(error)}`, 'please report it');
};

/** Gives the node a life, and removes it however that ends. */
const passThrough = async (deps: SmokeDeps): Promise<void> => {
  let isSure = false;
  try {
    await register(deps);
    isSure = true;
    await lifeOf(deps);
  } catch (error) {
    deps.tell(verdictOf(error));
    if (error instanceof Ended && error.isRefused) return;
  }
  deps.tell(await removeNode(deps, isSure));
};

/** Runs the test, and tells each step. Never rejects. */
export const smokeTest = async (deps: SmokeDeps): Promise<void> => {
  try {
    await tellOthers(deps);
    deps.checkStopped();
  } catch (error) {
    return deps.tell(verdictOf(error));
  }
  await passThrough(deps);
};
