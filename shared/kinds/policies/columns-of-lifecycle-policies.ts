/** The printer of rollcall.dev NodeLifecyclePolicies: for whom a policy holds, and whether it does. */

import { selectorText } from '../../kube/selector/object-selector.ts';
import { ageOf } from '../../kube/text/human-duration.ts';
import type { LifecyclePolicy, LifecyclePolicySpec } from '../../kube/types/lifecycle-policy.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, UNKNOWN, UNSET, wideColumn } from '../fields/column.ts';

const ALL = '<all>';

const secondsOf = (seconds: number | undefined): string => (seconds === undefined ? UNSET : `${seconds}s`);
const graceOf = ({
  adaptiveGrace: range,
  nodeMonitorGracePeriodSeconds: fixed,
}: LifecyclePolicySpec): string =>
  range ? `${range.floorSeconds}s-${range.ceilingSeconds}s` : secondsOf(fixed);
const rateOf = (rate: number | undefined): string => (rate === undefined ? UNSET : `${rate}/s`);

const acceptedOf = ({ status }: LifecyclePolicy): string =>
  status?.conditions?.find(({ type }) => type === 'Accepted')?.status ?? UNKNOWN;

/** The table of `kubectl get nodelifecyclepolicies`. */
export const lifecyclePolicyPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Zones', 'The zones for which it holds.'),
    column('Selector', 'The labels of the nodes for which it holds.'),
    column('Priority', 'Which of two equally specific policies wins.', { type: 'integer' }),
    column('Nodes', 'How many nodes it holds for.', { type: 'integer' }),
    column('Accepted', 'Whether it has an effect.'),
    AGE_COLUMN,
    wideColumn('Grace', 'After how much silence a node becomes Unknown.'),
    wideColumn('Rate', 'How many nodes of a zone may be tainted for eviction per second.'),
    wideColumn('Full Disruption', 'What happens in a zone without a ready node.'),
  ],
  cells: (policy: LifecyclePolicy, now) => {
    const { metadata, spec = {}, status } = policy;
    return [
      metadata.name,
      spec.zones?.join(',') ?? ALL,
      spec.nodeSelector ? selectorText(spec.nodeSelector) : ALL,
      spec.priority ?? 0,
      status?.nodes ?? 0,
      acceptedOf(policy),
      ageOf(metadata.creationTimestamp, now),
      graceOf(spec),
      rateOf(spec.nodeEvictionRate),
      spec.fullDisruption ?? UNSET,
    ];
  },
};
