/** `systemReserved` and `kubeReserved`: what the pods do not get. Source: kubernetes v1.34 cmd/kubelet/app `parseResourceList`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { quantityText } from '../../../shared/kube/values/quantity.ts';
import { parseQuantity, type Quantity } from '../../../shared/kube/values/quantity-parse.ts';

const RESERVABLE: readonly string[] = ['cpu', 'memory', 'ephemeral-storage', 'pid'];

interface Fault {
  readonly error: string;
}

const parseAmount = (name: string, text: string): Quantity | Fault => {
  if (!RESERVABLE.includes(name)) return { error: `cannot reserve ${quote(name)} resource` };
  const parsed = parseQuantity(text);
  if ('error' in parsed)
    return { error: `failed to parse quantity ${quote(text)} for ${quote(name)} resource: ${parsed.error}` };
  if (parsed.nano < 0n)
    return { error: `resource quantity for ${quote(name)} cannot be negative: ${quantityText(parsed)}` };
  return parsed;
};

/** The amounts by resource, or what is wrong with the first that is wrong. */
export const parseReserved = (
  given: Readonly<Record<string, string>>,
): ReadonlyMap<string, Quantity> | Fault => {
  const amounts = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(given)) {
    const amount = parseAmount(name, text);
    if ('error' in amount) return amount;
    amounts.set(name, amount);
  }
  return amounts;
};
