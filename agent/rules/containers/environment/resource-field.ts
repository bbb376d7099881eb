/** Requests and limits of a container as its processes may read them. Source: kubernetes v1.34 pkg/api/v1/resource `ExtractContainerResourceValue`. */
import { quantityMilliValue, quantityValue } from '../../../../shared/kube/values/quantity.ts';
import type { Container } from '../container.ts';

type Amounts = Readonly<Record<string, string>>;

/** A container without such a limit is limited by what the node has for pods. */
const LIMITED_BY_NODE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

const FIELD = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/;

const isSet = (amount: string | undefined): amount is string =>
  amount !== undefined && quantityMilliValue(amount) !== 0;

/** The resource in units of the divisor (1 if it is absent or 0), rounded up; `undefined` for one that cannot be read. */
export const resourceField = (
  { resources = {} }: Pick<Container, 'resources'>,
  { resource, divisor }: { readonly resource: string; readonly divisor?: string },
  allocatable: Amounts,
): string | undefined => {
  const [, kind, name = ''] = FIELD.exec(resource) ?? [];
  if (kind !== 'limits' && kind !== 'requests') return undefined;
  const own = resources[kind]?.[name];
  const fromNode = kind === 'limits' && LIMITED_BY_NODE.has(name) ? allocatable[name] : undefined;
  const amount = isSet(own) ? own : (fromNode ?? own ?? '0');
  const unit = isSet(divisor) ? divisor : '1';
  const unitsOf = name === 'cpu' ? quantityMilliValue : quantityValue;
  return String(Math.ceil(unitsOf(amount) / unitsOf(unit)));
};
