/** The requests of the smoke test. */

import { printable } from '../../../shared/kube/text/printable.ts';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { ApiList } from '../../../shared/kube/types/meta.ts';
import { LABEL_EXCLUDE_DISRUPTION, LABEL_REGION } from '../../../shared/kube/types/well-known.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { ApiAccess } from '../../access/api-access.ts';
import { readAnswer } from '../../access/api-answer.ts';
import { ROLES } from '../../access/identities.ts';
import type { CommandContext } from '../../shell/command.ts';
import { Refused, type Seen, type SmokeCluster } from './ports.ts';

/** Most ms of one request. */
const WITHIN_MS = 10_000;
/** Seconds for which tokens count: longer than the test, whatever the grace period. The node's is void with the Node. */
const TOKEN_SECONDS = 3_600;
const LABEL = 'rollcall.dev/smoke-test';
const NODES = '/api/v1/nodes';
const OF_ROLLCALL = '/apis/rollcall.dev/v1/nodes';
const NOT_FOUND = 404;
const TOO_MANY = 429;
const CLIENT_ERRORS = 400;
const SERVER_ERRORS = 500;

/**
 * A Node that harms nobody. It is in a zone of its own by its region: with a label of zones it would be one more domain over which pods are to be spread. It is not
 * counted, so that neither its silence nor its being ready tells whether all zones are down. Nothing is scheduled to it.
 */
const nodeOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { [LABEL]: '', [LABEL_REGION]: name, [LABEL_EXCLUDE_DISRUPTION]: '' } },
  spec: { unschedulable: true, taints: [{ key: LABEL, effect: 'NoSchedule' }] },
  status: { capacity: { pods: '0' }, allocatable: { pods: '0' } },
});

const seenOf = ({ status, spec }: Node): Seen => ({
  ready: status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? '',
  noExecute: (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute').map(({ key }) => key),
});

interface Answer {
  readonly question: string;
  readonly verdict: string;
  readonly message: string;
  readonly because: readonly { readonly message: string }[];
}

interface Call {
  readonly method?: string;
  readonly url: string;
  readonly token: string;
  readonly body?: object;
}

type Fetch = CommandContext['fetch'];

/** Sends one request. Resolves with `undefined` for 404; rejects as `SmokeCluster` says. */
const send = async <T>(
  fetch: Fetch,
  ca: string | undefined,
  { method = 'GET', url, token, body }: Call,
): Promise<T | undefined> => {
  const response = await fetch(url, {
    method,
    ...optional('ca', ca),
    signal: AbortSignal.timeout(WITHIN_MS),
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    ...optional('body', body && JSON.stringify(body)),
  });
  const answer = await readAnswer<T>(response);
  const { ok, status } = response;
  if (ok) return answer;
  if (status === NOT_FOUND) return undefined;
  const text = `${status} ${printable(answer.message ?? 'without a reason')}`;
  const isFinal = status >= CLIENT_ERRORS && status < SERVER_ERRORS && status !== TOO_MANY;
  throw isFinal ? new Refused(text) : new Error(text);
};

/** The same for what must be there. */
const found = async <T>(answer: Promise<T | undefined>, what: string): Promise<T> => {
  const is = await answer;
  if (is === undefined) throw new Refused(`404, there is no ${what}`);
  return is;
};

const wordsOf = ({ message, because }: Answer): string =>
  printable([message, ...because.map((fact) => fact.message)].join('; '));

/** The requests about the node `name`. */
export const createSmokeCluster = (
  name: string,
  { server, ca, heartbeat, tokens }: ApiAccess,
  fetch: Fetch,
): SmokeCluster => {
  const admin = tokens(ROLES.admin, TOKEN_SECONDS);
  const ask = async <T>(method: string, path: string, body?: object): Promise<T | undefined> =>
    send<T>(fetch, ca, { method, url: `${server}${path}`, token: await admin(), ...optional('body', body) });
  const own = `${NODES}/${name}`;
  let token = '';
  return {
    others: async () => {
      const list = await found(
        ask<ApiList<Node>>('GET', `${NODES}?labelSelector=${encodeURIComponent(LABEL)}`),
        'list of nodes',
      );
      return list.items.map(({ metadata }) => metadata.name);
    },
    register: async () => {
      await found(ask('POST', NODES, nodeOf(name)), 'API of nodes');
    },
    enrol: async () => {
      const asked = ask<{ readonly status?: { readonly token?: string } }>(
        'POST',
        `${OF_ROLLCALL}/${name}/token`,
        {
          ttlSeconds: TOKEN_SECONDS,
        },
      );
      token = (await found(asked, `Node ${name}`)).status?.token ?? '';
      if (token === '') throw new Refused('an answer without a token');
    },
    beat: async () => {
      const url = `${await heartbeat()}${OF_ROLLCALL}/${name}/heartbeat`;
      const sent = send<{ readonly graceSeconds?: number }>(fetch, ca, {
        method: 'POST',
        url,
        token,
        body: {},
      });
      const { graceSeconds } = await found(sent, `Node ${name}`);
      if (graceSeconds === undefined)
        throw new Refused('an answer that is no receipt: is it the address for heartbeats?');
      return graceSeconds * 1000;
    },
    look: async () => {
      const node = await ask<Node>('GET', own);
      return node && seenOf(node);
    },
    explain: async (question) => {
      const asked = ask<{ readonly answers?: readonly Answer[] }>('GET', `${own}/explain`).catch(
        () => undefined,
      );
      const answer = (await asked)?.answers?.find((one) => one.question === question);
      return answer && { verdict: answer.verdict, message: wordsOf(answer) };
    },
    remove: async () => void (await ask('DELETE', own)),
  };
};
