/** Has somebody said that the machine is off, and what becomes of its pods? */

import { TAINT_OUT_OF_SERVICE } from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { hasOutOfServiceTaint, isOutOfService, outOfServiceDoubt } from '../../nodes/out-of-service.ts';
import { provenSince } from '../../nodes/out-of-service-proof.ts';
import { taintsOf } from '../../nodes/taints.ts';
import type { Answer, Fact } from '../explanation.ts';
import type { KnownNode } from '../known.ts';

/** Explains the taint `out-of-service` of a node at `now` (ms); `undefined` if it has none. */
export const explainService = (
  { node, beats, config }: KnownNode,
  heardAt: EpochMs | undefined,
  now: EpochMs,
): Answer | undefined => {
  if (!hasOutOfServiceTaint(node)) return undefined;
  const doubt = outOfServiceDoubt(node, heardAt, now, config.nodeMonitorGracePeriodMs);
  const taint = taintsOf(node).find(({ key }) => key === TAINT_OUT_OF_SERVICE);
  const since = parseTime(taint?.timeAdded ?? '');
  const against: Fact = {
    fact: 'SpeaksAgainstTaint',
    ...optional('at', doubt === 'heard' ? heardAt : undefined),
    values: { doubt: doubt ?? '' },
    source: doubt === 'heard' && beats ? 'heartbeats' : 'status.conditions[Ready]',
    rule: 'K-87',
  };
  const proof: Fact = {
    fact: 'OutOfServiceProof',
    ...optional('at', provenSince(node)),
    source: 'annotation rollcall.dev/out-of-service-proof',
    rule: 'K-88',
  };
  return {
    question: 'service',
    verdict: isOutOfService(node) ? 'OutOfService' : 'SeemsAlive',
    ...optional('since', since),
    because: [
      { fact: 'OutOfServiceTaint', ...optional('at', since), source: 'spec.taints', rule: 'K-74' },
      ...(provenSince(node) === undefined ? [] : [proof]),
      ...(doubt ? [against] : []),
    ],
    wouldChange: ['ClientTaints', 'ReadyCondition'],
  };
};
