/** Rights of functions that a run of the whole suite has not used: each is needed for a reason that is named here, or too much. */
import { isLike, many, type Statement } from '../localstack/guard/policy.ts';
import { createRoles } from '../localstack/guard/roles.ts';
import type { Seen } from '../localstack/guard/seen.ts';

/** An action that a function may take on a resource, as its policies have it. */
export interface Right {
  /** The function: a folder, or a group of controllers. */
  readonly function: string;
  readonly action: string;
  readonly resource: string;
}

/** What a function may do. */
export interface Grants {
  readonly function: string;
  /** As it is deployed. */
  readonly name: string;
  readonly statements: readonly Statement[];
}

/** Rights that no run uses, by patterns of each member. */
export interface Reason extends Right {
  readonly why: string;
}

/** A row for every function. */
const all = (action: string, resource: string, why: string): Reason => ({
  function: '*',
  action,
  resource,
  why,
});

const OBJECTS = '*-objects';
const CHANGES = '*-changes';
const CONTROL = '*-control';
const HEARTBEATS = '*-heartbeats';

/** Indexes of the table of objects. */
const index = (name: string): string => `${OBJECTS}/index/${name}`;

export const REASONS: readonly Reason[] = [
  // Lambda does it with the rights of the function, and the guard does not see it.
  all('logs:*', '*', 'Lambda writes the log'),
  all('sqs:ReceiveMessage', '*', 'the event source reads the queue'),
  all('sqs:DeleteMessage', '*', 'the event source removes handled messages'),
  all('sqs:ChangeMessageVisibility', '*', 'the event source may hide messages'),
  all('sqs:GetQueueAttributes', '*', 'the event source asks for it; CDK lets senders, too'),
  all('sqs:GetQueueUrl', '*', 'the event source asks for it; CDK lets senders, too'),
  all('sqs:SendMessage', '*-dead-letters', 'Lambda sends what a scheduled run failed at'),
  all('dynamodb:ListStreams', '*', 'the event source finds the stream'),
  all('dynamodb:DescribeStream', '*', 'the event source finds the shards'),
  all('dynamodb:GetShardIterator', '*', 'the event source reads the stream'),
  all('dynamodb:GetRecords', '*', 'the event source reads the stream'),
  // Rare parts of a commit, which all writers of objects share.
  all('dynamodb:GetItem', OBJECTS, 'a commit whose condition failed reads the object again'),
  all('dynamodb:ConditionCheckItem', OBJECTS, 'a commit checks its namespace, or another row that may go'),
  all('dynamodb:BatchGetItem', CHANGES, 'a commit looks for its slot when its answer is lost'),
  all('dynamodb:PutItem', CONTROL, 'a commit stores the edges of objects with owners'),
  all('dynamodb:DeleteItem', CONTROL, 'a commit removes the edges of objects with owners'),
  all('dynamodb:*Item', HEARTBEATS, 'a commit of a Node writes its entry at birth and deletion'),
  // Reads that need more than a run has, or more time.
  all('dynamodb:Query', CHANGES, 'more than eight entries of the log are read by a query'),
  all('dynamodb:BatchGetItem', CONTROL, 'the deadline of a pod is explained'),
  all('dynamodb:GetItem', CONTROL, 'another process has noted how far changes are announced'),
  all('dynamodb:BatchGetItem', OBJECTS, 'pods that an index names are read, if it names any'),
  all(
    'dynamodb:Query',
    index('pods-by-node'),
    'counters that disagree are made anew from the pods of a node',
  ),
  all('dynamodb:Query', index('unbound-pods'), 'pods without a node are listed'),
  all('dynamodb:Query', index('node-health'), 'the resync and the sweeps of an hour go through all Nodes'),
  // What the run lacks.
  all('autoscaling:*', '*', 'only an Auto Scaling group has lifecycle hooks'),
];

/** The rights of a function, each once. */
const rightsOf = ({ function: name, statements }: Grants): readonly Right[] => {
  const rights = statements
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action, Resource }) =>
      many(Action).flatMap((action) =>
        many(Resource).map((resource) => ({ function: name, action, resource })),
      ),
    );
  return [...new Map(rights.map((right) => [JSON.stringify(right), right])).values()];
};

const isFor = (reason: Reason, right: Right): boolean =>
  (['function', 'action', 'resource'] as const).every((member) => isLike(reason[member], right[member]));

/** The rights that are in no call and have no reason, and the reasons that are for no right. `calls`: as the guard counts them. */
export const unusedRights = (
  grants: readonly Grants[],
  calls: Seen['calls'],
  reasons = REASONS,
): { readonly rights: readonly Right[]; readonly reasons: readonly Reason[] } => {
  const seen = Object.keys(calls).map((call) => call.split(' '));
  const isUsed = (name: string, right: Right): boolean =>
    seen.some(
      ([caller, action = '', resource = '']) =>
        caller === name && isLike(right.action, action) && isLike(right.resource, resource),
    );
  const granted = grants.flatMap((grant) => rightsOf(grant).map((right) => ({ right, by: grant.name })));
  return {
    rights: granted
      .filter(({ right, by }) => !isUsed(by, right) && !reasons.some((reason) => isFor(reason, right)))
      .map(({ right }) => right),
    reasons: reasons.filter((reason) => !granted.some(({ right }) => isFor(reason, right))),
  };
};

interface Functions {
  readonly Functions: readonly { readonly FunctionName: string; readonly Description: string }[];
}

/** LocalStack finds the service by the credential, and checks no signature. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/lambda/aws4_request, SignedHeaders=host, Signature=none';

/** Reads what the functions of a stack may do, as it is deployed. */
export const readGrants = async (endpoint: string, stackName: string): Promise<readonly Grants[]> => {
  const path = '/2015-03-31/functions/?MaxItems=100';
  const answer = await fetch(`${endpoint}${path}`, { headers: { authorization: AUTHORIZATION } });
  const { Functions } = (await answer.json()) as Functions;
  const roles = createRoles(endpoint);
  const own = Functions.filter(({ FunctionName }) => FunctionName.startsWith(`${stackName}-`));
  return Promise.all(
    own.map(async ({ FunctionName: name, Description }) => ({
      function: Description.replace('Rollcall: ', ''),
      name,
      statements: await roles.recent(name),
    })),
  );
};
