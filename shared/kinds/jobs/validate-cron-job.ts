/** Rules of CronJobs. Source: kubernetes v1.34 `pkg/apis/batch/validation`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { scheduleFault } from '../../kube/text/cron-schedule.ts';
import type { CronJob, CronJobSpec } from '../../kube/types/workloads.ts';
import { noneNegative } from '../fields/not-negative.ts';
import { validateJobSpec } from './validate-job.ts';

const validateSchedule = (schedule: string): readonly FieldError[] => {
  const field = 'spec.schedule';
  if (schedule === '') return [required(field)];
  const fault = scheduleFault(schedule);
  return [
    ...(fault === undefined ? [] : [invalidValue(field, schedule, fault)]),
    ...(schedule.includes('TZ')
      ? [invalidValue(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
      : []),
  ];
};

const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,}$/;
const ZONE_LIST = 'https://www.iana.org/time-zones';

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

const validateTimeZone = (zone: string | undefined): readonly FieldError[] => {
  const field = 'spec.timeZone';
  if (zone === undefined) return [];
  if (zone === '') return [invalidValue(field, zone, 'timeZone must be nil or non-empty string')];
  const isOdd = (part: string) => /^(\.|\.\.|-.*)$/.test(part) || !ZONE_PART.test(part);
  if (zone.split('/').some(isOdd)) return [invalidValue(field, zone, `unknown time zone ${zone}`)];
  if (zone.toLowerCase() === 'local')
    return [invalidValue(field, zone, `timeZone must be an explicit time zone as defined in ${ZONE_LIST}`)];
  return isZone(zone) ? [] : [invalidValue(field, zone, `unknown time zone ${zone}`)];
};

const CONCURRENCY = ['Allow', 'Forbid', 'Replace'] as const;
const NUMBERS = ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const;

const validateJobTemplate = ({ jobTemplate }: CronJobSpec): readonly FieldError[] => {
  const at = 'spec.jobTemplate.spec';
  const spec = jobTemplate?.spec ?? {};
  return [
    ...validateJobSpec(spec, at),
    ...(spec.selector
      ? [invalidValue(`${at}.selector`, spec.selector, '`selector` will be auto-generated')]
      : []),
    ...(spec.manualSelector === true ? [notSupported(`${at}.manualSelector`, true, ['nil', 'false'])] : []),
  ];
};

export const validateCronJob = ({ spec = {} }: CronJob): readonly FieldError[] => {
  const { concurrencyPolicy = '' } = spec;
  return [
    ...validateSchedule(spec.schedule ?? ''),
    ...noneNegative(spec, ['startingDeadlineSeconds'], 'spec'),
    ...validateTimeZone(spec.timeZone),
    ...((CONCURRENCY as readonly string[]).includes(concurrencyPolicy)
      ? []
      : [notSupported('spec.concurrencyPolicy', concurrencyPolicy, CONCURRENCY)]),
    ...validateJobTemplate(spec),
    ...noneNegative(spec, NUMBERS, 'spec'),
  ];
};

/** The name leaves room for the eleven characters that a CronJob adds for each Job's name. */
export const cronJobNameFaults = (name: string): readonly string[] =>
  name.length > 52 ? ['must be no more than 52 characters'] : [];
