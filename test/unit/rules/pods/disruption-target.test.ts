import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { unheld } from '../../../../shared/rules/destroyed.ts';
import { disruptedPod } from '../../../../shared/rules/pods/disruption-target.ts';
import { aPod, at } from '../../../support/objects/domain-objects.ts';

const NOW = at('2026-01-01T00:00:00Z');
const WHY = { reason: 'PreemptionByScheduler', message: 'room is needed' };
const TARGET = {
  type: 'DisruptionTarget',
  status: 'True',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  ...WHY,
};

const bound = (parts: Partial<Pod['metadata']> = {}): Pod => {
  const pod = aPod({ nodeName: 'n1', conditions: [{ type: 'Ready', status: 'True' }] });
  return {
    ...pod,
    metadata: { ...pod.metadata, ...parts },
    spec: { ...pod.spec, terminationGracePeriodSeconds: 30 },
  };
};

describe('a pod that is disrupted (A-17)', () => {
  it('gets the condition beside its others, and its grace period', () => {
    const { next } = unheld(disruptedPod(bound(), WHY, NOW));
    expect(next).toMatchObject({
      metadata: { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: 'Ready' }, TARGET] },
    });
  });

  it('is deleted at once if no node has to stop it, with the condition in its last state', () => {
    const pod: Pod = { ...aPod(), status: { phase: 'Pending' } };
    expect(unheld(disruptedPod(pod, WHY, NOW))).toMatchObject({
      next: 'delete',
      lastState: { status: { conditions: [TARGET] } },
    });
  });

  it('stays while a finalizer holds it', () => {
    const pod: Pod = { ...aPod(), metadata: { ...aPod().metadata, finalizers: ['example.com/hold'] } };
    expect(unheld(disruptedPod(pod, WHY, NOW)).next).not.toBe('delete');
  });
});
