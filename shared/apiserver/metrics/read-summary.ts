/** Reads what a node tells of its usage, pod by pod, so that other work has its turn between them. */
import { AnswerTooLarge } from '../../kube/json/bounded-answer.ts';
import { surveyJson } from '../../kube/json/json-members.ts';
import { type NodeUsage, nodeUsageIn, podUsageIn } from '../../rules/metrics/node-usage.ts';
import { type PodPart, summaryParts } from '../../rules/metrics/summary-parts.ts';

/** Values of one pod, and of a Summary without its pods: a pod of a hundred containers has 4,500. */
const MOST_VALUES = 6_000;
/** Values that are parsed in one turn. */
const VALUES_OF_TURN = 2_000;

const UTF8 = new TextDecoder();

const checkValues = (values: number, what: string): void => {
  if (values > MOST_VALUES) throw new AnswerTooLarge(`${what} has more than ${MOST_VALUES} values`);
};

const parsed = (text: string): unknown => JSON.parse(text) as unknown;

/** Calls `read` with each pod, a few in a turn. */
const inTurns = async (
  pods: readonly PodPart[],
  pause: () => Promise<unknown>,
  read: (pod: PodPart) => void,
): Promise<void> => {
  let values = 0;
  for (const pod of pods) {
    checkValues(pod.values, 'a pod');
    values += pod.values;
    if (values > VALUES_OF_TURN) {
      await pause();
      values = 0;
    }
    read(pod);
  }
};

/** `undefined`: it is no Summary. Throws `AnswerTooLarge`, and a `SyntaxError` for what is no JSON. `pause`: lets others have a turn. */
export const readSummary = async (
  body: Uint8Array,
  pause: () => Promise<unknown>,
): Promise<NodeUsage | undefined> => {
  const text = UTF8.decode(body);
  const { rest, pods } = summaryParts(text);
  checkValues(surveyJson(rest).values, 'the answer without its pods');
  const usage = nodeUsageIn(parsed(rest));
  if (!usage) return undefined;
  const all = new Map(usage.pods);
  await inTurns(pods, pause, ({ from, to }) => {
    for (const [name, pod] of podUsageIn(parsed(text.slice(from, to)))) all.set(name, pod);
  });
  return { ...usage, pods: all };
};
