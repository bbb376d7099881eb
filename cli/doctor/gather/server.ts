/** Asks an API how it is, and what a token may do there. It reads only: a review of access stores nothing. */
import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { parsedBody } from '../../../shared/client/api-client.ts';
import { createTransport, isLoopbackName, type Transport } from '../../../shared/client/transport.ts';
import { COMMAND } from '../../../shared/kube/json/answer-bounds.ts';
import { readBoundedText } from '../../../shared/kube/json/bounded-answer.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import { codeOf } from '../../../shared/serving/http/problem.ts';
import type { AccessFacts, ServerFacts } from '../facts/facts.ts';
import { bounded } from './bounded.ts';

/** Where the API is. */
export interface ServerTarget {
  readonly url: string;
  /** PEM. */
  readonly ca?: string | undefined;
  readonly token?: string | undefined;
  /** Whether somebody needs to know how many Nodes there are. */
  readonly countsNodes?: boolean;
}

/** Most ms of one request, and of the look at a name. */
const WITHIN_MS = 5_000;
/** Most ms for counting the Nodes. */
const COUNT_MS = 30_000;
/** Most nodes whose versions are looked at. */
const MOST_NODES = 500;

interface Needed {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly group?: string;
  readonly commands: string;
}

/** What commands ask of the API. */
const NEEDED: readonly Needed[] = [
  { verb: 'list', resource: 'nodes', commands: 'explain and kubectl get nodes' },
  { verb: 'watch', resource: 'nodes', commands: 'kubectl get nodes -w' },
  { verb: 'list', resource: 'zones', group: 'rollcall.dev', commands: 'explain and kubectl get zones' },
  { verb: 'patch', resource: 'nodes', commands: 'drain and kubectl cordon' },
  { verb: 'get', resource: 'pods', subresource: 'log', commands: 'kubectl logs' },
  { verb: 'create', resource: 'pods', subresource: 'exec', commands: 'kubectl exec' },
];

interface Answer {
  readonly status: number;
  readonly date: string | undefined;
  readonly body: unknown;
}

const read = async (response: IncomingMessage): Promise<Answer> => ({
  status: response.statusCode ?? 0,
  date: response.headers.date,
  body: parsedBody(await readBoundedText(response, COMMAND)),
});

const asker =
  (transport: Transport, token: string | undefined) =>
  async (path: string, body?: object): Promise<Answer> =>
    read(
      await transport.send({
        method: body === undefined ? 'GET' : 'POST',
        path,
        signal: AbortSignal.timeout(WITHIN_MS),
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
      }),
    );

type Ask = ReturnType<typeof asker>;

const OK = 200;
const UNAUTHORIZED = 401;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const isAllowed = (answer: Answer): boolean =>
  (answer.body as { readonly status?: { readonly allowed?: boolean } } | null)?.status?.allowed === true;

const accessOf = async (ask: Ask): Promise<AccessFacts> => {
  const answers = await Promise.all(
    NEEDED.map(async ({ commands, ...resourceAttributes }) => {
      const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
      const { verb, resource, subresource } = resourceAttributes;
      const permission = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
      return { permission, commands, answer: await ask(REVIEWS, { ...kind, spec: { resourceAttributes } }) };
    }),
  );
  return {
    isKnown: answers.every(({ answer }) => answer.status !== UNAUTHORIZED),
    refused: answers
      .filter(({ answer }) => !isAllowed(answer))
      .map(({ permission, commands }) => ({ permission, commands })),
  };
};

interface NodeList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly {
    readonly status?: { readonly nodeInfo?: { readonly kubeletVersion?: string } };
  }[];
}

const agentsOf = async (ask: Ask): Promise<Readonly<Record<string, number>>> => {
  const { items = [] } = (await ask(`/api/v1/nodes?limit=${MOST_NODES}`)).body as NodeList;
  const counts: Record<string, number> = {};
  for (const { status } of items) {
    const version = status?.nodeInfo?.kubeletVersion ?? '';
    counts[version] = (counts[version] ?? 0) + 1;
  }
  return counts;
};

/** Counts page by page: the API says of few lists how many follow. `undefined` if a page is refused: what is left is not known. */
const countNodes = async (ask: Ask): Promise<number | undefined> => {
  let count = 0;
  let after = '';
  do {
    const path = `/api/v1/nodes?limit=${MOST_NODES}&continue=${encodeURIComponent(after)}`;
    const { status, body } = await ask(path);
    if (status !== OK) return undefined;
    const { items = [], metadata } = body as NodeList;
    count += items.length;
    after = metadata?.continue ?? '';
  } while (after !== '');
  return count;
};

/** A second that the server shows has begun half a second ago, on average. */
const HALF_SECOND_MS = 500;

const offsetOf = ({ date }: Answer, sentAt: number, now: number): number | undefined =>
  date === undefined ? undefined : Date.parse(date) + HALF_SECOND_MS - (sentAt + now) / 2;

const answersOf = async (
  ask: Ask,
  { token, countsNodes }: ServerTarget,
): Promise<Omit<ServerFacts, 'url'>> => {
  const sentAt = Date.now();
  const ready = await ask('/readyz');
  const offsetMs = offsetOf(ready, sentAt, Date.now());
  const version = ((await bounded(ask('/version'), WITHIN_MS))?.body as { gitVersion?: string } | undefined)
    ?.gitVersion;
  const access = token !== undefined ? await bounded(accessOf(ask), WITHIN_MS) : undefined;
  const agents = access?.isKnown ? await bounded(agentsOf(ask), WITHIN_MS) : undefined;
  return {
    status: ready.status,
    ...optional('offsetMs', offsetMs),
    ...optional('version', version),
    ...optional('access', access),
    ...optional('agents', agents),
    ...optional(
      'nodes',
      countsNodes && access?.isKnown ? await bounded(countNodes(ask), COUNT_MS) : undefined,
    ),
  };
};

const dnsErrorOf = async (url: URL): Promise<string | undefined> => {
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(name) > 0 || isLoopbackName(url)) return undefined;
  return (
    (await bounded(
      lookup(name).then(() => '', codeOf),
      WITHIN_MS,
    )) ?? 'no answer'
  );
};

const errorCode = (error: unknown): string => {
  if (error instanceof Error && error.name === 'TimeoutError') return 'NO_ANSWER';
  return codeOf(error) || (error instanceof Error ? error.message : String(error));
};

/** The facts of a server. It never rejects. */
export const serverFacts = async (target: ServerTarget): Promise<ServerFacts> => {
  const { url, ca, token } = target;
  const parsed = URL.parse(url);
  if (parsed === null) return { url, error: 'it is no URL' };
  const dnsError = await dnsErrorOf(parsed);
  if (dnsError) return { url, dnsError };
  const transport = createTransport({ url: parsed, ca, timeoutMs: WITHIN_MS, maxSockets: 4 });
  try {
    return { url, ...(await answersOf(asker(transport, token), target)) };
  } catch (error) {
    return { url, error: errorCode(error) };
  } finally {
    transport.close();
  }
};
