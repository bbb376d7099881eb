import { invalidValue } from '../../kube/errors/field-error.ts';
import type { StatusError } from '../../kube/errors/status-error.ts';
import { invalid } from '../../kube/errors/status-error.ts';
import type { ResourceRequest } from '../contract/request-info.ts';

/**
 * The 422 for a PUT without the resourceVersion that its kind requires. Kubernetes names the plural here instead
 * of the kind.
 */
export const versionMissing = ({ resource, group, name }: ResourceRequest): StatusError => {
  const { field, reason, message } = invalidValue(
    'metadata.resourceVersion',
    0,
    'must be specified for an update',
  );
  return invalid({ kind: resource, group }, name, `${field}: ${message}`, [{ reason, message, field }]);
};
