/**
 * How long the pods of a namespace tolerate a node that is not ready or unreachable, unless they say it themselves: annotations of the
 * Namespace, which Kubernetes does not have.
 */

import { type FieldError, invalidValue } from '../../kube/errors/field-error.ts';
import type { Namespace, Pod } from '../../kube/types/core.ts';
import type { ObjectMeta } from '../../kube/types/meta.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../kube/types/well-known.ts';
import { LONGEST_DEFAULT_TOLERATION_SECONDS } from '../../settings/admission-plugins.ts';

const NOT_READY = 'rollcall.dev/default-not-ready-toleration-seconds';
const UNREACHABLE = 'rollcall.dev/default-unreachable-toleration-seconds';

/** Seconds for which a pod tolerates each of the two taints. */
export interface DefaultSeconds {
  readonly notReady: number;
  readonly unreachable: number;
}

const secondsIn = (text: string | undefined): number | undefined => {
  const seconds = /^\d+$/.test(text ?? '') ? Number(text) : Number.NaN;
  return seconds <= LONGEST_DEFAULT_TOLERATION_SECONDS ? seconds : undefined;
};

/** Refuses annotations that are not whole seconds, up to the longest time that the setting allows. */
export const defaultSecondsFaults = ({ annotations = {} }: ObjectMeta): readonly FieldError[] =>
  [NOT_READY, UNREACHABLE].flatMap((name) => {
    const text = annotations[name];
    if (text === undefined || secondsIn(text) !== undefined) return [];
    const valid = `must be whole seconds from 0 to ${LONGEST_DEFAULT_TOLERATION_SECONDS} (30 days), such as 60`;
    return [invalidValue(`metadata.annotations[${name}]`, text, valid)];
  });

/** The seconds for a new pod: those of its namespace, else `fallback`. */
export const defaultSecondsOf = (namespace: Namespace | undefined, fallback: number): DefaultSeconds => {
  const annotations = namespace?.metadata.annotations ?? {};
  return {
    notReady: secondsIn(annotations[NOT_READY]) ?? fallback,
    unreachable: secondsIn(annotations[UNREACHABLE]) ?? fallback,
  };
};

/** The seconds for a changed pod: those that are stored, so that an update that leaves the tolerations out changes nothing. */
export const storedSecondsOf = (before: Pod | undefined, fallback: number): DefaultSeconds => {
  const secondsFor = (taint: string): number =>
    before?.spec.tolerations?.find(
      ({ key, operator, effect }) => key === taint && operator === 'Exists' && effect === 'NoExecute',
    )?.tolerationSeconds ?? fallback;
  return { notReady: secondsFor(TAINT_NOT_READY), unreachable: secondsFor(TAINT_UNREACHABLE) };
};
