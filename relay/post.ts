/** Sends parts of a relay to the API, each alone or together as the API understands it, and takes the answers. */
import type { Upstream, UpstreamResponse } from '../gateway/upstream/upstream.ts';
import { SEQUENCE_HEADER } from '../shared/apiserver/relays/relay-batch.ts';
import { bytesAfter, inBatches, nextVersion, TOGETHER } from '../shared/rules/relays/batch-versions.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import type { Receipt, ReceiptHead, SiteBatch, SitePart } from './batches.ts';
import { createRefusalTeller, jsonOf, refusalOf } from './refusal.ts';
import type { Site } from './site.ts';

const PATH = '/apis/rollcall.dev/v1/heartbeats';

/**
 * How the last batch of a part ended. `outOfTurn`: the API had stored a later one than the relay knew. `otherVersion`: the API does not understand
 * several parts in one batch.
 */
export type Outcome = 'accepted' | 'outOfTurn' | 'otherVersion' | 'failed';

export interface PostDeps {
  readonly relay: string;
  readonly site: Site;
  readonly upstream: Upstream;
  /** The relay's token; it may be another one each time. */
  readonly token: () => string;
  readonly hostLog: Pick<HostLog, 'warn'>;
}

/** A part, and what is sent of it. */
interface Sent {
  readonly part: SitePart;
  readonly batch: SiteBatch;
  readonly text: string;
  readonly bytes: number;
  /** Tokens of nodes that join. */
  readonly tokens: number;
}

/** One request: what is sent of these parts, in this version. */
export interface Together {
  readonly version: 1 | 2;
  readonly sent: readonly Sent[];
}

/** What the API says to one of several parts. */
type PartAnswer = { readonly part: number; readonly message?: string } & (
  | (Omit<Receipt, keyof ReceiptHead> & { readonly code: 200 })
  | { readonly code: number; readonly sequence?: number }
);

type Outcomes = ReadonlyMap<number, Outcome>;

const allOf = (sent: readonly Sent[], outcome: Outcome): Outcomes =>
  new Map(sent.map(({ part }) => [part.number, outcome]));

/** So an API refuses what it does not understand; one that serves version 1 only finds no sequence, or a body that is too large. */
const NOT_UNDERSTOOD: readonly number[] = [400, 413];

const isReceipt = (answer: PartAnswer): answer is PartAnswer & Receipt => answer.code === 200;

/** Takes answers to batches: what they say of the nodes, and where the relay goes on from. */
const createTaking = ({ site, hostLog }: Pick<PostDeps, 'site' | 'hostLog'>) => {
  const teller = createRefusalTeller((error) =>
    hostLog.warn('the API refuses the batches of this relay', { error }),
  );
  const accepted = ({ part, batch }: Sent, receipt: Receipt): Outcome => {
    site.receive(part.number, batch, receipt);
    teller.accepted();
    return 'accepted';
  };
  const refused = ({ part }: Sent, code: number, stored: number, why: string): Outcome => {
    if (code === 409 && Number.isSafeInteger(stored)) {
      site.resume(part.number, stored);
      return 'outOfTurn';
    }
    teller.refused(why);
    return 'failed';
  };
  return {
    alone: (sent: Sent, answer: UpstreamResponse): Outcome =>
      answer.status === 200
        ? accepted(sent, jsonOf(answer) as Receipt)
        : refused(sent, answer.status, Number(answer.headers[SEQUENCE_HEADER]), refusalOf(answer)),
    among: (sent: Sent, answer: PartAnswer | undefined, head: ReceiptHead): Outcome => {
      if (!answer) return 'failed';
      if (isReceipt(answer)) return accepted(sent, { ...head, ...answer });
      const { code, sequence, message } = answer;
      return refused(sent, code, sequence ?? Number.NaN, `${code}: ${message}`);
    },
    refusedAll: (answer: UpstreamResponse): void => teller.refused(refusalOf(answer)),
  };
};

/** Creates what sends the parts of a relay. It begins with a part in each request, as every API understands it. */
export const createPost = ({ relay, site, upstream, token, hostLog }: PostDeps) => {
  const taking = createTaking({ site, hostLog });
  let version = nextVersion(undefined);
  let mostBytes: number = TOGETHER.bytes;

  const request = (text: string): Promise<UpstreamResponse> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token()}` };
    return upstream.send({ method: 'POST', path: PATH, headers, body: Buffer.from(text) });
  };
  const sentOf = (part: SitePart): Sent => {
    const batch = site.batch(part);
    const text = JSON.stringify(batch.body);
    return { part, batch, text, bytes: Buffer.byteLength(text), tokens: batch.enrolled.length };
  };
  const sendAlone = async (sent: Sent): Promise<Outcome> => {
    const answer = await request(JSON.stringify({ relay, ...sent.batch.body }));
    if (answer.status === 200) version = nextVersion((jsonOf(answer) as ReceiptHead).batchVersions);
    return taking.alone(sent, answer);
  };
  /** A line may be too thin for a large batch: one without an answer makes the next ones smaller. */
  const answered = async (text: string): Promise<UpstreamResponse> => {
    try {
      const answer = await request(text);
      mostBytes = bytesAfter(mostBytes, true);
      return answer;
    } catch (error) {
      mostBytes = bytesAfter(mostBytes, false);
      throw error;
    }
  };
  const sendTogether = async (sent: readonly Sent[]): Promise<Outcomes> => {
    const texts = sent.map(({ text }) => text).join();
    const answer = await answered(`{"version":2,"relay":${JSON.stringify(relay)},"parts":[${texts}]}`);
    if (NOT_UNDERSTOOD.includes(answer.status)) {
      version = 1;
      return allOf(sent, 'otherVersion');
    }
    if (answer.status !== 200) {
      taking.refusedAll(answer);
      return allOf(sent, 'failed');
    }
    const { parts, ...head } = jsonOf(answer) as ReceiptHead & { readonly parts: readonly PartAnswer[] };
    version = nextVersion(head.batchVersions);
    const answers = new Map(parts.map((one) => [one.part, one]));
    return new Map(
      sent.map((one) => [one.part.number, taking.among(one, answers.get(one.part.number), head)]),
    );
  };
  const outcomesOf = async ({ version: sentAs, sent }: Together): Promise<Outcomes> => {
    if (sentAs > 1) return sendTogether(sent);
    const outcomes = new Map<number, Outcome>();
    for (const one of sent) outcomes.set(one.part.number, await sendAlone(one));
    return outcomes;
  };

  return {
    /** The first requests for these parts, at most so many, with ages as of now. */
    requests: (parts: readonly SitePart[], most: number): readonly Together[] => {
      if (version === 1) return parts.slice(0, most).map((part) => ({ version: 1, sent: [sentOf(part)] }));
      const batches = inBatches(parts.slice(0, most * TOGETHER.parts).map(sentOf), mostBytes);
      return batches.slice(0, most).map((sent) => ({ version: 2, sent }));
    },
    /** Whether several parts go into one request. */
    isTogether: (): boolean => version > 1,
    /** Sends one request. Resolves with the outcome for each part, by its number. */
    send: async (together: Together): Promise<Outcomes> => {
      try {
        return await outcomesOf(together);
      } catch {
        // The upstream tells once that it is unreachable, and once that it answers again.
        return allOf(together.sent, 'failed');
      }
    },
  };
};
