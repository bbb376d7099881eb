/**
 * `npm run test:integration [-- --real-times] [--hostile] [--lifecycle] [--without=MUTATION] [--over=COMMIT|last] [vitest arguments]`: deploys the stack on LocalStack and runs the suite
 * against its URLs. `--real-times` takes Kubernetes' own periods; without it all times are divided by five. With `--hostile` some
 * events come twice, changes in order by key only, and some requests of functions are throttled, conflict, or lose their answer. `--without` takes away what the
 * functions need (`mutations.ts`), runs the file that must find it, and succeeds if that fails. `--lifecycle` deploys the profile `lifecycle`, and runs the files
 * that need no other controllers. `--over` deploys the code of a commit, or of the last release, and runs the file that deploys today's over it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { bootstrap, deployAssembly, synthesize } from '../localstack/deploy.ts';
import { readSeen } from '../localstack/guard/seen.ts';
import type { LocalStack } from '../localstack/localstack.ts';
import { childEnvironment, isSkipped, prepareLocalStack } from '../localstack/localstack.ts';
import { markedSeconds } from '../runner/processor-time.ts';
import { checkOut, UPGRADE_FILE } from './earlier-release.ts';
import { failuresTo, isFound, MUTATIONS, type Mutation, mutate } from './mutations.ts';
import type { Profile } from './profile.ts';
import { deploymentOf, FAST, LIFECYCLE_FILES, lifecycleOf, REAL } from './profile.ts';
import { fileTimesText } from './times.ts';
import { readGrants, unusedRights } from './unused-rights.ts';

const FOLDER = resolve('test-results/integration');
const FILE_TIMES = `${FOLDER}/file-times.jsonl`;
/** What a run with a mutation failed at. */
const FAILURES = `${FOLDER}/failures.json`;
/** By which the processes of the run are found. */
const OWN_MARK = ['ROLLCALL_RUN', String(process.pid)] as const;
const beganAt = Date.now();

/** In the order in which they run. */
const PROJECTS = ['integration-first', 'integration', 'integration-alone'];

