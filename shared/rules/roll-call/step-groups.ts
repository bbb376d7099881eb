/** Next steps that are told together, because they happen together and for the same reason. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { NextStep, StepKind } from './next-steps.ts';

/** Steps of one kind, the soonest first. */
export interface StepGroup {
  readonly kind: StepKind;
  /** Of the first one. */
  readonly at: EpochMs;
  /** Of the first one. */
  readonly why: string;
  readonly zone: string;
  readonly steps: readonly NextStep[];
}

/** Pods of a node that leave within a second leave together. */
const TOGETHER_MS = 1_000;

/** What has the same key is told together. Taints of a zone are a line: whoever is first, and who comes next. */
const keyOf = ({ kind, zone, node, at }: NextStep): string => {
  if (kind === 'unknown') return `${kind} ${zone} ${at}`;
  if (kind === 'taint') return `${kind} ${zone}`;
  return `${kind} ${node} ${Math.ceil(at / TOGETHER_MS)}`;
};

/** Groups steps that are sorted by their instants, the group with the soonest step first. */
export const stepGroups = (steps: readonly NextStep[]): readonly StepGroup[] =>
  [...Map.groupBy(steps, keyOf).values()].flatMap((together) => {
    const [first] = together;
    return first
      ? [{ kind: first.kind, at: first.at, why: first.why, zone: first.zone, steps: together }]
      : [];
  });
