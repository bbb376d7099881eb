import { describe, expect, it } from 'vitest';
import type { Step } from '../../../../lambdas/contract/step.ts';
import { routing } from '../../../../lambdas/pod-gc/routing.ts';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import type { LiveRow } from '../../../../shared/ports/store/rows.ts';
import { aNode, aPod, ready, taint } from '../../../support/objects/domain-objects.ts';

const rowOf = (resource: string, object: Node | Pod): LiveRow => ({
  state: 'live',
  key: { resource, namespace: resource === 'pods' ? 'default' : '', name: object.metadata.name },
  uid: object.metadata.uid ?? '',
  revision: 1,
  object,
  facts: {},
});

const sent = (resource: string, before: Node | Pod | undefined, after: Node | Pod | undefined) => {
  const [was, is] = [before && rowOf(resource, before), after && rowOf(resource, after)];
  const row = is ?? was;
  const step = row && { key: row.key, uid: row.uid, revision: 2, before: was, after: is };
  const messages = step ? routing.route(step satisfies Step) : [];
  return messages.map(({ body, delaySeconds }) => [body.kind, delaySeconds ?? []].flat().join(' after '));
};

const OUT = 'node.kubernetes.io/out-of-service:NoExecute';
const node = (status: ConditionStatus, ...taints: readonly string[]) =>
  aNode({ conditions: [ready(status, 0)], taints: taints.map(taint) });

describe('a change of a node (K-83)', () => {
  const up = node('True');
  const rows: readonly [string, Node | undefined, Node | undefined, readonly string[]][] = [
    ['is made', undefined, up, ['node']],
    ['goes', up, undefined, ['node']],
    ['falls silent', up, node('Unknown'), []],
    ['falls silent with the taint', node('True', OUT), node('Unknown', OUT), ['node']],
    ['gets the taint while it is ready', up, node('True', OUT), ['node']],
    ['gets the taint while it is silent', node('Unknown'), node('Unknown', OUT), ['node']],
    ['stays out of service', node('Unknown', OUT), node('False', OUT), []],
    ['is back', node('Unknown', OUT), node('True', OUT), []],
  ];
  it.each(rows)('%s', (_, before, after, expected) => {
    expect(sent('nodes', before, after)).toEqual(expected);
  });
});

describe('a change of a pod (K-83, K-86)', () => {
  const pod = (phase: 'Pending' | 'Running' | 'Failed', nodeName?: string): Pod => ({
    ...aPod(nodeName === undefined ? {} : { nodeName }),
    status: { phase },
  });
  const leaving = (given: Pod): Pod => ({
    ...given,
    metadata: { ...given.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  const running = pod('Running', 'n1');
  const rows: readonly [string, Pod | undefined, Pod | undefined, readonly string[]][] = [
    ['is made without a node', undefined, pod('Pending'), []],
    ['is made on a node', undefined, pod('Pending', 'n1'), ['pod']],
    ['is bound', pod('Pending'), pod('Pending', 'n1'), ['pod']],
    ['runs', pod('Pending', 'n1'), running, []],
    ['begins to terminate', running, leaving(running), ['pod after 2']],
    ['begins to terminate without a node', pod('Pending'), leaving(pod('Pending')), ['pod after 5']],
    ['is terminating and changes', leaving(running), leaving(running), []],
    ['ends', running, pod('Failed', 'n1'), ['terminated']],
    ['is made as one that has ended', undefined, pod('Failed', 'n1'), ['pod', 'terminated']],
    ['has ended and changes', pod('Failed', 'n1'), pod('Failed', 'n1'), []],
    ['goes', running, undefined, []],
  ];
  it.each(rows)('%s', (_, before, after, expected) => {
    expect(sent('pods', before, after)).toEqual(expected);
  });
});

it('sends nothing for other objects, and nothing in a resync', async () => {
  expect(sent('configmaps', aNode(), undefined)).toEqual([]);
  expect(await routing.resync({ health: {} as never, read: async () => undefined })).toEqual([]);
});
