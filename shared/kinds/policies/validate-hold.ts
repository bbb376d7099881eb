/** Rules of Holds. Kubernetes has no such kind. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { HOLD_CLASSES, type Hold, type HoldSpec } from '../../kube/types/hold.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';
import { hasEnded } from '../../rules/holds/hold-state.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { validateZones } from '../fields/zones.ts';

/** The most characters of `reason` and of `owner`. */
const MOST_TEXT = 256;
/** The most characters of zones and selector as JSON: those of all Holds are in one item of 400 KB. */
const MOST_SCOPE = 4_096;
const IMMUTABLE = ['zones', 'nodeSelector', 'stops', 'owner'] as const;

const validateStops = ({ stops }: HoldSpec): readonly FieldError[] =>
  stops?.length === 0
    ? [required('spec.stops', 'must name a class; leave the field out for the default')]
    : (stops ?? []).flatMap((stop, index) => [
        ...(HOLD_CLASSES.includes(stop) ? [] : [notSupported(`spec.stops[${index}]`, stop, HOLD_CLASSES)]),
        ...(stops?.indexOf(stop) === index ? [] : [duplicate(`spec.stops[${index}]`, stop)]),
      ]);

const validateText = (field: string, text = ''): readonly FieldError[] =>
  text.length > MOST_TEXT ? [tooLong(field, `may not be more than ${MOST_TEXT} characters`)] : [];

const validateReason = ({ reason = '' }: HoldSpec): readonly FieldError[] =>
  reason.trim() === ''
    ? [required('spec.reason', 'tells others why nothing happens')]
    : validateText('spec.reason', reason);

const validateScope = ({ zones, nodeSelector }: HoldSpec): readonly FieldError[] =>
  JSON.stringify({ zones, nodeSelector }).length > MOST_SCOPE
    ? [tooLong('spec', `zones and nodeSelector may not be more than ${MOST_SCOPE} characters of JSON`)]
    : [];

const validateUntil = ({ until }: HoldSpec): readonly FieldError[] =>
  until === undefined || parseTime(until) !== undefined
    ? []
    : [invalidValue('spec.until', until, 'must be an RFC 3339 time')];

/** The faults of a Hold by field, without those that depend on the time. */
export const validateHold = ({ spec = {} }: Hold): readonly FieldError[] => [
  ...validateZones(spec.zones, 'spec.zones'),
  ...validateSelector(spec.nodeSelector, 'spec.nodeSelector'),
  ...validateScope(spec),
  ...validateStops(spec),
  ...validateReason(spec),
  ...validateText('spec.owner', spec.owner),
  ...validateUntil(spec),
];

/** Only `until` and `reason` may change: what a Hold covers is in the book under its uid. */
export const validateHoldChange = ({ spec: after = {} }: Hold, { spec: before = {} }: Hold) =>
  IMMUTABLE.filter((field) => !deepEqual(after[field], before[field])).map((field) =>
    invalidValue(`spec.${field}`, after[field] ?? null, 'field is immutable'),
  );

/** A new end must be to come at `now` (ms). */
export const untilFaults = ({ spec }: Hold, now: EpochMs): readonly FieldError[] => {
  const until = spec?.until;
  return until === undefined || (parseTime(until) ?? 0) > now
    ? []
    : [invalidValue('spec.until', until, 'must be in the future')];
};

/** A changed end, at `now` (ms): a Hold that has ended does not begin again. */
export const untilChangeFaults = (after: Hold, before: Hold, now: EpochMs): readonly FieldError[] => {
  if (after.spec?.until === before.spec?.until) return [];
  return hasEnded(before, now)
    ? [forbiddenField('spec.until', 'the Hold has ended; make another one')]
    : untilFaults(after, now);
};
