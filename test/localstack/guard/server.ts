/** Stands between functions and LocalStack: refuses what AWS would refuse, and passes on the rest. */
import { once } from 'node:events';
import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Book, createBook } from './book.ts';
import { callsOf, type Scope, type SentRequest, scopeOf, targetOf } from './calls.ts';
import { type DrawFault, faultAnswer } from './faults.ts';
import { limitProblem } from './limits.ts';
import { type AwsCall, isAllowed, type Statement } from './policy.ts';
import type { Roles } from './roles.ts';
import { type Refusal, SEEN_PATH } from './seen.ts';
import { askingForUnits, type Consumed, consumedBy, kindOf } from './units.ts';

/** What the access key of a function begins with. Its name follows. */
const FUNCTION_KEY = 'fn-';
/** Before the path of a request to DynamoDB Local: its port. */
const DYNAMODB_PATH = /^\/_dynamodb\/(\d+)(?=\/|$)/;
const LOOPBACK = '127.0.0.1';

interface GuardDeps {
  /** LocalStack's port. */
  readonly port: number;
  readonly roles: Roles;
  /** Faults of functions' requests; absent: none. */
  readonly drawFault?: DrawFault;
}

/** Who sends a request, if it is a function: a test, or LocalStack itself, are not judged. */
const functionScopeOf = (sent: SentRequest): Scope | undefined => {
  const scope = scopeOf(sent);
  return scope?.accessKeyId.startsWith(FUNCTION_KEY) ? scope : undefined;
};

const functionOf = ({ accessKeyId }: Scope): string => accessKeyId.slice(FUNCTION_KEY.length);

const problemOf = (
  sent: SentRequest,
  calls: readonly AwsCall[],
  statements: readonly Statement[],
): Omit<Refusal, 'functionName'> | undefined => {
  const denied = calls.find((call) => !isAllowed(statements, call));
  if (denied) return { ...denied, why: `no identity-based policy allows the ${denied.action} action` };
  const why = limitProblem(targetOf(sent), sent.body);
  const [first] = calls;
  return first && why !== undefined ? { ...first, why } : undefined;
};

const judge = async (
  { roles }: GuardDeps,
  book: Book,
  sent: SentRequest,
  scope: Scope,
): Promise<Refusal | undefined> => {
  const functionName = functionOf(scope);
  const calls = callsOf(sent, scope);
  for (const call of calls) book.note(functionName, call);
  // A deploy changes a policy, and the function right after it.
  const problem =
    problemOf(sent, calls, await roles.recent(functionName)) &&
    problemOf(sent, calls, await roles.present(functionName));
  if (!problem) return undefined;
  const { action, resource, why } = problem;
  const refusal = { functionName, action, resource, why };
  book.refuse(refusal);
  return refusal;
};

const answerError = (response: ServerResponse, body: string): void => {
  response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
};

/** Whatever the reason: a function that goes on as if AWS had a fault would hide it. */
const refuse = (response: ServerResponse, { action, resource, why }: Refusal): void => {
  const message = `is not authorized to perform: ${action} on resource: ${resource} because ${why}`;
  answerError(
    response,
    JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message }),
  );
};

/** Connections stay: a new one for each request would cost as much as the request. */
const agent = new Agent({ keepAlive: true });

/** DynamoDB Local takes keys of letters and digits only, and LocalStack sees an account in some. */
const signedByTest = (headers: IncomingMessage['headers']): IncomingMessage['headers'] => {
  const { authorization } = headers;
  return authorization === undefined
    ? headers
    : { ...headers, authorization: authorization.replace(/Credential=[^/]+/, 'Credential=test') };
};

/** Whether the server closed an idle connection just when a request was sent on it: that is no fault of AWS. */
const isClosedWhileIdle = ({ reusedSocket }: ClientRequest, { code }: NodeJS.ErrnoException): boolean =>
  reusedSocket && code === 'ECONNRESET';

/** Where a request goes, and what becomes of its answer. */
interface Passage {
  readonly localStack: number;
  readonly isLost: boolean;
  /** What to ask for, and to whom to tell it; absent: the request consumes nothing. */
  readonly consumes?: Consuming | undefined;
}

interface Consuming {
  readonly kind: Consumed['kind'];
  readonly tell: (consumed: Consumed) => void;
}

/** Hands on the answer to a request of DynamoDB, and tells what it says of units. */
const handOn = async (
  sent: string,
  answer: IncomingMessage,
  response: ServerResponse,
  consumes?: Consuming,
): Promise<void> => {
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  if (!consumes || answer.statusCode !== 200) return void answer.pipe(response);
  const body = await text(answer);
  response.end(body);
  for (const consumed of consumedBy(consumes.kind, sent, body)) consumes.tell(consumed);
};

const passOn = (sent: IncomingMessage, body: string, response: ServerResponse, to: Passage): void => {
  const { method, url = '/', headers } = sent;
  const { localStack, isLost, consumes } = to;
  const [before = '', port] = DYNAMODB_PATH.exec(url) ?? [];
  const path = url.slice(before.length) || '/';
  const target = {
    host: LOOPBACK,
    port: port ?? localStack,
    method,
    path,
    agent,
    headers: {
      ...signedByTest(headers),
      // The question for units made it longer.
      ...(consumes ? { 'content-length': Buffer.byteLength(body) } : {}),
    },
  };
  const forwarded = request(target, (answer) => {
    if (isLost) {
      answer.resume();
      response.destroy();
      return;
    }
    handOn(body, answer, response, consumes).catch((error: unknown) => {
      process.stderr.write(`guard: ${method} ${path}: ${String(error)}\n`);
      response.destroy();
    });
  });
  forwarded.on('error', (error) => {
    if (isClosedWhileIdle(forwarded, error)) return passOn(sent, body, response, to);
    process.stderr.write(`guard: ${method} ${path}: ${String(error)}\n`);
    return response.destroy();
  });
  forwarded.end(body);
};

const consumingOf = (book: Book, scope: Scope, sent: SentRequest): Consuming | undefined => {
  const kind = kindOf(targetOf(sent));
  return kind && { kind, tell: (consumed) => book.consume(functionOf(scope), consumed) };
};

const serve = async (deps: GuardDeps, book: Book, message: IncomingMessage, response: ServerResponse) => {
  if (message.url === SEEN_PATH) return response.end(JSON.stringify(book.seen()));
  const sent = { headers: message.headers, body: await text(message) };
  const scope = functionScopeOf(sent);
  const refused = scope && (await judge(deps, book, sent, scope));
  if (refused) return refuse(response, refused);
  const fault = scope && deps.drawFault?.(targetOf(sent));
  if (fault !== undefined && fault !== 'lost') return answerError(response, faultAnswer(fault, sent.body));
  const to = { localStack: deps.port, isLost: fault === 'lost' };
  const consumes = scope && consumingOf(book, scope, sent);
  const body = consumes ? askingForUnits(sent.body) : sent.body;
  return passOn(message, body, response, { ...to, consumes });
};

/** Listens on a port of loopback; 0: a free one. */
export const startGuard = async (
  deps: GuardDeps,
  port = 0,
): Promise<{ readonly server: Server; readonly port: number }> => {
  const book = createBook();
  const server = createServer((message, response) => {
    serve(deps, book, message, response).catch((error: unknown) => {
      process.stderr.write(`guard: ${message.method} ${message.url}: ${String(error)}\n`);
      response.writeHead(500).end(String(error));
    });
  }).listen(port, LOOPBACK);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
};
