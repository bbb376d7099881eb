/**
 * `npm run test:integration [-- --real-times] [vitest arguments]`: deploys the stack on LocalStack and runs the suite
 * against its URLs. `--real-times` takes Kubernetes' own periods; without it all times are divided by five.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bootstrap, deployAssembly, synthesize } from '../localstack/deploy.ts';
import type { LocalStack } from '../localstack/localstack.ts';
import { childEnvironment, isSkipped, prepareLocalStack } from '../localstack/localstack.ts';
import type { Profile } from './profile.ts';
import { deploymentOf, FAST, REAL } from './profile.ts';

const FOLDER = resolve('test-results/integration');

const runVitest = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const vitest = resolve('node_modules/.bin/vitest');
  const child = spawn(vitest, ['run', '--project', 'integration', ...args], { stdio: 'inherit', env });
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : 1;
};

const report = (milliseconds: Readonly<Record<string, number>>): void => {
  const parts = Object.entries(milliseconds).map(([name, ms]) => `${name} ${(ms / 1000).toFixed(1)} s`);
  process.stdout.write(`stack on LocalStack: ${parts.join(', ')}\n`);
  writeFileSync(`${FOLDER}/stack.json`, JSON.stringify(milliseconds));
};

const deployAndTest = async (
  localStack: LocalStack,
  profile: Profile,
  args: readonly string[],
): Promise<number> => {
  const deployment = deploymentOf(profile, localStack.env, FOLDER);
  const [bootstrapped] = await Promise.all([bootstrap(localStack.env), synthesize(deployment)]);
  const { outputs, deploy } = await deployAssembly(deployment);
  report({ ...localStack.milliseconds, bootstrap: bootstrapped, deploy });
  const env = {
    ...childEnvironment(localStack.env),
    ROLLCALL_PROFILE: profile.name,
    DYNAMODB_ENDPOINT: localStack.endpoint,
    SQS_ENDPOINT: localStack.endpoint,
  };
  return runVitest(args, { ...env, ROLLCALL_OUTPUTS: JSON.stringify(outputs[profile.stackName]) });
};

const skip = (reason: string): number => {
  const required = process.env['ROLLCALL_NO_SKIP'] === '1';
  process.stdout.write(
    `${required ? 'not allowed to be skipped' : 'skipped'}: integration tests: ${reason}\n`,
  );
  return required ? 1 : 0;
};

const main = async (args: readonly string[]): Promise<number> => {
  mkdirSync(FOLDER, { recursive: true });
  const localStack = await prepareLocalStack();
  if (isSkipped(localStack)) return skip(localStack.skipped);
  const profile = args.includes('--real-times') ? REAL : FAST;
  try {
    return await deployAndTest(
      localStack,
      profile,
      args.filter((arg) => arg !== '--real-times'),
    );
  } finally {
    await localStack.stop();
  }
};

process.exitCode = await main(process.argv.slice(2));
