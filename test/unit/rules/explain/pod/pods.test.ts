import { describe, expect, it } from 'vitest';
import type { Pod, Toleration } from '../../../../../shared/kube/types/core.ts';
import { toTime } from '../../../../../shared/kube/values/time.ts';
import type { Answer } from '../../../../../shared/rules/explain/explanation.ts';
import { explainTaint } from '../../../../../shared/rules/explain/node/node-taint.ts';
import { explainBudget } from '../../../../../shared/rules/explain/pod/pod-budget.ts';
import { explainDeletion } from '../../../../../shared/rules/explain/pod/pod-deletion.ts';
import { explainEviction } from '../../../../../shared/rules/explain/pod/pod-eviction.ts';
import { explainScheduling } from '../../../../../shared/rules/explain/pod/pod-scheduling.ts';
import { readMisfit } from '../../../../../shared/rules/explain/refusals.ts';
import { staying } from '../../../../support/planes/fleet.ts';
import { known, NOW, pod, seconds, unreachable, zone } from '../facts.ts';

const facts = ({ because }: Answer): readonly string[] => because.map(({ fact }) => fact);

describe('the eviction of a pod (J-65)', () => {
  const onNode = (node: ReturnType<typeof known>, tolerations: readonly Toleration[], given: Pod = pod()) => {
    const place = {
      zone: zone({ waiting: ['n1'], waitingCount: 1 }),
      ahead: 0,
      isSure: true,
      isAllDown: false,
    };
    const taint = explainTaint(node, place, NOW);
    const of = { uid: 'pod-1', tolerations, pod: given, nodeName: 'n1' };
    return explainEviction(of, node, taint, undefined, NOW);
  };
  const since = NOW - seconds(100);
  const tainted = known({ ready: 'Unknown', tainted: unreachable(since) });

  it.each([
    ['has no toleration', [], 'EvictionDue', NOW],
    ['tolerates for 300 s', staying(300), 'TolerationRuns', since + seconds(300)],
    ['has tolerated for long enough', staying(60), 'EvictionDue', NOW],
    ['tolerates for ever', staying(), 'Tolerates', undefined],
  ])('on a tainted node: it %s', (_name, tolerations, verdict, at) => {
    const answer = onNode(tainted, tolerations);
    expect([answer.verdict, answer.next?.at]).toEqual([verdict, at]);
    if (at !== undefined) expect(answer.next?.verdict).toBe('Evicted');
  });

  it('names the toleration that it rests on', () => {
    expect(onNode(tainted, staying(300)).because).toMatchObject([
      {
        fact: 'ToleratedTaint',
        values: { seconds: 300, toleration: 'node.kubernetes.io/unreachable:NoExecute' },
      },
      { fact: 'ToleranceSince', at: since },
    ]);
    expect(facts(onNode(tainted, []))).toEqual(['UntoleratedTaint']);
  });

  it('on a node that waits: after the taint and the toleration', () => {
    const answer = onNode(known({ ready: 'Unknown' }), staying(300));
    expect(answer).toMatchObject({
      verdict: 'WaitsForTaint',
      next: { verdict: 'Evicted', at: NOW + seconds(300) },
    });
    expect(onNode(known({ ready: 'Unknown' }), staying()).next).toBeUndefined();
  });

  it('on a node without taints: nothing evicts it', () => {
    expect(onNode(known({ ready: 'True' }), [])).toMatchObject({
      verdict: 'NotEvicted',
      because: [{ fact: 'NoTaints' }],
    });
  });

  it('is told of a pod that was evicted, and not of one that a client deleted', () => {
    const target = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      lastTransitionTime: toTime(NOW),
    };
    const metadata = { deletionTimestamp: toTime(NOW) };
    const evicted = pod({ metadata, status: { conditions: [target] } });
    expect(onNode(tainted, [], evicted)).toMatchObject({ verdict: 'Evicted', since: NOW });
    expect(onNode(tainted, [], pod({ metadata })).verdict).toBe('NotEvicted');
  });
});

describe('the deletion of a pod (J-66)', () => {
  const here = (ready: 'True' | 'Unknown') => ({ node: known({ ready }).node, uid: 'u1', seen: undefined });
  const gone = (since?: number) => ({
    node: undefined,
    uid: 'u1',
    seen: since === undefined ? undefined : { since, uid: 'u1' },
  });
  const going = { deletionTimestamp: toTime(NOW - seconds(10)), deletionGracePeriodSeconds: 30 };

  it.each([
    ['nobody has deleted it', pod(), here('True'), 'NotDeleted'],
    ['its node has to stop it', pod({ metadata: going }), here('True'), 'Terminating'],
    ['its node is silent', pod({ metadata: going }), here('Unknown'), 'NodeSilent'],
    [
      'finalizers hold it',
      pod({ metadata: { ...going, deletionGracePeriodSeconds: 0, finalizers: ['a/b'] } }),
      gone(),
      'HeldByFinalizers',
    ],
  ])('%s', (_name, given, node, verdict) => {
    const answer = explainDeletion(given, node, NOW);
    expect([answer.verdict, answer.next]).toEqual([verdict, undefined]);
  });

  it.each([
    ['begins', undefined, NOW + seconds(40)],
    ['runs', NOW - seconds(25), NOW + seconds(15)],
    ['is over', NOW - seconds(60), NOW],
  ])('its node is gone and the quarantine %s', (_name, since, at) => {
    const answer = explainDeletion(pod(), gone(since), NOW);
    expect(answer).toMatchObject({ verdict: 'Orphaned', next: { verdict: 'Deleted', at } });
    expect(facts(answer)).toEqual(['NodeGone', 'Quarantine']);
  });

  it('its node is out of service', () => {
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoSchedule' as const }];
    const node = { ...known({ ready: 'Unknown' }).node, spec: { taints } };
    const of = { node, uid: 'u1', seen: undefined };
    expect(explainDeletion(pod({ metadata: going }), of, NOW)).toMatchObject({
      verdict: 'OutOfService',
      next: { verdict: 'Deleted', at: NOW },
    });
    const held = { ...going, finalizers: ['a/b'] };
    expect(explainDeletion(pod({ metadata: held }), of, NOW).next?.verdict).toBe('HeldByFinalizers');
    expect(explainDeletion(pod(), of, NOW).verdict).toBe('NotDeleted');
  });

  it('it never had a node', () => {
    const answer = explainDeletion(pod({ metadata: going, spec: { nodeName: '' } }), gone(), NOW);
    expect([answer.verdict, answer.next?.verdict]).toEqual(['Unscheduled', 'Deleted']);
  });
});

