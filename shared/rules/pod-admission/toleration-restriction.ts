/**
 * The tolerations that a namespace gives to its pods and allows them. Source: kubernetes v1.34
 * plugin/pkg/admission/podtolerationrestriction.
 */

import { qosClassOf } from '../../kube/defaults/qos-class.ts';
import { jsonSyntaxFault } from '../../kube/json/json-syntax.ts';
import { DecodeError, decode } from '../../kube/schema/decode.ts';
import { mismatch } from '../../kube/schema/go-types.ts';
import { schemaOf } from '../../kube/schema/schema-of.ts';
import type { Pod, Toleration } from '../../kube/types/core.ts';
import { covers, mergedTolerations } from './merged-tolerations.ts';

type Annotations = Readonly<Record<string, string>>;

const DEFAULTS = 'scheduler.alpha.kubernetes.io/defaultTolerations';
const WHITELIST = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';

const MEMORY_PRESSURE: Toleration = {
  key: 'node.kubernetes.io/memory-pressure',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** The pod, or why it is refused. */
export type Restricted = { readonly pod: Pod } | { readonly fault: string };

/** Throws `DecodeError` with the words of Go's decoder. */
const parsed = (text: string): readonly Toleration[] => {
  const fault = jsonSyntaxFault(text);
  if (fault !== undefined) throw new DecodeError(fault);
  const schema = schemaOf('core.v1.Toleration');
  const list: unknown = JSON.parse(text) ?? [];
  if (!Array.isArray(list)) throw mismatch(list, { type: 'list', of: schema }, undefined);
  return list.map((one: unknown) => decode(one ?? {}, schema));
};

/** The tolerations in an annotation; none if it is absent or empty. */
const tolerationsIn = (
  text: string | undefined,
): { readonly list: readonly Toleration[] } | { readonly fault: string } => {
  try {
    return { list: text ? parsed(text) : [] };
  } catch (error) {
    if (error instanceof DecodeError) return { fault: error.message };
    throw error;
  }
};

const withMerged = (pod: Pod, added: readonly Toleration[]): Pod => {
  if (added.length === 0) return pod;
  const tolerations = mergedTolerations(pod.spec.tolerations ?? [], added);
  return { ...pod, spec: { ...pod.spec, tolerations } };
};

/**
 * The pod with the default tolerations of its namespace, if it is new, and with one of memory pressure unless its QoS class is
 * BestEffort. Of two tolerations the wider one stays.
 */
export const withNamespaceTolerations = (pod: Pod, isNew: boolean, annotations: Annotations): Restricted => {
  const given = tolerationsIn(isNew ? annotations[DEFAULTS] : undefined);
  if ('fault' in given) return given;
  const ofMemory = qosClassOf(pod.spec) === 'BestEffort' ? [] : [MEMORY_PRESSURE];
  return { pod: withMerged(pod, [...given.list, ...ofMemory]) };
};

/** Why the pod's tolerations are refused; `undefined`: the namespace has no whitelist, or one of its tolerations covers each of them. */
export const whitelistFault = ({ spec }: Pod, annotations: Annotations): string | undefined => {
  const own = spec.tolerations ?? [];
  if (own.length === 0) return undefined;
  const allowed = tolerationsIn(annotations[WHITELIST]);
  if ('fault' in allowed) return allowed.fault;
  const isAllowed = (one: Toleration): boolean => allowed.list.some((wide) => covers(wide, one));
  return allowed.list.length === 0 || own.every(isAllowed)
    ? undefined
    : 'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist';
};
