/** Rules of NodeLifecyclePolicies. Kubernetes has no such kind. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import {
  FULL_DISRUPTION,
  type LifecyclePolicy,
  type LifecyclePolicySpec,
  ON_PARTITION,
  ZONE_FIELDS,
} from '../../kube/types/lifecycle-policy.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { validateZones } from '../fields/zones.ts';

/** Limits of a number, both inclusive. */
type Limits = readonly [least: number, most: number];

const DAY = 86_400;
const RATE: Limits = [0, 100];
const LOSSES: Limits = [2, 8];

/** By path below `spec`. */
const LIMITS: Readonly<Record<string, Limits>> = {
  priority: [-1_000_000, 1_000_000],
  nodeMonitorGracePeriodSeconds: [10, DAY],
  nodeStartupGracePeriodSeconds: [10, DAY],
  'adaptiveGrace.floorSeconds': [10, DAY],
  'adaptiveGrace.ceilingSeconds': [10, DAY],
  nodeEvictionRate: RATE,
  secondaryNodeEvictionRate: RATE,
  unhealthyZoneThreshold: [0.01, 1],
  largeClusterSizeThreshold: [0, 1_000_000],
  pacedNotReadyRate: [0.001, 1000],
  'flapDamping.losses': LOSSES,
  'flapDamping.withinSeconds': [60, DAY],
  'flapDamping.stableSeconds': [10, DAY],
  'drainBeforeLost.notReadySeconds': [0, DAY],
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const memberAt = (spec: LifecyclePolicySpec, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), spec);

const validateNumbers = (spec: LifecyclePolicySpec): readonly FieldError[] =>
  Object.entries(LIMITS).flatMap(([path, [least, most]]) => {
    const value = memberAt(spec, path);
    if (typeof value !== 'number' || (value >= least && value <= most)) return [];
    return [invalidValue(`spec.${path}`, value, `must be from ${least} to ${most}`)];
  });

const validateSelected = (spec: LifecyclePolicySpec): readonly FieldError[] =>
  spec.nodeSelector === undefined
    ? []
    : ZONE_FIELDS.filter((field) => spec[field] !== undefined).map((field) =>
        forbiddenField(
          `spec.${field}`,
          'holds for a whole zone; may not be set together with `nodeSelector`',
        ),
      );

const validateDisruption = ({ fullDisruption }: LifecyclePolicySpec): readonly FieldError[] =>
  fullDisruption === undefined || FULL_DISRUPTION.includes(fullDisruption)
    ? []
    : [notSupported('spec.fullDisruption', fullDisruption, FULL_DISRUPTION)];

const validatePartition = ({ onPartition }: LifecyclePolicySpec): readonly FieldError[] =>
  onPartition === undefined || ON_PARTITION.includes(onPartition)
    ? []
    : [notSupported('spec.onPartition', onPartition, ON_PARTITION)];

const validateDrain = ({ drainBeforeLost, flapDamping }: LifecyclePolicySpec): readonly FieldError[] =>
  drainBeforeLost?.whenFlapping === true && flapDamping === undefined
    ? [required('spec.flapDamping', 'says which nodes flap, for `drainBeforeLost.whenFlapping`')]
    : [];

const validateGrace = ({ adaptiveGrace }: LifecyclePolicySpec): readonly FieldError[] => {
  if (adaptiveGrace === undefined) return [];
  const missing = (['floorSeconds', 'ceilingSeconds'] as const)
    .filter((field) => adaptiveGrace[field] === undefined)
    .map((field) =>
      required(`spec.adaptiveGrace.${field}`, 'says between which lengths the grace period adapts'),
    );
  const { floorSeconds, ceilingSeconds } = adaptiveGrace;
  return ceilingSeconds < floorSeconds
    ? [
        invalidValue(
          'spec.adaptiveGrace.ceilingSeconds',
          ceilingSeconds,
          'must not be less than `floorSeconds`',
        ),
      ]
    : missing;
};

export const validateLifecyclePolicy = ({ spec = {} }: LifecyclePolicy): readonly FieldError[] => [
  ...validateZones(spec.zones, 'spec.zones'),
  ...validateSelector(spec.nodeSelector, 'spec.nodeSelector'),
  ...validateNumbers(spec),
  ...validateGrace(spec),
  ...validateSelected(spec),
  ...validateDisruption(spec),
  ...validatePartition(spec),
  ...validateDrain(spec),
];
