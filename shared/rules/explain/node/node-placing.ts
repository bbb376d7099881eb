/** Do new pods come to the node? Which taints and which cordon keep them away? */

import type { Taint } from '../../../kube/types/core.ts';
import { TAINT_UNSCHEDULABLE } from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { conditionOfTaint } from '../../nodes/condition-taints.ts';
import { taintsOf } from '../../nodes/taints.ts';
import type { Answer, Fact } from '../explanation.ts';
import type { KnownNode } from '../known.ts';

const taintFact = ({ key, value = '', effect, timeAdded = '' }: Taint): Fact => ({
  fact: 'NoScheduleTaint',
  ...optional('at', parseTime(timeAdded)),
  values: { key, value, effect, because: conditionOfTaint({ key, effect }) ?? '' },
  source: 'spec.taints',
  rule: effect === 'NoSchedule' && conditionOfTaint({ key, effect }) !== undefined ? 'R-11' : 'F-03',
});

const isOfCordon = ({ key, effect }: Taint): boolean =>
  key === TAINT_UNSCHEDULABLE && effect === 'NoSchedule';

/** Explains whether pods without further tolerations are placed on a node. */
export const explainPlacing = ({ node }: KnownNode): Answer => {
  const isCordoned = node.spec?.unschedulable === true;
  const taints = taintsOf(node).filter((taint) => taint.effect !== 'PreferNoSchedule' && !isOfCordon(taint));
  const cordon: Fact = { fact: 'Cordoned', source: 'spec.unschedulable', rule: 'F-01' };
  return {
    question: 'placing',
    verdict: isCordoned || taints.length > 0 ? 'TakesNoPods' : 'TakesPods',
    because: [...(isCordoned ? [cordon] : []), ...taints.map(taintFact)],
    wouldChange: ['Cordon', 'ReadyCondition', 'ClientTaints', 'Taints'],
  };
};
