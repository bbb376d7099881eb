import type { Node } from '../../kube/types/core.ts';
import { cidrWarnings } from './warn-cidr.ts';

/** Warnings about a valid Node. Source: registry v1.34 `core/node/strategy.go`. */
export const nodeWarnings = ({ spec = {} }: Node): readonly string[] => [
  ...((spec as { readonly externalID?: string }).externalID
    ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes']
    : []),
  ...(spec.podCIDRs ?? []).flatMap((cidr, index) => cidrWarnings(`spec.podCIDRs[${index}]`, cidr)),
];
