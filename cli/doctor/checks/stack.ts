/** A stack on AWS or LocalStack. */
import type { Finding } from '../../../shared/adapters/dynamodb/upkeep/compare.ts';
import { capacityUnits } from '../../../shared/settings/aws/heartbeat-capacity.ts';
import { heartbeatCapacityIn } from '../../aws/stack-state.ts';
import type { Facts, StackFacts } from '../facts/facts.ts';
import { type Verdict, verdictsOf } from '../facts/verdict.ts';

const OUTPUTS = ['ApiUrl', 'HeartbeatUrl', 'SigningKeySecretArn'];

const accountOf = (arn: string): string | undefined => /^arn:[^:]*:[^:]*:[^:]*:(\d+):/.exec(arn)?.[1];

const remedyOf = (error: string): string => {
  if (/credential/i.test(error))
    return 'set credentials: AWS_PROFILE with a profile of ~/.aws, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
  if (/ECONNREFUSED|ENOTFOUND|timed? ?out/i.test(error))
    return 'check the network, and AWS_ENDPOINT_URL, which LocalStack needs and AWS does not';
  if (/does not exist/i.test(error)) return 'deploy it: npx cdk deploy; or give its name with --stack';
  return 'your AWS identity needs cloudformation:DescribeStacks on it';
};

type Check = ReturnType<typeof verdictsOf>;

const tableVerdict = (check: Check, stack: string, { table, words, repair }: Finding): Verdict =>
  repair
    ? check.warn(`the table ${table} ${words}`, `rollcall aws repair --stack ${stack}`)
    : check.fail(
        `the table ${table} ${words}`,
        'mend it by hand, or restore it: docs/how-to/disaster-recovery.md',
      );

const tableVerdicts = (check: Check, { stack, tables }: StackFacts): readonly Verdict[] => {
  if (tables === undefined) return [];
  if (typeof tables === 'string')
    return [
      check.warn(
        `the tables cannot be described: ${tables}`,
        'your AWS identity needs dynamodb:DescribeTable, DescribeTimeToLive and DescribeContinuousBackups on them',
      ),
    ];
  if (tables.length === 0) return [check.ok('the tables are what this version needs')];
  return tables.map((finding) => tableVerdict(check, stack, finding));
};

/** From which share of the capacity on it is too little: auto scaling takes minutes, a grace period is shorter. */
const MOST_USED = 0.8;

/** Whether the beats of all nodes have room. Those behind relays need less: then it warns too early. */
const capacityVerdicts = (
  check: Check,
  { outputs }: StackFacts,
  server: Facts['server'],
): readonly Verdict[] => {
  const fleet = heartbeatCapacityIn(outputs);
  // Other checks say what is wrong with a server that does not know the token, or does not answer.
  if (!fleet || !server?.access?.isKnown) return [];
  const { nodes } = server;
  if (nodes === undefined)
    return [
      check.warn(
        `it is not known how many nodes there are, and so whether the capacity for ${fleet.nodes} is enough`,
        'run it again: not all pages of the list of nodes came within 30 s',
      ),
    ];
  const { writes } = capacityUnits(fleet);
  const used = nodes / fleet.intervalSeconds / writes;
  const percent = `${Math.round(used * 100)} %`;
  const says = `the beats of ${nodes} nodes take ${percent} of the capacity for ${fleet.nodes}`;
  return used < MOST_USED
    ? [check.ok(says)]
    : [check.warn(says, `deploy with -c heartbeatCapacity=${nodes}, before nodes that live become Unknown`)];
};

/** The account, the region, and what the stack has. */
export const stack = ({ stack: found, server }: Facts): readonly Verdict[] => {
  if (found === undefined) return [];
  const check = verdictsOf('AWS');
  const { error, outputs, region, secretError } = found;
  if (region === undefined) return [check.fail('no region is set', 'export AWS_REGION=us-east-1')];
  if (error !== undefined)
    return [check.fail(`the stack ${found.stack} cannot be read: ${error}`, remedyOf(error))];
  const missing = OUTPUTS.filter((name) => !outputs[name]);
  if (missing.length > 0)
    return [
      check.fail(
        `the stack ${found.stack} has no ${missing.join(', ')}`,
        'is it the stack of Rollcall? Deploy it anew',
      ),
    ];
  const account = accountOf(outputs['SigningKeySecretArn'] ?? '');
  return [
    check.ok(
      `the stack ${found.stack} is in ${region}${account === undefined ? '' : `, account ${account}`}`,
    ),
    secretError === undefined
      ? check.ok('the signing key can be read')
      : check.fail(
          `the signing key cannot be read: ${secretError}`,
          'your AWS identity needs secretsmanager:GetSecretValue on it, or use a token that somebody gave you',
        ),
    ...tableVerdicts(check, found),
    ...capacityVerdicts(check, found, server),
  ];
};
