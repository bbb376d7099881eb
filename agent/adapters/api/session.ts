/** Requests of one machine to its control plane, on connections that stay open. */
import {
  type ApiAnswer,
  type CallOptions,
  createApiClient,
  STRATEGIC_MERGE_PATCH,
} from '../../../shared/client/api-client.ts';
import type { ProxyVariables } from '../../../shared/client/transport.ts';
import { WORK } from '../../../shared/kube/json/answer-bounds.ts';
import { connectionAdvice } from '../../rules/registration/connection-problem.ts';
import { type BeatTarget, createBeatClient } from './beat-client.ts';

export interface Addresses {
  /** URL of the API. */
  readonly server: string;
  /** URLs for heartbeats, if they are others; they are tried in this order. */
  readonly heartbeatServers?: readonly string[];
  /** PEM of the authority that signed the server's certificate; absent: one that Node knows. */
  readonly ca?: string;
  /** Has HTTPS_PROXY and the like; absent: no proxy. */
  readonly proxies?: ProxyVariables;
}

export interface RequestOptions extends Omit<CallOptions, 'mediaType'> {
  readonly body?: object;
  /** Whether the body of a PATCH is a strategic merge patch. */
  readonly isStrategic?: boolean;
  /** Whether it goes to the address for heartbeats. */
  readonly isBeat?: boolean;
}

export interface ApiSession {
  /** The answer, also if it is an error; rejects if there is none, or none of the API. */
  request(method: string, path: string, options?: RequestOptions): Promise<ApiAnswer>;
  /** Closes all connections: one of them may be dead. The next request connects anew. */
  reset(): void;
}

/** An answer that is an error. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  /** As in `Status`, such as `AlreadyExists`. */
  readonly reason: string;

  constructor({ status, body }: Pick<ApiAnswer, 'status' | 'body'>) {
    const { message, reason = '' } = (body ?? {}) as { readonly message?: string; readonly reason?: string };
    super(`the API answered ${status}: ${message ?? String(body).slice(0, 200)}`);
    this.status = status;
    this.reason = reason;
  }
}

/** The body of an answer below 300. Throws `ApiRefusal` for any other. */
export const bodyOf = <T>(answer: ApiAnswer): T => {
  if (answer.status < 300) return answer.body as T;
  throw new ApiRefusal(answer);
};

/** The same; `undefined` if the API has no such object. */
export const bodyIfThere = <T>(answer: ApiAnswer): T | undefined =>
  answer.status === 404 ? undefined : bodyOf<T>(answer);

export interface SessionDeps {
  readonly addresses: Addresses;
  /** The token to send, which may be another one each time. */
  token(): string;
  /** Milliseconds since the machine or the process was started. */
  uptime?(): number;
  /** Told of each answer that says who the sender is not (401), and of each other one. */
  onAnswer?(answer: Pick<ApiAnswer, 'status' | 'body'>): void;
  /** Told of the address of heartbeats when another one than before has answered, and what was wrong with that one. */
  onBeatAddress?(url: string, problem?: string): void;
}

/** No answer came; the message says what may be wrong. */
const explained = (error: unknown, server: string, hasAuthority: boolean): unknown => {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const advice = connectionAdvice(error.code, { server, hasAuthority });
  return advice === undefined ? error : new Error(`${server}: ${error.message}: ${advice}`, { cause: error });
};

/** Statuses of pods are sent eight at a time, and leave room for others. Beats never wait for other requests. */
const MOST_SOCKETS = 12;
const BEAT_SOCKETS = 1;

/** What a proxy or a page for a login answers in the place of the API is no answer of it. */
const checkForm = ({ status, body }: ApiAnswer): void => {
  const isAnswer = status >= 300 || status === 204 || (typeof body === 'object' && body !== null);
  if (isAnswer) return;
  const shown = typeof body === 'string' ? body.slice(0, 80) : typeof body;
  throw new Error(`the answer ${status} is not from the API, or was cut: ${shown}`);
};

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

export const createApiSession = ({
  addresses,
  token,
  onAnswer,
  onBeatAddress,
  uptime = () => performance.now(),
}: SessionDeps): ApiSession => {
  const { server, heartbeatServers = [], ca, proxies } = addresses;
  const clientOf = (url: string, maxSockets: number) =>
    createApiClient(withoutSlash(url), ca, maxSockets, { proxies, bounds: WORK });
  const api = clientOf(server, MOST_SOCKETS);
  const beatTarget = (url: string): BeatTarget => ({ url, client: clientOf(url, BEAT_SOCKETS) });
  const [first = server, ...others] = heartbeatServers;
  const beats = createBeatClient([beatTarget(first), ...others.map(beatTarget)], uptime, onBeatAddress);
  return {
    request: async (method, path, { body, isStrategic, isBeat, ...rest } = {}) => {
      const options = { ...rest, ...(isStrategic ? { mediaType: STRATEGIC_MERGE_PATCH } : {}) };
      const send = async ({ client, url }: BeatTarget): Promise<ApiAnswer> => {
        const answer = await client.call(method, path, token(), body, options).catch((error: unknown) => {
          throw explained(error, url, ca !== undefined);
        });
        checkForm(answer);
        return answer;
      };
      const answer = await (isBeat ? beats.send(send) : send({ client: api, url: server }));
      onAnswer?.(answer);
      return answer;
    },
    reset: () => {
      api.close();
      beats.close();
    },
  };
};