const runVitest = async (args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> => {
  const vitest = resolve('node_modules/.bin/vitest');
  const projects = args.includes(UPGRADE_FILE) ? ['integration-upgrade'] : PROJECTS;
  const chosen = projects.flatMap((project) => ['--project', project]);
  const child = spawn(vitest, ['run', ...chosen, ...args], { stdio: 'inherit', env });
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : 1;
};

const report = (milliseconds: Readonly<Record<string, number>>): void => {
  const parts = Object.entries(milliseconds).map(([name, ms]) => `${name} ${(ms / 1000).toFixed(1)} s`);
  process.stdout.write(`stack on LocalStack: ${parts.join(', ')}\n`);
  writeFileSync(`${FOLDER}/stack.json`, JSON.stringify(milliseconds));
};

/** How the stack is deployed, and what runs against it. */
interface Order {
  readonly profile: Profile;
  readonly mutation?: Mutation | undefined;
  /** The commit that is deployed; `last`: that of the last release; absent: what is here. */
  readonly over?: string | undefined;
  /** Arguments of vitest. */
  readonly args: readonly string[];
}

const deployAndTest = async (
  localStack: LocalStack,
  { profile, mutation, over, args }: Order,
): Promise<number> => {
  const deployment = deploymentOf(profile, localStack.env, FOLDER);
  const root = over === undefined ? undefined : checkOut(over === 'last' ? undefined : over);
  const [bootstrapped] = await Promise.all([bootstrap(localStack.env), synthesize(deployment, root)]);
  if (mutation) mutate(`${FOLDER}/cdk.out`, profile.stackName, mutation);
  const { outputs, deploy } = await deployAssembly(deployment);
  report({ ...localStack.milliseconds, bootstrap: bootstrapped, deploy });
  const env = {
    ...childEnvironment(localStack.env),
    ROLLCALL_PROFILE: profile.name,
    ROLLCALL_FILE_TIMES: FILE_TIMES,
    ROLLCALL_RUN_MARK: OWN_MARK.join('='),
    ROLLCALL_LOCALSTACK_MARK: localStack.mark,
    ROLLCALL_GUARD: localStack.guard,
    ROLLCALL_COMMANDS: root ?? process.cwd(),
    DYNAMODB_ENDPOINT: localStack.endpoint,
    SQS_ENDPOINT: localStack.endpoint,
  };
  return runVitest(args, { ...env, ROLLCALL_OUTPUTS: JSON.stringify(outputs[profile.stackName]) });
};

/** Prints what AWS would have refused to functions, and returns it. */
const reportRefusals = async ({ guard }: LocalStack): Promise<readonly string[]> => {
  if (guard === '') return [];
  const seen = await readSeen(guard);
  const { calls, refusals } = seen;
  writeFileSync(`${FOLDER}/calls.json`, JSON.stringify(seen, null, 2));
  const texts = refusals.map(
    ({ functionName, action, resource, why }) => `${functionName} calls ${action} on ${resource}: ${why}`,
  );
  for (const text of texts) process.stdout.write(`refused on AWS: ${text}\n`);
  process.stdout.write(`guard: ${Object.keys(calls).length} kinds of calls, ${texts.length} refused\n`);
  return texts;
};

/** Prints what functions may do and have not done, and tells how much that is. Only the whole suite uses each right. A reason for none only needs to go. */
const reportUnused = async ({ guard, endpoint }: LocalStack, { profile, args }: Order): Promise<number> => {
  if (guard === '' || args.length > 0) return 0;
  const grants = await readGrants(endpoint, profile.stackName);
  const { rights, reasons } = unusedRights(grants, (await readSeen(guard)).calls);
  for (const { function: name, action, resource } of rights)
    process.stdout.write(`unused: ${name} may ${action} on ${resource}\n`);
  for (const { why } of reasons) process.stdout.write(`a reason for no right: ${why}\n`);
  return rights.length;
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

const REAL_TIMES = '--real-times';
const HOSTILE = '--hostile';
/** Shares of events that are delivered twice, and of requests that have a fault. */
const SHARES = { ROLLCALL_REPEATED: '0.1', LS_GUARD_FAULTS: '0.01' };
const WITHOUT = '--without=';
const LIFECYCLE = '--lifecycle';
const OVER = '--over=';
const FLAGS = [REAL_TIMES, HOSTILE, LIFECYCLE];

/** The profile, and the files that are run if no others are named. */
const profileOf = (
  given: readonly string[],
): { readonly profile: Profile; readonly files: readonly string[] } => {
  const profile = given.includes(REAL_TIMES) ? REAL : FAST;
  return given.includes(LIFECYCLE)
    ? { profile: lifecycleOf(profile), files: LIFECYCLE_FILES }
    : { profile, files: [] };
};

/** What follows a flag like `--without=`; absent: the flag is not given. */
const flagValue = (given: readonly string[], flag: string): string | undefined =>
  given.find((arg) => arg.startsWith(flag))?.slice(flag.length);

const mutationOf = (given: readonly string[]): Mutation | undefined => {
  const name = flagValue(given, WITHOUT);
  if (name === undefined) return undefined;
  const mutation = MUTATIONS[name];
  if (mutation) return mutation;
  throw new Error(`${WITHOUT} takes one of ${Object.keys(MUTATIONS).join(', ')}`);
};

const isOurs = (arg: string): boolean =>
  FLAGS.includes(arg) || arg.startsWith(WITHOUT) || arg.startsWith(OVER);

const orderOf = (given: readonly string[]): Order => {
  const mutation = mutationOf(given);
  const over = flagValue(given, OVER);
  const named = given.filter((arg) => !isOurs(arg));
  const { profile, files } = profileOf(given);
  const args = named.length > 0 ? named : files;
  if (over !== undefined) return { profile, over, args: [UPGRADE_FILE] };
  return {
    profile,
    mutation,
    args: mutation ? [mutation.file, ...failuresTo(FAILURES), ...args] : args,
  };
};

/** The exit code of a run whose stack lacks something. */
const mustFind = (mutation: Mutation, refusals: readonly string[]): number => {
  const isSeen = existsSync(FAILURES) && isFound(mutation, FAILURES, refusals);
  process.stdout.write(isSeen ? 'the mutation was found\n' : 'the mutation was not found\n');
  return isSeen ? 0 : 1;
};

const main = async (given: readonly string[]): Promise<number> => {
  const order = orderOf(given);
  if (given.includes(HOSTILE)) Object.assign(process.env, { ...SHARES, ...process.env });
  Object.assign(process.env, order.mutation?.env);
  mkdirSync(FOLDER, { recursive: true });
  for (const file of [FILE_TIMES, FAILURES]) rmSync(file, { force: true });
  process.env[OWN_MARK[0]] = OWN_MARK[1];
  const localStack = await prepareLocalStack();
  if (isSkipped(localStack)) return skip(localStack.skipped);
  try {
    const code = await deployAndTest(localStack, order);
    const refusals = await reportRefusals(localStack);
    if (order.mutation) return mustFind(order.mutation, refusals);
    const problems = refusals.length + (await reportUnused(localStack, order));
    return problems > 0 ? 1 : code;
  } finally {
    reportTimes(localStack);
    await localStack.stop();
  }
};

process.exitCode = await main(process.argv.slice(2));
