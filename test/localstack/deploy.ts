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
  /** Milliseconds. */
  readonly deploy: number;
};

const ROOT = resolve(import.meta.dirname, '../..');
const BIN = resolve(ROOT, 'node_modules/.bin');
const ENVIRONMENT = 'aws://000000000000/us-east-1';

/** What CDK needs in an account before the first deploy. Returns the milliseconds that it took. */
export const bootstrap = (env: Environment): Promise<number> => cdk(['bootstrap', ENVIRONMENT], env);

/** Where the templates and the code of a deployment lie, once they are made. */
const assemblyOf = ({ outputsFile }: Deployment): string => resolve(dirname(outputsFile), 'cdk.out');

/** Makes what is deployed, of the project in the folder `root`. It needs no account, unless the state of another stack is taken over. */
export const synthesize = (deployment: Deployment, root = ROOT): Promise<number> =>
  cdk(['synth', '--quiet', ...appArguments(deployment)], deployment.env, root);

/** Deploys what was made before. */
export const deployAssembly = async (deployment: Deployment): Promise<Deployed> => {
  const { env, stackNames, outputsFile } = deployment;
  const deploy = await cdk(
    [
      'deploy',
      ...stackNames,
      '--app',
      assemblyOf(deployment),
      '--outputs-file',
      outputsFile,
      '--require-approval',
      'never',
      // Without a change set, which would be another wait for CloudFormation.
      '--method',
      'direct',
    ],
    env,
  );
  return { outputs: JSON.parse(await readFile(outputsFile, 'utf8')) as StackOutputs, deploy };
};

/** Makes a deployment and deploys it. */
export const deployStack = async (deployment: Deployment): Promise<StackOutputs> => {
  await synthesize(deployment);
  return (await deployAssembly(deployment)).outputs;
};

/** Deletes the stacks of a deployment that was deployed from here, except their retained resources. */
export const destroyStack = (deployment: Deployment): Promise<number> =>
  cdk(['destroy', ...deployment.stackNames, '--force', '--app', assemblyOf(deployment)], deployment.env);

const appArguments = (deployment: Deployment): string[] => [
  '--app',
  deployment.app,
  // Not cdk.out of the project: a synthesis locks its folder, and this one must not wait for another.
  '--output',
  assemblyOf(deployment),
  ...Object.entries(deployment.context ?? {}).flatMap(([name, value]) => ['--context', `${name}=${value}`]),
];

/** Runs the CDK CLI and returns the milliseconds it took. If it fails, throws an error with its output. */
const cdk = async (args: readonly string[], env: Environment, cwd = ROOT): Promise<number> => {
  const began = performance.now();
  const child = spawn(resolve(BIN, 'cdk'), ['--no-notices', '--no-version-reporting', ...args], {
    cwd,
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
