import { invalidValue } from '../../api/field-error.ts';
import type { StatusError } from '../../api/status-error.ts';
import { invalid } from '../../api/status-error.ts';
import type { ResourceRequest } from './request-info.ts';

/** 422 for a PUT that has to name the version it replaces. The real server names the plural here, not the kind. */
export const versionMissing = ({ resource, group, name }: ResourceRequest): StatusError => {
  const { field, reason, message } = invalidValue(
    'metadata.resourceVersion',
    0,
    'must be specified for an update',
  );
  return invalid({ kind: resource, group }, name, `${field}: ${message}`, [{ reason, message, field }]);
};
