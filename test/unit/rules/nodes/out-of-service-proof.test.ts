import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { unheld } from '../../../../shared/rules/destroyed.ts';
import {
  fencedFrom,
  outOfServicePolicy,
  POLICY_ANNOTATION,
  POWERED_OFF_ANNOTATION,
  PROOF_ANNOTATION,
  provenSince,
  shownProof,
  wantsProof,
  withoutProof,
  withProof,
} from '../../../../shared/rules/nodes/out-of-service-proof.ts';
import { aNode, ready, taint, taintText } from '../../../support/objects/domain-objects.ts';

const NOW = 1_767_657_600_000;
const SECOND = 1_000;
const SHUTDOWN = 'node.cloudprovider.kubernetes.io/shutdown:NoSchedule';
const OUT = 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute';

/** A node whose Ready changed a minute ago. */
const node = (
  status: ConditionStatus | undefined,
  annotations: Readonly<Record<string, string>> = {},
  ...taints: readonly string[]
): Node => {
  const conditions = status ? [ready(status, NOW - 60 * SECOND)] : [];
  const made = aNode({ conditions, taints: taints.map(taint) });
  return { ...made, metadata: { ...made.metadata, annotations } };
};

const PROVEN = { [POLICY_ANNOTATION]: 'proven' };
const MANUAL = { [POLICY_ANNOTATION]: 'manual' };

describe('a node of which a proof is wanted (J-83)', () => {
  const rows: readonly [string, Node, 'manual' | 'proven', boolean][] = [
    ['down, by its annotation', node('Unknown', PROVEN), 'manual', true],
    ['down, by the default', node('False'), 'proven', true],
    ['down, and its annotation refuses', node('Unknown', MANUAL), 'proven', false],
    ['down, with an unknown policy', node('Unknown', { [POLICY_ANNOTATION]: 'maybe' }), 'proven', false],
    ['ready', node('True', PROVEN), 'proven', false],
    ['that never reported', node(undefined, PROVEN), 'proven', false],
    ['out of service already', node('Unknown', PROVEN, OUT), 'proven', false],
  ];
  it.each(rows)('%s', (_, given, fallback, expected) => {
    expect(wantsProof(given, fallback)).toBe(expected);
  });

  it('has the policy of its annotation, or else the default', () => {
    expect(outOfServicePolicy(node('True'), 'proven')).toBe('proven');
    expect(outOfServicePolicy(node('True', PROVEN), 'manual')).toBe('proven');
  });
});

describe('what a Node shows (J-84)', () => {
  const said = (secondsAgo: number) => ({ [POWERED_OFF_ANNOTATION]: toTime(NOW - secondsAgo * SECOND) });
  const rows: readonly [string, Node, string | undefined][] = [
    ['nothing', node('Unknown'), undefined],
    ['that its cloud has shut its machine down', node('Unknown', {}, SHUTDOWN), 'cloud'],
    ['the word of an operator', node('Unknown', said(10)), 'operator'],
    ['a word as old as the outage', node('Unknown', said(60)), 'operator'],
    ['a word about an earlier outage', node('Unknown', said(61)), undefined],
    ['a word about the future', node('Unknown', said(-10)), undefined],
    ['a word that is no instant', node('Unknown', { [POWERED_OFF_ANNOTATION]: 'yes' }), undefined],
  ];
  it.each(rows)('%s', (_, given, expected) => {
    expect(shownProof(given, NOW)).toBe(expected);
  });
});

describe('the first request to a fencing service (J-85)', () => {
  const since = (key: string, effect: 'NoExecute' | 'NoSchedule' = 'NoExecute') => {
    const bare = node('Unknown');
    return { ...bare, spec: { taints: [{ key, effect, timeAdded: toTime(NOW) }] } };
  };
  it.each([
    ['after its NoExecute taint', since('node.kubernetes.io/unreachable'), NOW + 60 * SECOND],
    ['after that of a node that is not ready', since('node.kubernetes.io/not-ready'), NOW + 60 * SECOND],
    ['not before that taint', since('node.kubernetes.io/unreachable', 'NoSchedule'), undefined],
    ['not for another taint', since('a'), undefined],
    [
      'not for a taint without an instant',
      node('Unknown', {}, 'node.kubernetes.io/unreachable:NoExecute'),
      undefined,
    ],
  ])('comes %s', (_, given, expected) => {
    expect(fencedFrom(given, 60 * SECOND)).toBe(expected);
  });
});

describe('the taint that follows from a proof (J-86)', () => {
  const proof = { at: NOW, source: 'cloud', instance: 'aws:///a/i-1' } as const;
  const { next: tainted } = unheld(withProof(node('Unknown', PROVEN, 'a=b:NoSchedule'), proof));

  it('is set with the proof, and comes off with it', () => {
    expect((tainted.spec?.taints ?? []).map(taintText)).toEqual(['a=b:NoSchedule', OUT]);
    expect(tainted.metadata.annotations).toEqual({
      ...PROVEN,
      [PROOF_ANNOTATION]: `{"at":"${toTime(NOW)}","source":"cloud","instance":"aws:///a/i-1"}`,
    });
    expect(provenSince(tainted)).toBe(NOW);
    expect(withoutProof(tainted)).toEqual(node('Unknown', PROVEN, 'a=b:NoSchedule'));
  });

  it('is nobody else’s: one that an operator has set or changed stays', () => {
    const taints = (tainted.spec?.taints ?? []).map((one) => ({ ...one, value: 'mine' }));
    expect(provenSince({ ...tainted, spec: { taints } })).toBeUndefined();
    expect(provenSince(node('Unknown', {}, OUT))).toBeUndefined();
    expect(provenSince(node('Unknown', { [PROOF_ANNOTATION]: '{' }, OUT))).toBeUndefined();
  });
});
