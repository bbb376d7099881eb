import { describe, expect, it } from 'vitest';
import { CloudNodeMessage } from '../../../../lambdas/cloud-node/message.ts';
import { routing } from '../../../../lambdas/cloud-node/routing.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { aNode, ready, taint } from '../../../support/objects/domain-objects.ts';

const WAITS = 'node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule';
const OUT = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown:NoSchedule';

const rowOf = (object: Node): LiveRow => ({
  state: 'live',
  key: { resource: 'nodes', namespace: '', name: object.metadata.name },
  uid: object.metadata.uid ?? '',
  revision: 1,
  object,
  facts: {},
});

const node = (status: ConditionStatus, machine = 'i-1', ...taints: readonly string[]): Node => {
  const made = aNode({ conditions: [ready(status, 0)], taints: taints.map(taint) });
  return machine === '' ? made : { ...made, spec: { ...made.spec, providerID: `aws:///a/${machine}` } };
};

const named = (of: Node, word: string): Node => ({
  ...of,
  metadata: { ...of.metadata, annotations: { 'rollcall.dev/machine': word } },
});

const anew = (of: Node): Node => ({ ...of, metadata: { ...of.metadata, uid: 'another' } });

const bodies = (before: Node | undefined, after: Node | undefined) => {
  const [was, is] = [before && rowOf(before), after && rowOf(after)];
  const row = is ?? was;
  if (!row) return [];
  return routing
    .route({ key: row.key, uid: row.uid, revision: 2, before: was, after: is })
    .map(({ body }) =>
      'kind' in body ? `${body.kind}${body.kind === 'gone' ? ` ${body.instance}` : ''}` : '',
    );
};

describe('a change of a Node (J-76)', () => {
  const up = node('True');
  const rows: readonly [string, Node | undefined, Node | undefined, readonly string[]][] = [
    ['is made', undefined, up, ['nodes']],
    ['goes', up, undefined, ['gone i-1']],
    ['without a machine goes', node('True', ''), undefined, []],
    ['falls silent', up, node('Unknown'), ['nodes', 'proof']],
    ['stays silent', node('Unknown'), node('False'), []],
    ['is tainted while it is silent', node('Unknown'), node('Unknown', 'i-1', SHUTDOWN), ['proof']],
    ['is out of service', node('Unknown'), node('Unknown', 'i-1', OUT), []],
    ['is back', node('Unknown'), up, []],
    [
      'is back with the shutdown taint',
      node('Unknown', 'i-1', SHUTDOWN),
      node('True', 'i-1', SHUTDOWN),
      ['nodes'],
    ],
    ['waits for its cloud from now on', up, node('True', 'i-1', WAITS), ['nodes']],
    ['names its machine', node('True', ''), up, ['nodes']],
    ['names another machine', up, node('True', 'i-2'), ['gone i-1', 'nodes']],
    ['names what is no name of a machine', up, node('True', 'x'.repeat(2_000)), ['gone i-1', 'nodes']],
    ['named none and goes', node('True', 'x'.repeat(2_000)), undefined, []],
    ['is made anew', up, anew(up), ['gone i-1', 'nodes']],
    ['is named for its machine by its cloud', up, named(up, 'i-1 cloud'), []],
    ['is named by an administrator', node('True', ''), named(node('True', ''), 'i-7 operator'), ['nodes']],
    [
      'is named for another machine',
      named(up, 'i-7 operator'),
      named(up, 'i-8 operator'),
      ['gone i-7', 'nodes'],
    ],
    ['named by an administrator goes', named(up, 'i-7 operator'), undefined, ['gone i-1', 'gone i-7']],
    ['changes otherwise', up, node('True', 'i-1', 'a=b:NoExecute'), []],
  ];
  it.each(rows)('%s', (_, before, after, expected) => {
    expect(bodies(before, after)).toEqual(expected);
  });
});

it('the Nodes of a batch of changes share messages, 100 each', () => {
  const messages = Array.from({ length: 150 }, (_, index) => ({
    body: { v: 1, kind: 'nodes', names: [`n${index % 120}`] },
  })) satisfies readonly { readonly body: CloudNodeMessage }[];
  const gone = { body: { v: 1, kind: 'gone', name: 'n1', instance: 'i-1' } } as const;
  const merged = routing.merge?.([gone, ...messages]) ?? [];
  expect(merged[0]).toBe(gone);
  expect(merged.slice(1).map(({ body }) => ('names' in body ? body.names.length : 0))).toEqual([100, 20]);
});

it('the Nodes that may want a proof share messages, 100 each; one has its own', () => {
  const proofs = Array.from({ length: 120 }, (_, index) => ({
    body: { v: 1, kind: 'proof', name: `n${index}` },
  })) satisfies readonly { readonly body: CloudNodeMessage }[];
  const merged = routing.merge?.(proofs) ?? [];
  expect(merged.map(({ body }) => ('names' in body ? [body.kind, body.names.length] : []))).toEqual([
    ['proofs', 100],
    ['proofs', 20],
  ]);
  expect(routing.merge?.(proofs.slice(0, 1))).toEqual(proofs.slice(0, 1));
});

describe('the messages', () => {
  it.each([
    { v: 1, kind: 'nodes', names: ['n1'] },
    { v: 1, kind: 'nodes', names: ['n1'], tries: 3, isSwept: true },
    { v: 1, kind: 'gone', name: 'n1', instance: 'i-1' },
    { v: 1, kind: 'news', instance: 'i-1' },
    { id: 'e', source: 'aws.ec2', 'detail-type': 'x', time: '2026-01-06T00:00:00Z', detail: { a: 1 } },
  ])('are read as they are: %#', (body) => {
    expect(CloudNodeMessage.parse(body)).toEqual(body);
  });
});
