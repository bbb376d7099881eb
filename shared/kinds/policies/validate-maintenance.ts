/** Rules of NodeMaintenances. Kubernetes has no such kind. */

import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../kube/errors/field-error.ts';
import { scheduleFault } from '../../kube/text/cron-schedule.ts';
import {
  DONE_WHEN,
  type NodeMaintenance,
  type NodeMaintenanceSpec,
} from '../../kube/types/node-maintenance.ts';
import { parseTime } from '../../kube/values/time.ts';
import { validateSelector } from '../fields/object-selector.ts';

const DAY = 86_400;
const MOST_SECONDS = 365 * DAY;

type Limits = readonly [least: number, most: number];

const LIMITS: Readonly<Record<'durationSeconds' | 'startingDeadlineSeconds' | 'plannedSeconds', Limits>> = {
  durationSeconds: [60, 7 * DAY],
  startingDeadlineSeconds: [1, 7 * DAY],
  plannedSeconds: [0, 30 * DAY],
};
const DRAIN_LIMITS: Readonly<Record<string, Limits>> = {
  gracePeriodSeconds: [0, MOST_SECONDS],
  timeoutSeconds: [1, MOST_SECONDS],
  deleteAfterSeconds: [0, MOST_SECONDS],
};

const numbersIn = (
  members: object,
  limits: Readonly<Record<string, Limits>>,
  path: string,
): readonly FieldError[] =>
  Object.entries(limits).flatMap(([name, [least, most]]) => {
    const value: unknown = Reflect.get(members, name);
    if (typeof value !== 'number' || (value >= least && value <= most)) return [];
    return [invalidValue(`${path}.${name}`, value, `must be from ${least} to ${most}`)];
  });

const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const validateCron = (schedule: string): readonly FieldError[] => {
  if (schedule.includes('TZ')) return [invalidValue('spec.schedule', schedule, 'use spec.timeZone instead')];
  if (schedule.startsWith('@every'))
    return [invalidValue('spec.schedule', schedule, 'must name times of day, not an interval')];
  const fault = scheduleFault(schedule);
  return fault === undefined ? [] : [invalidValue('spec.schedule', schedule, fault)];
};

const validateStart = ({ schedule, startTime, timeZone }: NodeMaintenanceSpec): readonly FieldError[] => {
  const both = schedule !== undefined && startTime !== undefined;
  return [
    ...(schedule === undefined && startTime === undefined
      ? [required('spec.schedule', 'either a schedule or a startTime is needed')]
      : []),
    ...(both ? [forbiddenField('spec.startTime', 'may not be given together with a schedule')] : []),
    ...(schedule === undefined ? [] : validateCron(schedule)),
    ...(startTime !== undefined && parseTime(startTime) === undefined
      ? [invalidValue('spec.startTime', startTime, 'must be an RFC 3339 time')]
      : []),
    ...(timeZone === undefined || isTimeZone(timeZone)
      ? []
      : [invalidValue('spec.timeZone', timeZone, 'unknown time zone')]),
  ];
};

const validateConcurrent = ({ maxConcurrent }: NodeMaintenanceSpec): readonly FieldError[] => {
  const isNumber = typeof maxConcurrent === 'number' && maxConcurrent >= 1;
  const isPercentage = typeof maxConcurrent === 'string' && /^([1-9]\d?|100)%$/.test(maxConcurrent);
  return maxConcurrent === undefined || isNumber || isPercentage
    ? []
    : [invalidValue('spec.maxConcurrent', maxConcurrent, 'must be at least 1, or from 1% to 100%')];
};

const validateDone = ({ doneWhen = 'Rebooted' }: NodeMaintenanceSpec): readonly FieldError[] =>
  DONE_WHEN.includes(doneWhen) ? [] : [notSupported('spec.doneWhen', doneWhen, DONE_WHEN)];

/** The faults of a NodeMaintenance, by field. */
export const validateNodeMaintenance = ({ spec = {} }: NodeMaintenance): readonly FieldError[] => [
  ...(spec.nodeSelector === undefined
    ? [required('spec.nodeSelector')]
    : validateSelector(spec.nodeSelector, 'spec.nodeSelector')),
  ...validateStart(spec),
  ...(spec.durationSeconds === undefined ? [required('spec.durationSeconds')] : []),
  ...numbersIn(spec, LIMITS, 'spec'),
  ...validateConcurrent(spec),
  ...numbersIn(spec.drain ?? {}, DRAIN_LIMITS, 'spec.drain'),
  ...validateDone(spec),
];
