/** Taints as text, such as `key=value:NoSchedule`. Source: kubernetes v1.34 pkg/util/taints. */
import type { Taint, TaintEffect } from '../../../shared/kube/types/core.ts';
import { TAINT_EFFECTS } from '../../../shared/kube/types/well-known.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../../shared/kube/values/names.ts';

interface Fault {
  readonly error: string;
}

/** A taint to add has an effect, one to take off need not have it. */
interface Spec extends Omit<Taint, 'effect'> {
  readonly value: string;
  readonly effect?: TaintEffect;
}

const isEffect = (text: string): text is TaintEffect => (TAINT_EFFECTS as readonly string[]).includes(text);

const invalid = (text: string, faults: readonly string[] = []): Fault => ({
  error: `invalid taint spec: ${text}${faults.length > 0 ? `, ${faults.join('; ')}` : ''}`,
});

const parseTaint = (text: string): Spec | Fault => {
  const [before = '', effect, more] = text.split(':');
  if (more !== undefined) return invalid(text);
  if (effect !== undefined && !isEffect(effect))
    return { error: `invalid taint effect: ${effect}, unsupported taint effect` };
  const [key = '', value = '', rest] = effect === undefined ? [before] : before.split('=');
  if (rest !== undefined) return invalid(text);
  const valueFaults = labelValueFaults(value);
  if (valueFaults.length > 0) return invalid(text, valueFaults);
  const keyFaults = qualifiedNameFaults(key);
  if (keyFaults.length > 0) return invalid(text, keyFaults);
  return effect === undefined ? { key, value } : { key, value, effect };
};

interface Printable {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string | undefined;
}

/** As Go prints a taint. */
export const printedTaint = ({ key, value = '', effect, timeAdded = '<nil>' }: Printable): string =>
  `{${key} ${value} ${effect} ${timeAdded}}`;

export interface TaintChanges {
  readonly taints: readonly Taint[];
  /** Taints that end with `-`. Without an effect: each of this key. */
  readonly removed: readonly Pick<Spec, 'key' | 'effect'>[];
}

/** The taints of a flag, or what is wrong with the first that is wrong. Key and effect together are unique. */
export const parseTaints = (texts: readonly string[]): TaintChanges | Fault => {
  const taints = new Map<string, Taint>();
  const removed: Spec[] = [];
  for (const text of texts) {
    const isRemoval = text.endsWith('-');
    const spec = parseTaint(isRemoval ? text.slice(0, -1) : text);
    if ('error' in spec) return spec;
    const { effect } = spec;
    if (isRemoval) removed.push(spec);
    else if (effect === undefined) return invalid(text);
    else {
      const taint: Taint = { ...spec, effect };
      const id = `${effect}\n${spec.key}`;
      if (taints.has(id))
        return { error: `duplicated taints with the same key and effect: ${printedTaint(taint)}` };
      taints.set(id, taint);
    }
  }
  return { taints: [...taints.values()], removed };
};
