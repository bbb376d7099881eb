import { describe, expect, it } from 'vitest';
import type { Node, Pod, Toleration } from '../../../../shared/kube/types/core.ts';
import { nodeLineOf } from '../../../../shared/rules/roll-call/node-line.ts';
import { timeOfDay } from '../../../../shared/rules/roll-call/units.ts';
import { withShutdownReport } from '../../../../shared/rules/shutdown/shutdown-report.ts';
import { A_SHUTDOWN } from '../../../support/objects/a-roll-call.ts';

const TAINTED_AT = '2026-03-01T12:00:00Z';
const AT = Date.parse(TAINTED_AT);
const TIME = timeOfDay(AT);
const KEY = 'node.kubernetes.io/unreachable';

const node = (more: Partial<Node['spec']> = {}, status: Node['status'] = {}): Node => ({
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name: 'n1\u001b[31m', labels: { 'topology.kubernetes.io/zone': 'a' } },
  spec: { taints: [{ key: KEY, effect: 'NoExecute', timeAdded: TAINTED_AT }], ...more },
  status,
});

const pod = (name: string, tolerations: readonly Toleration[], more: Partial<Pod['metadata']> = {}): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace: 'shop', uid: name, ...more },
  spec: { tolerations },
});

const staying = (seconds: number): readonly Toleration[] => [
  { key: KEY, operator: 'Exists', tolerationSeconds: seconds },
];

describe('the line of a node', () => {
  it('has no control character of a name (J-266)', () => {
    expect(nodeLineOf(node(), [], {}, AT).name).toBe(String.raw`n1\u001b[31m`);
  });

  it('has the pods that leave, the soonest first, by which toleration (J-267)', () => {
    const pods = [
      pod('slow', staying(300)),
      pod('fast', staying(15)),
      pod('never', [{ operator: 'Exists' }]),
      pod('at-once', []),
    ];
    expect(nodeLineOf(node(), pods, {}, AT + 5_000).evictions).toEqual([
      {
        namespace: 'shop',
        name: 'at-once',
        fireAt: AT + 5_000,
        reason: `does not tolerate unreachable, tainted at ${TIME}`,
      },
      {
        namespace: 'shop',
        name: 'fast',
        fireAt: AT + 15_000,
        startAt: AT,
        reason: `tolerates unreachable for 15s, tainted at ${TIME}`,
      },
      {
        namespace: 'shop',
        name: 'slow',
        fireAt: AT + 300_000,
        startAt: AT,
        reason: `tolerates unreachable for 5m00s, tainted at ${TIME}`,
      },
    ]);
  });

  it('counts the time from when the pod was bound, if that was later (J-267)', () => {
    const late: Pod = {
      ...pod('late', staying(15)),
      status: {
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-03-01T12:00:10Z' }],
      },
    };
    expect(nodeLineOf(node(), [late], {}, AT + 11_000).evictions[0]?.fireAt).toBe(AT + 25_000);
  });

  it('has the stored deadlines instead, if it is given them (J-267)', () => {
    const pods = [pod('web', staying(15)), pod('new', staying(15))];
    const deadlines = ({ metadata }: Pod) => ({
      uid: 'web',
      fireAt: metadata.name === 'web' ? AT + 7_000 : AT,
    });
    expect(nodeLineOf(node(), pods, { deadlines }, AT).evictions).toMatchObject([
      { name: 'web', fireAt: AT + 7_000 },
    ]);
  });

  it('evicts nobody for the silence of a node that has reported its shutdown (J-138)', () => {
    const goes = withShutdownReport(node(), A_SHUTDOWN);
    expect(nodeLineOf(goes, [pod('web', [])], {}, AT).evictions).toEqual([]);
  });

  it('tells pods that stay from pods that go, and from those that have ended', () => {
    const leaving = { deletionTimestamp: TAINTED_AT };
    const owner = { kind: 'StatefulSet', apiVersion: 'apps/v1', name: 'store', uid: '1', controller: true };
    const ended: Pod = { ...pod('done', []), status: { phase: 'Succeeded' } };
    const pods = [
      pod('web', []),
      ended,
      pod('old', [], leaving),
      pod('store-0', [], { ...leaving, ownerReferences: [owner] }),
    ];
    expect(nodeLineOf(node(), pods, {}, AT)).toMatchObject({
      pods: 1,
      leaving: ['old', 'store-0'],
      held: ['store-0'],
    });
  });
});
