/** What the RuntimeClass of a new pod adds to it. Source: kubernetes v1.34 plugin/pkg/admission/runtimeclass. */

import { ownMember } from '../../kube/json/own-member.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { Pod, Toleration } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { compareQuantities } from '../../kube/values/quantity.ts';
import { mergedTolerations } from './merged-tolerations.ts';

type Quantities = Readonly<Record<string, string>>;

/** The fields of a RuntimeClass that matter to a pod. */
export interface RuntimeClass extends ApiObject {
  readonly handler?: string;
  readonly overhead?: { readonly podFixed?: Quantities };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}

/** The pod, or why it is refused. */
export type Classed = { readonly pod: Pod } | { readonly fault: string };

/** The name of the pod's RuntimeClass; `undefined` if it names none. */
export const runtimeClassNameOf = ({ spec }: Pod): string | undefined => {
  const name = spec?.['runtimeClassName'];
  return typeof name === 'string' ? name : undefined;
};

const overheadOf = ({ spec }: Pod): Quantities | undefined => spec?.['overhead'] as Quantities | undefined;

const isSameOverhead = (a: Quantities, b: Quantities): boolean => {
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return (
    names.length === others.length &&
    names.every((name) => {
      const other = ownMember(b, name);
      return other !== undefined && compareQuantities(ownMember(a, name) ?? '0', other) === 0;
    })
  );
};

const withOverhead = (pod: Pod, { overhead }: RuntimeClass): Classed => {
  const own = overheadOf(pod);
  if (!overhead) return withoutClass(pod);
  const fixed = overhead.podFixed ?? {};
  if (own && !isSameOverhead(own, fixed))
    return { fault: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead" };
  return own || !overhead.podFixed ? { pod } : { pod: { ...pod, spec: { ...pod.spec, overhead: fixed } } };
};

/** A pod without a class, or whose class has no overhead: it must not have one either. */
const withoutClass = (pod: Pod): Classed =>
  overheadOf(pod) === undefined
    ? { pod }
    : { fault: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead' };

const selectorFault = (
  own: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): string | undefined => {
  const key = Object.keys(wanted).find((name) => (ownMember(own, name) ?? wanted[name]) !== wanted[name]);
  return (
    key &&
    `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted[key]}; pod.spec.nodeSelector[${key}] = ${own[key]}`
  );
};

const withScheduling = (pod: Pod, { scheduling }: RuntimeClass): Classed => {
  if (!scheduling) return { pod };
  const { nodeSelector, tolerations = [] } = scheduling;
  const own = (pod.spec['nodeSelector'] ?? {}) as Readonly<Record<string, string>>;
  const fault = selectorFault(own, nodeSelector ?? {});
  if (fault) return { fault };
  const merged = mergedTolerations(pod.spec.tolerations ?? [], tolerations);
  return {
    pod: {
      ...pod,
      spec: {
        ...pod.spec,
        ...(nodeSelector ? { nodeSelector: { ...own, ...nodeSelector } } : {}),
        ...(merged.length > 0 ? { tolerations: merged } : {}),
      },
    },
  };
};

/** The pod with overhead, node selector and tolerations of its RuntimeClass. `undefined`: there is no class of that name. */
export const withRuntimeClass = (pod: Pod, runtimeClass: RuntimeClass | undefined): Classed => {
  const name = runtimeClassNameOf(pod);
  if (name === undefined) return withoutClass(pod);
  if (!runtimeClass) return { fault: `pod rejected: RuntimeClass ${quote(name)} not found` };
  const classed = withOverhead(pod, runtimeClass);
  return 'fault' in classed ? classed : withScheduling(classed.pod, runtimeClass);
};
