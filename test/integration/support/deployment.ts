import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { type FunctionUrlRequest, request } from '../../localstack/function-url.ts';
import type { Environment } from '../../localstack/localstack.ts';
import type { Profile } from '../profile.ts';
import { FAST, REAL } from '../profile.ts';

const required = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by "npm run test:integration"`);
  return value;
};

/** Outputs of the deployed stack, as `cdk deploy` prints them. */
export const outputs = JSON.parse(required('ROLLCALL_OUTPUTS')) as Readonly<Record<string, string>>;

/** One output; it names the ones that exist when it is missing. */
export const output = (name: string): string => {
  const value = outputs[name];
  if (!value) throw new Error(`the stack has no output ${name}; it has ${Object.keys(outputs).join(', ')}`);
  return value;
};

export const profile: Profile = required('ROLLCALL_PROFILE') === 'real' ? REAL : FAST;

/** The variables that lead to this AWS. */
export const awsEnvironment = (): Environment =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('AWS_'))) as Environment;

/** What the command `rollcall` prints, without the last line break; of the code in the folder `of`, else of today's. */
export const rollcall = (args: readonly string[], of = '.'): string =>
  execFileSync(resolve('node_modules/.bin/node'), ['cli/rollcall.js', ...args], {
    cwd: of,
    encoding: 'utf8',
  }).trim();

/** A token made by the command that the README names, of the code that was deployed first. */
export const cliToken = (...args: readonly string[]): string =>
  rollcall(['token', '--stack', profile.stackName, ...args], process.env['ROLLCALL_COMMANDS']);

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly token?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly on?: 'ApiUrl' | 'HeartbeatUrl';
}

const parsed = (text: string): unknown => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

const isStatus = (body: unknown): boolean => (body as { kind?: string } | undefined)?.kind === 'Status';

const bodyText = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

/** Headers and body of a request, for a function URL. */
export const requestWith = ({
  token,
  body,
  contentType,
}: Pick<Call, 'token' | 'body' | 'contentType'>): Pick<FunctionUrlRequest, 'headers' | 'body'> => ({
  headers: {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
  },
  ...(body === undefined ? {} : { body: bodyText(body) }),
});

/** One request to a URL of the stack. */
export const call = async <T = unknown>({
  method,
  path,
  on = 'ApiUrl',
  ...rest
}: Call): Promise<Answer<T>> => {
  const response = await request({ url: output(on), method, path, ...requestWith(rest) });
  return { status: response.status, body: parsed(response.body) as T };
};

/** A failure of the platform itself, such as an environment that a redeploy replaced. A client tries again. */
export class PlatformFailure extends Error {
  override readonly name = 'PlatformFailure';
}

/** The same, for calls that must succeed. */
export const must = async <T = unknown>(given: Call): Promise<T> => {
  const { status, body } = await call<T>(given);
  if (status >= 500 && !isStatus(body)) throw new PlatformFailure(JSON.stringify(body));
  if (status >= 300)
    throw new Error(`${given.method} ${given.path} answered ${status}: ${JSON.stringify(body)}`);
  return body;
};
