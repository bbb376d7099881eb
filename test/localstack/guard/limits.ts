/** Limits of AWS on single requests that LocalStack does not have. Sources: SQS and EventBridge, "Quotas". */

interface Message {
  readonly Id?: string;
  readonly MessageBody?: string;
  readonly DelaySeconds?: number;
}

const MOST_ENTRIES = 10;
const MOST_BYTES = 1_048_576;
/** Ours, not AWS's, which takes 1 MiB: SQS bills each 64 KB as a request. */
const MESSAGE_BUDGET = 262_144;
const LONGEST_DELAY = 900;

const bytesOf = (text: string): number => Buffer.byteLength(text);

const messageProblem = ({ MessageBody = '', DelaySeconds = 0 }: Message): string | undefined => {
  const bytes = bytesOf(MessageBody);
  if (bytes > MESSAGE_BUDGET) return `a message of ${bytes} bytes, budget ${MESSAGE_BUDGET}`;
  return DelaySeconds >= 0 && DelaySeconds <= LONGEST_DELAY
    ? undefined
    : `a delay of ${DelaySeconds} s, limit ${LONGEST_DELAY}`;
};

const entriesProblem = (entries: readonly object[], text: string): string | undefined => {
  if (entries.length === 0 || entries.length > MOST_ENTRIES)
    return `${entries.length} entries, limit ${MOST_ENTRIES}`;
  const bytes = bytesOf(text);
  return bytes > MOST_BYTES ? `${bytes} bytes, limit ${MOST_BYTES}` : undefined;
};

const batchProblem = (
  { Entries = [] }: { Entries?: readonly Message[] },
  text: string,
): string | undefined => {
  const ids = new Set(Entries.map(({ Id }) => Id));
  return (
    entriesProblem(Entries, text) ??
    (ids.size < Entries.length ? 'two entries of one id' : undefined) ??
    Entries.map(messageProblem).find((problem) => problem !== undefined)
  );
};

const LIMITS: Readonly<Record<string, (body: object, text: string) => string | undefined>> = {
  'AmazonSQS.SendMessage': messageProblem,
  'AmazonSQS.SendMessageBatch': batchProblem,
  'AWSEvents.PutEvents': ({ Entries = [] }: { Entries?: readonly object[] }, text) =>
    entriesProblem(Entries, text),
};

/** Which limit a request is beyond; `undefined`: none. `target`: the header that names the operation. `text`: its body, read only if there is a limit. */
export const limitProblem = (target: string, text: string): string | undefined =>
  LIMITS[target]?.(JSON.parse(text) as object, text);
