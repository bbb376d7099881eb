/**
 * `npm run test:integration [-- --real-times] [vitest arguments]`: deploys the stack on LocalStack and runs the suite
 * against its URLs. `--real-times` takes Kubernetes' own periods; without it all times are divided by five.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bootstrap, deployAssembly, synthesize } from '../localstack/deploy.ts';
import type { LocalStack } from '../localstack/localstack.ts';
import { childEnvironment, isSkipped, prepareLocalStack } from '../localstack/localstack.ts';
import { markedSeconds } from '../runner/processor-time.ts';
import type { Profile } from './profile.ts';
import { deploymentOf, FAST, REAL } from './profile.ts';
import { fileTimesText } from './times.ts';

const FOLDER = resolve('test-results/integration');
const FILE_TIMES = `${FOLDER}/file-times.jsonl`;
/** By which the processes of the run are found. */
const OWN_MARK = ['ROLLCALL_RUN', String(process.pid)] as const;
const beganAt = Date.now();

const runVitest = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const vitest = resolve('node_modules/.bin/vitest');
  const projects = ['--project', 'integration', '--project', 'integration-alone'];
  const child = spawn(vitest, ['run', ...projects, ...args], { stdio: 'inherit', env });
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
    ROLLCALL_FILE_TIMES: FILE_TIMES,
    ROLLCALL_RUN_MARK: OWN_MARK.join('='),
    ROLLCALL_LOCALSTACK_MARK: localStack.mark,
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

/** The runner of all parts reads the seconds, as nobody waits for LocalStack's processes. */
const reportTimes = ({ mark }: LocalStack): void => {
  const seconds = mark === '' ? 0 : markedSeconds([mark]);
  writeFileSync(`${FOLDER}/processor.json`, JSON.stringify(seconds));
  process.stdout.write(fileTimesText(FILE_TIMES, beganAt));
  process.stdout.write(`LocalStack and its functions used ${seconds.toFixed(0)} s of the processor\n`);
};

const main = async (args: readonly string[]): Promise<number> => {
  mkdirSync(FOLDER, { recursive: true });
  rmSync(FILE_TIMES, { force: true });
  process.env[OWN_MARK[0]] = OWN_MARK[1];
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
    reportTimes(localStack);
    await localStack.stop();
  }
};

process.exitCode = await main(process.argv.slice(2));
