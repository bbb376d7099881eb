import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../../shared/kube/types/core.ts';
import { TAINT_SHUTDOWN, TAINT_UNINITIALIZED } from '../../../../../shared/kube/types/well-known.ts';
import { toTime } from '../../../../../shared/kube/values/time.ts';
import { drainFor } from '../../../../../shared/rules/cloud/notice-drain.ts';
import { withScheduled } from '../../../../../shared/rules/cloud/scheduled-maintenance.ts';
import { unheld } from '../../../../../shared/rules/destroyed.ts';
import { withDrainRequest } from '../../../../../shared/rules/drain/node-drain.ts';
import { explainCloud } from '../../../../../shared/rules/explain/node/node-cloud.ts';
import { explainService } from '../../../../../shared/rules/explain/node/node-service.ts';
import { withProof } from '../../../../../shared/rules/nodes/out-of-service-proof.ts';
import { known, NOW, seconds } from '../facts.ts';

const ID = 'aws:///eu-1a/i-0123456789abcdef0';
const SINCE = NOW - seconds(900);
const machine = (ready: 'True' | 'Unknown' = 'Unknown', spec: Node['spec'] = {}): Node => ({
  ...known({ ready }).node,
  spec: { providerID: ID, ...spec },
});
const stopped = { key: TAINT_SHUTDOWN, effect: 'NoSchedule', timeAdded: toTime(NOW - seconds(60)) } as const;
const leaving = (node: Node): Node => {
  const word = {
    says: 'leaves',
    instance: 'i',
    notice: 'spot',
    id: 'e',
    goesAt: NOW + seconds(120),
  } as const;
  const request = drainFor(word, NOW - seconds(5));
  return request ? withDrainRequest(node, request) : node;
};

describe('what the cloud has said of a node (J-121)', () => {
  it('is no question for a node that belongs to no cloud', () => {
    expect(explainCloud(known({ ready: 'True' }).node, undefined)).toBeUndefined();
  });

  it.each([
    ['nothing yet', machine(), undefined, 'CloudSilent', ['MachineUnknown', 'MachineNotVerified']],
    ['nothing against it', machine(), SINCE, 'MachineRuns', ['MachineKnown', 'MachineNotVerified']],
    [
      'it is stopped',
      machine('Unknown', { taints: [stopped] }),
      SINCE,
      'MachineStopped',
      ['ShutdownTaint', 'MachineKnown', 'MachineNotVerified'],
    ],
    [
      'it leaves',
      leaving(machine('True')),
      SINCE,
      'MachineLeaves',
      ['CloudNotice', 'MachineGoes', 'MachineKnown', 'MachineNotVerified'],
    ],
    [
      'it is not initialised yet',
      { ...machine(), spec: { taints: [{ key: TAINT_UNINITIALIZED, effect: 'NoSchedule' as const }] } },
      undefined,
      'AwaitsCloud',
      ['Uninitialized'],
    ],
  ])('%s', (_name, node, since, verdict, facts) => {
    const answer = explainCloud(node, since);
    expect([answer?.verdict, answer?.because.map(({ fact }) => fact)]).toEqual([verdict, facts]);
    expect(answer?.next).toBeUndefined();
  });

  it('tells of maintenance that is announced, and when the node is drained before it (J-110)', () => {
    const said = { says: 'scheduled', instance: ID, id: 'arn', saidAt: NOW, isOver: false } as const;
    const node = withScheduled(
      machine('True'),
      { ...said, startsAt: NOW + seconds(9_000) },
      NOW,
      seconds(3_600),
    );
    const answer = explainCloud(node, SINCE);
    expect(answer?.verdict).toBe('MaintenanceAhead');
    expect(answer?.because.slice(0, 2)).toMatchObject([
      { fact: 'MaintenanceScheduled', at: NOW + seconds(9_000) },
      { fact: 'DrainPlanned', at: NOW + seconds(5_400) },
    ]);
    expect(answer?.next).toMatchObject({ verdict: 'MachineLeaves', at: NOW + seconds(5_400) });
  });

  it('is dated by what is stored', () => {
    expect(explainCloud(machine('Unknown', { taints: [stopped] }), SINCE)?.since).toBe(NOW - seconds(60));
    const notice = explainCloud(leaving(machine('True')), SINCE);
    expect([notice?.since, notice?.because[1]?.at]).toEqual([NOW - seconds(5), NOW + seconds(120)]);
  });

  it('says what each further word would do: a ready Node is believed more than a cloud that misses its machine', () => {
    expect(explainCloud(machine('True'), SINCE)?.wouldChange).toEqual([
      'MachineTerminated',
      'MachineStopped',
      'CloudNotice',
    ]);
    expect(explainCloud(machine(), SINCE)?.wouldChange).toContain('MachineMissing');
  });
});

it('a taint out-of-service that follows from a proof says so (J-121)', () => {
  const given = known({ ready: 'Unknown' });
  const proof = { at: NOW - seconds(9), source: 'cloud', instance: ID } as const;
  const { next: node } = unheld(withProof(given.node, proof));
  const answer = explainService({ ...given, node }, undefined, NOW);
  expect(answer?.because[1]).toMatchObject({ fact: 'OutOfServiceProof', at: NOW - seconds(9) });
});
