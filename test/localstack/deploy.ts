// Deploys CDK stacks into LocalStack with the project's own CDK CLI.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { childEnvironment, type Environment } from './localstack.ts';

export type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;
export type Deployment = {
  /** The CDK app's command, such as "node cdk/app.ts". */
  readonly app: string;
  readonly stackNames: readonly string[];
  readonly context?: Readonly<Record<string, string>>;
  readonly env: Environment;
  readonly outputsFile: string;
};
export type Deployed = {
  readonly outputs: StackOutputs;
  readonly milliseconds: { readonly bootstrap: number; readonly deploy: number };
};

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = resolve(ROOT, 'node_modules/.bin');
const ENVIRONMENT = 'aws://000000000000/us-east-1';

const bootstraps = new Map<string, Promise<number>>();

/**
 * Bootstraps once per LocalStack. A caller may start it early, to do something else meanwhile; `deployStack` then waits for it.
 */
export const bootstrap = (env: Environment): Promise<number> => {
  const endpoint = env['AWS_ENDPOINT_URL'] ?? '';
  const running = bootstraps.get(endpoint) ?? cdk(['bootstrap', ENVIRONMENT], env);
  bootstraps.set(endpoint, running);
  return running;
};

export const deployStack = async (deployment: Deployment): Promise<Deployed> => {
  const { env, outputsFile } = deployment;
  const bootstrapped = await bootstrap(env);
  const deployed = await cdk(deployArguments(deployment), env);
  const outputs = JSON.parse(await readFile(outputsFile, 'utf8')) as StackOutputs;
  return { outputs, milliseconds: { bootstrap: bootstrapped, deploy: deployed } };
};

/** Deletes the stacks of a deployment, except their retained resources. Returns the milliseconds that it took. */
export const destroyStack = (deployment: Deployment): Promise<number> =>
  cdk(['destroy', ...deployment.stackNames, '--force', ...appArguments(deployment)], deployment.env);

const appArguments = ({ app, context = {}, outputsFile }: Deployment): string[] => [
  ...['--app', app],
  // Not cdk.out of the project: a synthesis locks its folder, and this one must not wait for another.
  ...['--output', resolve(dirname(outputsFile), 'cdk.out')],
  ...Object.entries(context).flatMap(([name, value]) => ['--context', `${name}=${value}`]),
];

const deployArguments = (deployment: Deployment): string[] => [
  'deploy',
  ...deployment.stackNames,
  ...appArguments(deployment),
  ...['--outputs-file', deployment.outputsFile, '--require-approval', 'never'],
  // Without a change set, which would be another wait for CloudFormation.
  ...['--method', 'direct'],
];

/** Runs the CDK CLI and returns the milliseconds it took. If it fails, throws an error with its output. */
const cdk = async (args: readonly string[], env: Environment): Promise<number> => {
  const began = performance.now();
  const child = spawn(resolve(BIN, 'cdk'), ['--no-notices', '--no-version-reporting', ...args], {
    cwd: ROOT,
    env: cdkEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${output}`);
  return Math.round(performance.now() - began);
};

const cdkEnvironment = (env: Environment): NodeJS.ProcessEnv => ({
  ...childEnvironment(env),
  // The project's Node for the CLI and for the app it runs, not the one installed on the machine.
  PATH: [BIN, process.env['PATH']].join(delimiter),
  CDK_DISABLE_VERSION_CHECK: 'true',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
});
