/** What counts as a change of a Node's status. Source: kubernetes v1.34 pkg/kubelet `nodeStatusHasChanged`. */

import { deepEqual } from '../../../shared/kube/json/deep-equal.ts';
import { byText } from '../../../shared/kube/text/compare-text.ts';
import type { NodeStatus } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import { parseQuantity } from '../../../shared/kube/values/quantity-parse.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';

/** Members whose zero or empty value means something else than their absence. Source: pointers in `core/v1` `NodeStatus`. */
const OPTIONAL = new Set([
  'swap',
  'features',
  'recursiveReadOnlyMounts',
  'userNamespaces',
  'supplementalGroupsPolicy',
  'config',
  'assigned',
  'active',
  'lastKnownGood',
  'configMap',
]);

const isZero = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === 0 ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Whether a member is as good as absent. `nodeInfo.swap.capacity` is a number that may be 0, other capacities are lists. */
const isAbsent = (name: string, value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (isZero(value) && !OPTIONAL.has(name) && !(name === 'capacity' && value === 0));

/** The value without members that are as good as absent. */
const normalised = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(normalised);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, normalised(member)] as const);
  return Object.fromEntries(members.filter(([name, member]) => !isAbsent(name, member)));
};

/** Equal for all ways to write one amount. */
const amountOf = (text: string): string => {
  const parsed = parseQuantity(text);
  return 'error' in parsed ? text : String(parsed.nano);
};

const amounts = (list: NodeStatus['capacity']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(list ?? {}).map(([name, amount]) => [name, amountOf(amount)]));

/** Equal for two ways to write one instant. */
const instant = (time: string | undefined): unknown =>
  time === undefined ? undefined : (parseTime(time) ?? time);

const comparableCondition = (condition: Condition): unknown => {
  const { lastHeartbeatTime: _, lastTransitionTime, ...rest } = condition;
  return normalised({ ...rest, lastTransitionTime: instant(lastTransitionTime) });
};

const comparableConditions = ({ conditions = [] }: NodeStatus): unknown =>
  conditions.toSorted((a, b) => byText(a.type, b.type)).map(comparableCondition);

const comparable = (status: NodeStatus): unknown => {
  const { conditions: _, capacity, allocatable, ...rest } = status;
  const lists = normalised({ capacity: amounts(capacity), allocatable: amounts(allocatable) });
  return { rest: normalised(rest), lists };
};

/**
 * Whether the status has changed: the order of conditions, their heartbeat times and how a quantity is written do not count; their
 * transition times do.
 */
export const hasStatusChanged = (before: NodeStatus | undefined, after: NodeStatus | undefined): boolean => {
  if (before === undefined || after === undefined) return before !== after;
  return (
    !deepEqual(comparableConditions(before), comparableConditions(after)) ||
    !deepEqual(comparable(before), comparable(after))
  );
};
