/** Whom the messages of each function may reach, read from a template: from its grants, event sources, rules and destinations. */
import { type Assembly, ofType, type Resource, type Statement, target } from './assembly.ts';

/** The ids that each id reaches in one step: functions, queues, topics and event buses. */
export type MessageGraph = ReadonlyMap<string, ReadonlySet<string>>;

type Edge = readonly [from: string, to: string];

/** What a grant of an action lets a function send to, by types of resources. A stream of a table is no step that Lambda counts. */
const SENDING: Readonly<Record<string, string>> = {
  'sqs:SendMessage': 'AWS::SQS::Queue',
  'sns:Publish': 'AWS::SNS::Topic',
  'events:PutEvents': 'AWS::Events::EventBus',
  'lambda:InvokeFunction': 'AWS::Lambda::Function',
  'lambda:InvokeAsync': 'AWS::Lambda::Function',
};

const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : ([value].flat() as readonly T[]);

/** All logical ids in a value, such as the parts of an ARN. */
const idsIn = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const own = target(value);
  return own === '' ? Object.values(value).flatMap(idsIn) : [own];
};

const isOf = ({ resources }: Assembly, type: string, id: string): boolean => resources[id]?.Type === type;

/** Whether a grant such as `sqs:*` or `sqs:Send*` covers an action. */
const covers = (grant: string, action: string): boolean =>
  new RegExp(`^${grant.replaceAll('*', '.*')}$`).test(action);

const sentTo = (assembly: Assembly, { Action, Resource: given }: Statement): readonly string[] =>
  Object.entries(SENDING).flatMap(([action, type]) => {
    if (!listOf(Action).some((grant) => covers(grant, action))) return [];
    const isAll = listOf(given).includes('*');
    return isAll
      ? ofType(assembly, type).map(([id]) => id)
      : idsIn(given).filter((id) => isOf(assembly, type, id));
  });

type Document = { readonly Statement: readonly Statement[] };

/** The statements of a role: its own policies and those that are attached to it. */
const statementsOf = (assembly: Assembly, role: string): readonly Statement[] => {
  const own = (assembly.resources[role]?.Properties['Policies'] ?? []) as readonly {
    PolicyDocument: Document;
  }[];
  const attached = [...ofType(assembly, 'AWS::IAM::Policy'), ...ofType(assembly, 'AWS::IAM::ManagedPolicy')]
    .filter(([, { Properties }]) => idsIn(Properties['Roles']).includes(role))
    .map(([, { Properties }]) => Properties as { PolicyDocument: Document });
  return [...own, ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
};

const grants = (assembly: Assembly): readonly Edge[] =>
  ofType(assembly, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) =>
    statementsOf(assembly, target(Properties['Role']))
      .flatMap((statement) => sentTo(assembly, statement))
      .map((to): Edge => [id, to]),
  );

type Ends = readonly [from: unknown, to: unknown];

/** How a resource of this type brings messages from one place to another. */
const BRINGING: Readonly<Record<string, (properties: Resource['Properties']) => Ends>> = {
  'AWS::Lambda::EventSourceMapping': ({ EventSourceArn, FunctionName }) => [EventSourceArn, FunctionName],
  'AWS::Events::Rule': ({ EventBusName, Targets }) => [EventBusName, Targets],
  'AWS::SNS::Subscription': ({ TopicArn, Endpoint }) => [TopicArn, Endpoint],
  'AWS::Lambda::EventInvokeConfig': ({ FunctionName, DestinationConfig }) => [
    FunctionName,
    DestinationConfig,
  ],
};

const brought = (assembly: Assembly): readonly Edge[] =>
  Object.entries(BRINGING).flatMap(([type, endsOf]) =>
    ofType(assembly, type).flatMap(([, { Properties }]) => {
      const [from, to] = endsOf(Properties);
      return idsIn(from).flatMap((id) => idsIn(to).map((end): Edge => [id, end]));
    }),
  );

/** The graph of a template. */
export const messageGraph = (assembly: Assembly): MessageGraph => {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of [...grants(assembly), ...brought(assembly)])
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
};

/** The functions whose messages may come back to them. */
export const functionsOnCycles = (assembly: Assembly): readonly string[] => {
  const graph = messageGraph(assembly);
  const reaches = (from: string): ReadonlySet<string> => {
    const reached = new Set(graph.get(from));
    for (const id of reached) for (const next of graph.get(id) ?? []) reached.add(next);
    return reached;
  };
  return ofType(assembly, 'AWS::Lambda::Function').flatMap(([id]) => (reaches(id).has(id) ? [id] : []));
};
