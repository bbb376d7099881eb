import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { type NodeAction, nodeAfter } from '../../../../shared/rules/node-actions/node-action.ts';
import { type KnownNode, whatFollows } from '../../../../shared/rules/node-actions/what-follows.ts';
import { ready, taint } from '../../../support/objects/domain-objects.ts';
import { budget, known, node, pod, request, T } from './world.ts';

const drain: NodeAction = { kind: 'drain', request: request() };
const tell = (facts: KnownNode, action: NodeAction) => {
  const { sentences, warnings, refusals, pods } = whatFollows(facts, action, T);
  return { said: sentences.join('\n'), warned: warnings.join('\n'), refused: refusals.join('\n'), pods };
};
const down = node({ conditions: [ready('Unknown', T)] });
const web = (name: string) => pod(name, { owner: 'ReplicaSet' });

describe('what follows (J-336)', () => {
  it('from a cordon: no pod goes', () => {
    const { said, pods } = tell(known(node(), [web('web-1')]), { kind: 'cordon' });
    expect(said).toContain('No new pod is placed on it');
    expect(said).toContain('A cordon moves no pod: 1 pod stays here.');
    expect(pods).toEqual([]);
  });

  it('from a cordon of a Node that asks for a drain: the drain (E-10)', () => {
    const asking = nodeAfter(node(), drain, T);
    const schedulable: Node = { ...asking, spec: {} };
    const { said, pods } = tell(known(schedulable, [web('web-1')]), { kind: 'cordon' });
    expect(said).toContain('asks for a drain, which begins with the cordon');
    expect(pods).toMatchObject([{ name: 'web-1', fate: 'goes' }]);
  });

  it('from an uncordon: pods come, unless taints keep them away, and the drain is taken back', () => {
    const tainted = nodeAfter(node({ taints: [taint('a:NoSchedule')] }), drain, T);
    const { said } = tell(known(tainted), { kind: 'uncordon' });
    expect(said).toContain('taints still keep new pods away: a:NoSchedule.');
    expect(said).toContain('The drain that ann has asked for is taken back.');
    const plain = tell(known(nodeAfter(node(), { kind: 'cordon' }, T)), { kind: 'uncordon' });
    expect(plain.said).toBe('New pods may be placed on it again.');
  });

  it('from a drain: who goes, who is held, who stays, and until when', () => {
    const pods = [web('web-1'), web('db-1'), pod('ds-1', { owner: 'DaemonSet' })];
    const { said, warned, refused } = tell(known(node(), pods, [budget('db', 0)]), {
      kind: 'drain',
      request: request({ deadlineAt: T + 600_000 }),
    });
    expect(said).toContain('Of 3 pods 1 goes at once, 1 is held, 1 stays.');
    expect(said).toContain('It gives up in 10m00s');
    expect(warned).toContain('1 pod cannot go at once.');
    expect(refused).toBe('');
  });

  it('from a drain that leaves pods: the refusal of the API, in its words', () => {
    const pods = [
      pod('bare'),
      pod('tmp', { owner: 'ReplicaSet', spec: { volumes: [{ name: 'v', emptyDir: {} }] } }),
    ];
    const { refused } = tell(known(node(), pods), drain);
    expect(refused).toContain(
      'cannot delete Pods that declare no controller (use force to override): default/bare',
    );
    expect(refused).toContain('cannot delete Pods with local storage');
    const forced = tell(known(node(), pods), {
      kind: 'drain',
      request: request({ force: true, deleteEmptyDirData: true }),
    });
    expect(forced.refused).toBe('');
    expect(forced.warned).toContain('1 pod without a controller, which nobody makes again: default/bare.');
    expect(forced.warned).toContain('1 pod with an emptyDir, whose data is lost: default/tmp.');
  });

  it('from a drain of a node that does not answer: it does not end', () => {
    expect(tell(known(down, [web('web-1')]), drain).warned).toContain(
      'cannot confirm that its pods have stopped',
    );
  });

  it('from a second drain: what either asks for (E-11)', () => {
    const draining = nodeAfter(
      node(),
      { kind: 'drain', request: request({ by: 'bob', deadlineAt: T + 1_000 }) },
      T,
    );
    const { said } = tell(known(draining), { kind: 'drain', request: request({ id: 'two', force: true }) });
    expect(said).toContain('It drains already, for bob');
    expect(said).toContain('It goes on until they are gone');
  });

  it.each([
    ['a:NoSchedule', /The pods that are here stay/, 0],
    ['a:PreferNoSchedule', /placed elsewhere if they can be/, 0],
    ['a:NoExecute', /All 2 pods go at once\./, 2],
  ] as const)('from the taint %s', (text, wanted, count) => {
    const facts = known(node(), [web('web-1'), pod('bare')]);
    const { said, pods, warned } = tell(facts, { kind: 'taint', taint: taint(text) });
    expect(said).toMatch(wanted);
    expect(pods).toHaveLength(count);
    expect(warned.includes('Taints ask no PodDisruptionBudget')).toBe(count > 0);
    expect(warned.includes('nobody makes again: default/bare')).toBe(count > 0);
  });

  it('from a taint that takes the place of another', () => {
    const { said } = tell(known(node({ taints: [taint('a=b:NoSchedule')] })), {
      kind: 'taint',
      taint: taint('a=c:NoSchedule'),
    });
    expect(said).toContain('It takes the place of a=b:NoSchedule.');
  });

  it('from the end of a taint: those who would have left stay', () => {
    const waiting = pod('web-1', {
      owner: 'ReplicaSet',
      spec: { tolerations: [{ key: 'a', operator: 'Exists', tolerationSeconds: 60 }] },
    });
    const { said } = tell(known(node({ taints: [taint('a:NoExecute')] }), [waiting]), {
      kind: 'untaint',
      taint: taint('a:NoExecute'),
    });
    expect(said).toContain('New pods may be placed on it again.');
    expect(said).toContain('would have left because of it stay: default/web-1.');
  });

  it('from out of service: pods and volumes go without the word of the node', () => {
    const attached: Node = {
      ...down,
      status: { ...down.status, volumesAttached: [{ name: 'kubernetes.io/csi/ebs^vol-1', devicePath: '' }] },
    };
    const { said, warned, pods } = tell(known(attached, [pod('db-0', { owner: 'StatefulSet' })]), {
      kind: 'outOfService',
    });
    expect(said).toContain('removed without the word of the node');
    expect(said).toContain('get their successors on other nodes: default/db-0.');
    expect(said).toContain('kubernetes.io/csi/ebs^vol-1');
    expect(warned).toContain('only if you know that the machine is off');
    expect(pods).toMatchObject([{ fate: 'goes' }]);
  });

  it('is nothing for what is not offered', () => {
    expect(tell(known(node(), [web('web-1')]), { kind: 'outOfService' })).toMatchObject({
      said: '',
      pods: [],
      refused: expect.stringContaining('It is ready.'),
    });
  });
});
