/** Rules of ControllerRevisions. Source: kubernetes v1.34 `ValidateControllerRevisionCreate`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { ControllerRevision } from '../../kube/types/workloads.ts';
import { notNegative } from '../fields/not-negative.ts';

const dataFaults = (data: unknown): readonly FieldError[] => {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  return typeof data === 'object' && !Array.isArray(data)
    ? []
    : [required('data', 'data must be a valid JSON object')];
};

export const validateControllerRevision = ({
  data,
  revision = 0,
}: ControllerRevision): readonly FieldError[] => [...notNegative(revision, 'revision'), ...dataFaults(data)];

/** The data of a ControllerRevision is immutable. */
export const validateControllerRevisionUpdate = (
  after: ControllerRevision,
  before: ControllerRevision,
): readonly FieldError[] =>
  deepEqual(after.data, before.data) ? [] : [invalidValue('data', after.data ?? null, 'field is immutable')];
