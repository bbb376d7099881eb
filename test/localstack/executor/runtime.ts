// Stands in for the Lambda runtime of Node: loads the handler, and exchanges JSON lines with executor.py over the
// socket whose descriptor is the first argument.
import dns from 'node:dns';
import { existsSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

type Context = {
  readonly awsRequestId: string;
  readonly invokedFunctionArn: string;
  readonly callbackWaitsForEmptyEventLoop: boolean;
  readonly functionName: string | undefined;
  readonly functionVersion: string | undefined;
  readonly memoryLimitInMB: string | undefined;
  readonly logGroupName: string | undefined;
  readonly logStreamName: string | undefined;
  getRemainingTimeInMillis(): number;
};
type Handler = ((event: unknown, context: Context) => unknown) & { [STREAMING]?: true };
type StreamingHandler = (event: unknown, response: Writable, context: Context) => unknown;
type Invocation = {
  readonly 'invoke-id': string;
  readonly 'invoked-function-arn': string;
  readonly 'trace-id'?: string;
  readonly payload: string;
  readonly deadline: number;
};

const STREAMING = Symbol('streaming');
const socket = new Socket({ fd: Number(process.argv[2]), readable: true, writable: true });
const send = (message: object, sent?: () => void): void => {
  socket.write(`${JSON.stringify(message)}\n`, () => sent?.());
};

// --- logs: the output of a function is sent back with the answer; LocalStack puts it into CloudWatch Logs ---

let logs = '';
let requestId: string | undefined;

const captureOutput = (stream: NodeJS.WriteStream): void => {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = (...args: unknown[]): boolean => {
    logs += String(args[0]);
    return write(...args);
  };
};

const jsonLine = (level: string, args: unknown[]): string => {
  const message = args.length === 1 && typeof args[0] === 'object' ? args[0] : format(...args);
  return JSON.stringify({ timestamp: new Date().toISOString(), level, requestId, message });
};

const textLine = (level: string, args: unknown[]): string =>
  `${new Date().toISOString()}\t${requestId}\t${level}\t${format(...args).replaceAll('\n', '\r')}`;

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

/** The levels that are logged. The function's log level has an effect in JSON format only. */
const loggedLevels = (isJson: boolean): readonly string[] => {
  const lowest = LEVELS.indexOf(
    (process.env['AWS_LAMBDA_LOG_LEVEL'] ?? '').toLowerCase() as (typeof LEVELS)[number],
  );
  return isJson ? LEVELS.slice(Math.max(0, lowest)) : LEVELS;
};

const patchConsole = (): void => {
  const isJson = process.env['AWS_LAMBDA_LOG_FORMAT'] === 'JSON';
  const line = isJson ? jsonLine : textLine;
  const logged = loggedLevels(isJson);
  for (const level of LEVELS) {
    const print = (...args: unknown[]): void => {
      process.stdout.write(`${line(level.toUpperCase(), args)}\n`);
    };
    console[level] = logged.includes(level) ? print : () => {};
  }
  console.log = console.info;
};

// --- response streaming: gathered, because LocalStack does not stream; it splits metadata and body at eight NULs ---

class GatheredResponse extends Writable {
  readonly #chunks: Buffer[] = [];
  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(Buffer.from(chunk));
    done();
  }
  setContentType(): void {}
  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

const streamFrom = (stream: Writable, metadata: object): Writable => {
  stream.write(JSON.stringify(metadata) + '\0'.repeat(8));
  return stream;
};

const offerStreaming = (): void => {
  const awslambda = {
    streamifyResponse: (handler: StreamingHandler) => Object.assign(handler, { [STREAMING]: true }),
    HttpResponseStream: { from: streamFrom },
  };
  Object.assign(globalThis, { awslambda });
};

const callStreaming = async (handler: Handler, event: unknown, context: Context): Promise<string> => {
  const response = new GatheredResponse();
  const finished = new Promise((done) => response.once('finish', done));
  await (handler as unknown as StreamingHandler)(event, response, context);
  await finished;
  return response.text();
};

// --- names: function URLs of LocalStack lead to this machine, also where nobody resolves them ---

const resolveFunctionUrls = (): void => {
  const { lookup } = dns;
  const here = (host: string): string =>
    /\.localhost(\.localstack\.cloud)?$/.test(host) ? '127.0.0.1' : host;
  dns.lookup = Object.assign(
    (host: string, ...rest: readonly unknown[]) => Reflect.apply(lookup, dns, [here(host), ...rest]),
    lookup,
  );
};

// --- errors ---

const failure = (error: unknown, type?: string): string =>
  JSON.stringify(
    error instanceof Error
      ? { errorType: type ?? error.name, errorMessage: error.message, trace: error.stack?.split('\n') ?? [] }
      : { errorType: type ?? typeof error, errorMessage: format(error), trace: [] },
  );

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

const exitOn = (type: string) => (error: unknown) => {
  console.error(type, error);
  if (requestId === undefined) process.exit(129);
  answer(false, failure(error, type), () => process.exit(129));
};

// --- the handler: "folder/file.name" ---

const moduleFile = (path: string): string => {
  const base = resolve(process.env['LAMBDA_TASK_ROOT'] ?? '.', path);
  const file = [base, `${base}.js`, `${base}.mjs`, `${base}.cjs`].find(
    (candidate) => existsSync(candidate) && statSync(candidate).isFile(),
  );
  if (file === undefined) throw named('Runtime.ImportModuleError', `Cannot find module '${path}'`);
  return file;
};

const exported = (loaded: Record<string, unknown>, name: string): unknown =>
  loaded[name] ?? (loaded['default'] as Record<string, unknown> | undefined)?.[name];

const loadHandler = async (): Promise<Handler> => {
  const spec = process.env['_HANDLER'] ?? '';
  const dot = spec.indexOf('.', spec.lastIndexOf('/') + 1);
  const loaded = await import(pathToFileURL(moduleFile(spec.slice(0, dot))).href);
  const handler = exported(loaded, spec.slice(dot + 1));
  if (typeof handler !== 'function')
    throw named('Runtime.HandlerNotFound', `${spec} is undefined or not exported`);
  return handler as Handler;
};

// --- invocations, one at a time ---

const contextOf = (invocation: Invocation): Context => ({
  awsRequestId: invocation['invoke-id'],
  invokedFunctionArn: invocation['invoked-function-arn'],
  callbackWaitsForEmptyEventLoop: true,
  functionName: process.env['AWS_LAMBDA_FUNCTION_NAME'],
  functionVersion: process.env['AWS_LAMBDA_FUNCTION_VERSION'],
  memoryLimitInMB: process.env['AWS_LAMBDA_FUNCTION_MEMORY_SIZE'],
  logGroupName: process.env['AWS_LAMBDA_LOG_GROUP_NAME'],
  logStreamName: process.env['AWS_LAMBDA_LOG_STREAM_NAME'],
  getRemainingTimeInMillis: () => Math.max(0, invocation.deadline - Date.now()),
});

const answer = (ok: boolean, payload: string, sent?: () => void): void => {
  const taken = logs;
  logs = '';
  requestId = undefined;
  send({ type: 'response', ok, payload, logs: taken }, sent);
};

const call = async (handler: Handler, invocation: Invocation): Promise<string> => {
  const event: unknown = JSON.parse(invocation.payload || '{}');
  const context = contextOf(invocation);
  if (handler[STREAMING]) return callStreaming(handler, event, context);
  return JSON.stringify(await handler(event, context)) ?? 'null';
};

const run = async (handler: Handler, invocation: Invocation): Promise<void> => {
  requestId = invocation['invoke-id'];
  process.env['_X_AMZN_TRACE_ID'] = invocation['trace-id'] ?? '';
  try {
    answer(true, await call(handler, invocation));
  } catch (error) {
    console.error('Invoke Error', error);
    answer(false, failure(error));
  }
};

const serve = (handler: Handler): void => {
  createInterface({ input: socket }).on('line', (line) => void run(handler, JSON.parse(line)));
  socket.on('close', () => process.exit(0)); // the executor is gone
  send({ type: 'ready' });
};

captureOutput(process.stdout);
captureOutput(process.stderr);
patchConsole();
offerStreaming();
resolveFunctionUrls();
process.on('uncaughtException', exitOn('Runtime.UnhandledException'));
process.on('unhandledRejection', exitOn('Runtime.UnhandledPromiseRejection'));

try {
  serve(await loadHandler());
} catch (error) {
  send({ type: 'init-error', payload: failure(error) }, () => process.exit(1));
}