describe('the node of a pod (J-67)', () => {
  const waiting = (message: string): Pod =>
    pod({
      spec: { nodeName: '' },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message,
            lastTransitionTime: toTime(NOW),
          },
        ],
      },
    });
  const explain = (given: Pod): Answer => explainScheduling(given, NOW, 'default-scheduler');

  it.each([
    ['it has one', pod(), 'Bound', ['BoundTo']],
    [
      'it has gates',
      pod({ spec: { nodeName: '', schedulingGates: [{ name: 'g' }] } }),
      'Gated',
      ['SchedulingGate'],
    ],
    [
      'another scheduler places it',
      pod({ spec: { nodeName: '', schedulerName: 'x' } }),
      'OtherScheduler',
      ['SchedulerName'],
    ],
    ['nobody has tried', pod({ spec: { nodeName: '' } }), 'NotTried', ['SchedulerName']],
    ['it has ended', pod({ spec: { nodeName: '' }, status: { phase: 'Failed' } }), 'Ended', ['PodPhase']],
  ])('%s', (_name, given, verdict, because) => {
    const answer = explain(given);
    expect([answer.verdict, facts(answer)]).toEqual([verdict, because]);
  });

  it('says what each plugin has refused', () => {
    const message =
      "0/9 nodes are available: 2 Insufficient cpu, 3 node(s) had untolerated taint(s), 4 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling.";
    const answer = explain(waiting(message));
    expect(answer).toMatchObject({ verdict: 'Unschedulable', since: NOW });
    expect(answer.because).toMatchObject([
      { fact: 'Refusal', values: { nodes: 2, of: 9, plugin: 'NodeResourcesFit' }, rule: 'F-08' },
      { fact: 'Refusal', values: { nodes: 3, of: 9, plugin: 'TaintToleration' }, rule: 'F-03' },
      { fact: 'Refusal', values: { nodes: 4, of: 9, plugin: 'NodeAffinity' }, rule: 'F-04' },
      { fact: 'PreemptionMessage' },
    ]);
  });

  it.each([
    ['no nodes available to schedule pods', 'no nodes available to schedule pods'],
    [
      '0/3 nodes are available: persistentvolumeclaim "x" not found. not found',
      'persistentvolumeclaim "x" not found',
    ],
  ])('shows a message without counts: %s', (message, shown) => {
    expect(explain(waiting(message)).because).toMatchObject([
      { fact: 'SchedulerMessage', values: { message: shown } },
    ]);
  });

  it('names the node for which it has preempted others', () => {
    const given = waiting('0/1 nodes are available: 1 Too many pods.');
    const nominated = { ...given, status: { ...given.status, nominatedNodeName: 'n7' } };
    expect(explain(nominated).because.at(-1)).toMatchObject({
      fact: 'NominatedNode',
      values: { node: 'n7' },
    });
  });

  it('leaves reasons of other schedulers without a plugin', () => {
    expect(readMisfit('0/1 nodes are available: 1 the moon was full.').refusals).toEqual([
      { nodes: 1, reason: 'the moon was full' },
    ]);
  });
});

describe('the budget of a pod (J-68)', () => {
  const budget = (allowed: number, name = 'web') => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default', generation: 1 },
    spec: { minAvailable: 2, selector: {} },
    status: {
      observedGeneration: 1,
      currentHealthy: 2,
      desiredHealthy: 2,
      expectedPods: 2,
      disruptionsAllowed: allowed,
    },
  });

  it.each([
    ['none', [], 'NoBudget', []],
    ['one that allows it', [budget(1)], 'BudgetAllows', ['Budget']],
    ['one that is used up', [budget(0)], 'BudgetBlocks', ['Budget']],
    ['two', [budget(1), budget(1, 'more')], 'BudgetBlocks', ['SeveralBudgets']],
  ])('%s', (_name, budgets, verdict, because) => {
    const ready = pod({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    const answer = explainBudget(ready, budgets);
    expect([answer.verdict, facts(answer)]).toEqual([verdict, because]);
  });

  it('says why it is refused', () => {
    const ready = pod({ status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    const why = 'The disruption budget web needs 2 healthy pods and has 2 currently';
    expect(explainBudget(ready, [budget(0)]).because[0]?.values?.['why']).toBe(why);
  });

  it('is not asked about a pod that is pending', () => {
    expect(facts(explainBudget(pod({ status: { phase: 'Pending' } }), [budget(0)]))).toEqual([
      'BudgetsIgnored',
    ]);
  });
});
