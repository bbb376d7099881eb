/**
 * Lambda ends a chain of about 16 invocations of a function that reach each other by queues, unless its `RecursiveLoop` is `Allow`.
 * The functions on a cycle are computed from the template alone, not from what made it.
 */
import { describe, expect, it } from 'vitest';
import { type Assembly, functionsByName, ofType, type Resource, synth, WITH_SINK } from './assembly.ts';
import { TEMPLATES } from './configurations.ts';
import { functionsOnCycles } from './message-graph.ts';

const CONFIGURATIONS: typeof TEMPLATES = { ...TEMPLATES, 'with a sink': () => synth(WITH_SINK) };

const functionsThatMay = (assembly: Assembly): readonly string[] =>
  ofType(assembly, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) =>
    Properties['RecursiveLoop'] === 'Allow' ? [id] : [],
  );

const foldersOf = (assembly: Assembly, ids: readonly string[]): readonly string[] =>
  [...functionsByName(assembly)].flatMap(([folder, resource]) =>
    ids.some((id) => assembly.resources[id] === resource) ? [folder] : [],
  );

const without = (resource: Resource, property: string): Resource => {
  const { [property]: _removed, ...Properties } = resource.Properties;
  return { ...resource, Properties };
};

const function_ = (role: string): Resource => ({
  Type: 'AWS::Lambda::Function',
  Properties: { Role: { 'Fn::GetAtt': [role, 'Arn'] } },
});

const role = (action: string, on: unknown): Resource => ({
  Type: 'AWS::IAM::Role',
  Properties: { Policies: [{ PolicyDocument: { Statement: [{ Action: action, Resource: on }] } }] },
});

const brings = (type: string, Properties: Resource['Properties']): Resource => ({ Type: type, Properties });

const ref = (id: string) => ({ Ref: id });
const arn = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });

/** Function `F` with role `R`, and a second one, `G`, that may send nothing. */
const assemblyWith = (resources: Assembly['resources']): Assembly => ({
  folder: '',
  outputs: {},
  findings: [],
  resources: {
    F: function_('R'),
    G: function_('Other'),
    Q: brings('AWS::SQS::Queue', {}),
    T: brings('AWS::SNS::Topic', {}),
    B: brings('AWS::Events::EventBus', {}),
    ...resources,
  },
});

const source = (queue: string, fn: string): Resource =>
  brings('AWS::Lambda::EventSourceMapping', { EventSourceArn: arn(queue), FunctionName: ref(fn) });

describe('a function on a cycle of messages', () => {
  it.each(Object.keys(CONFIGURATIONS))('is one of those that may, and no other function is: %s', (name) => {
    const assembly = CONFIGURATIONS[name]?.();
    if (!assembly) throw new Error(`no configuration ${name}`);
    const onCycles = functionsOnCycles(assembly);
    expect(functionsThatMay(assembly)).toEqual(onCycles);
  });

  it('is each one but those that only get messages, or only send them', () => {
    const assembly = synth(WITH_SINK);
    const others = [...functionsByName(assembly).keys()].filter(
      (folder) => !foldersOf(assembly, functionsOnCycles(assembly)).includes(folder),
    );
    expect(others.toSorted()).toEqual(['apiserver', 'change-router', 'heartbeat']);
  });

  it('is missed if a template lacks one `Allow`', () => {
    const assembly = synth();
    for (const id of functionsOnCycles(assembly)) {
      const resources = {
        ...assembly.resources,
        [id]: without(assembly.resources[id] as Resource, 'RecursiveLoop'),
      };
      expect(functionsThatMay({ ...assembly, resources })).not.toEqual(
        functionsOnCycles({ ...assembly, resources }),
      );
    }
  });
});

describe('cycles of a template', () => {
  it.each<[string, Assembly['resources'], readonly string[]]>([
    ['a queue of its own', { R: role('sqs:SendMessage', arn('Q')), M: source('Q', 'F') }, ['F']],
    ['a grant for all queues', { R: role('sqs:*', '*'), M: source('Q', 'F') }, ['F']],
    ['a grant to receive', { R: role('sqs:ReceiveMessage', arn('Q')), M: source('Q', 'F') }, []],
    ['a queue of another function', { R: role('sqs:SendMessage', arn('Q')), M: source('Q', 'G') }, []],
    [
      'two functions that send each other messages',
      {
        R: role('sqs:SendMessage', arn('Q')),
        M: source('Q', 'G'),
        Other: role('sqs:Send*', arn('P')),
        P: brings('AWS::SQS::Queue', {}),
        N: source('P', 'F'),
      },
      ['F', 'G'],
    ],
    [
      'a topic',
      {
        R: role('sns:Publish', ref('T')),
        S: brings('AWS::SNS::Subscription', { TopicArn: ref('T'), Endpoint: arn('F') }),
      },
      ['F'],
    ],
    [
      'a bus and a queue',
      {
        R: role('events:PutEvents', arn('B')),
        E: brings('AWS::Events::Rule', { EventBusName: ref('B'), Targets: [{ Arn: arn('Q') }] }),
        M: source('Q', 'F'),
      },
      ['F'],
    ],
    [
      'an asynchronous invocation of another function, whose result comes back',
      {
        R: role('lambda:InvokeFunction', [arn('G'), { 'Fn::Join': ['', [arn('G'), ':*']] }]),
        D: brings('AWS::Lambda::EventInvokeConfig', {
          FunctionName: ref('G'),
          DestinationConfig: { OnSuccess: { Destination: arn('F') } },
        }),
      },
      ['F', 'G'],
    ],
    [
      'a rule that runs a function by the clock',
      {
        R: role('events:PutEvents', arn('B')),
        E: brings('AWS::Events::Rule', { Targets: [{ Arn: arn('F') }] }),
      },
      [],
    ],
  ])('%s', (_name, resources, expected) => {
    expect(functionsOnCycles(assemblyWith(resources))).toEqual(expected);
  });
});
