/** Asks nodes what they use. Whoever asks within 15 s of another gets the same answers. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeToAsk } from '../../ports/outside/node-fetch.ts';
import type { Told } from '../../rules/metrics/metric-objects.ts';
import { type Asked, createAsking, MOST_WAIT_MS, NEW_MS, type NodeUsagesDeps } from './asking.ts';

/** The answers of nodes. */
export interface NodeUsages {
  /** What these nodes use, by name. Nodes that do not answer, and those that were not asked in time, are absent. Never rejects. */
  of(nodes: readonly NodeToAsk[], gone?: AbortSignal): Promise<ReadonlyMap<string, Told>>;
}

/** For how long a client waits for nodes that did not answer properly last time, or it would wait for them each time. */
const DOUBTFUL_WAIT_MS = 1_000;

/** Resolves when one of the signals aborts. */
const aborted = async (signals: readonly AbortSignal[]): Promise<void> => {
  const any = AbortSignal.any([...signals]);
  if (any.aborted) return;
  await new Promise<void>((resolve) => any.addEventListener('abort', () => resolve(), { once: true }));
};

const forgetOld = (asked: Map<string, Asked>, now: EpochMs): void => {
  for (const [uid, { until }] of asked) if (now >= until) asked.delete(uid);
};

interface Named {
  readonly name: string;
  readonly asked: Asked;
}

/** Puts what these have told into `found`, as it comes, until all are there or one of the signals aborts. */
const gather = async (
  questions: readonly Named[],
  found: Map<string, Told>,
  ends: readonly AbortSignal[],
): Promise<void> => {
  const answers = questions.map(async ({ name, asked }) => {
    const told = await asked.told;
    if (told) found.set(name, told);
  });
  await Promise.race([Promise.all(answers), aborted(ends)]);
};

/** Asks by `fetch`, and remembers answers for 15 s. */
export const createNodeUsages = (deps: NodeUsagesDeps): NodeUsages => {
  const { clock, timeout = AbortSignal.timeout } = deps;
  const known = new Map<string, Asked>();
  const begin = createAsking(deps);

  const question = ({ name, uid }: NodeToAsk): Named => {
    const asked = known.get(uid) ?? begin({ name, uid });
    known.set(uid, asked);
    return { name, asked };
  };

  /** The answers of a large fleet take memory. */
  const forgetLater = (): void =>
    timeout(2 * NEW_MS).addEventListener('abort', () => forgetOld(known, clock.now()), { once: true });

  return {
    of: async (nodes, gone) => {
      forgetOld(known, clock.now());
      const found = new Map<string, Told>();
      const questions = nodes.map(question);
      const within = (ms: number) => [timeout(ms), ...(gone ? [gone] : [])];
      const isDoubtful = ({ asked }: Named): boolean => asked.isDoubtful;
      await Promise.all([
        gather(
          questions.filter((one) => !isDoubtful(one)),
          found,
          within(MOST_WAIT_MS),
        ),
        gather(questions.filter(isDoubtful), found, within(DOUBTFUL_WAIT_MS)),
      ]);
      forgetLater();
      return new Map(found);
    },
  };
};
