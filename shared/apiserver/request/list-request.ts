import type { Strategy } from '../../kinds/contract/strategy.ts';
import type { FieldRequirement } from '../../kube/selector/field-selector.ts';
import { demandedValue } from '../../kube/selector/field-selector.ts';
import type { ListRequest } from '../../store/lists/lists.ts';
import type { ResourceRequest } from '../contract/request-info.ts';

/** What to read from the store for a list or a watch: as little as its path and its field selector allow. */
export const listRequestOf = (
  info: Pick<ResourceRequest, 'resource' | 'namespace'>,
  { namespaced }: Strategy['kind'],
  requirements: readonly FieldRequirement[],
  indexOf?: Strategy['source'],
): ListRequest => {
  const demanded = namespaced ? demandedValue(requirements, 'metadata.namespace') : undefined;
  const namespace = info.namespace || (demanded ?? '');
  const named = demandedValue(requirements, 'metadata.name');
  const isOneObject = Boolean(named) && (namespace !== '' || !namespaced);
  const source = isOneObject && named ? { named } : indexOf?.(requirements);
  return { resource: info.resource, namespace, ...(source ? { source } : {}) };
};
