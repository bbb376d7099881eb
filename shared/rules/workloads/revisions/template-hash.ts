/** The hash by which a Deployment names a ReplicaSet. Source: kubernetes v1.34 `controller_utils.go` `ComputeHash`. */
import type { PodTemplateSpec, Workload } from '../../../kube/types/workloads.ts';
import { templateOf, withoutHash } from '../deployment/same-template.ts';
import { podTemplateText } from './pod-template-text.ts';
import { amountOf } from './quantity-text.ts';
import { safeEncoded } from './safe-encoding.ts';

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a of 32 bits. */
const fnv1a32 = (bytes: Uint8Array): number => {
  let hash = FNV_OFFSET;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME) >>> 0;
  return hash;
};

/** Eight bytes, of which the first four have the number, the lowest first. */
const collisionBytes = (collisions: number): Uint8Array => {
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setUint32(0, collisions, true);
  return new Uint8Array(bytes.buffer);
};

/**
 * The value of the label `pod-template-hash` of a stored template (W-60). `collisions` is the Deployment's count of names that other
 * ReplicaSets had; `undefined` and 0 are not the same.
 */
export const templateHash = (template: PodTemplateSpec, collisions: number | undefined): string => {
  const text = new TextEncoder().encode(podTemplateText(template));
  const more = collisions === undefined ? new Uint8Array() : collisionBytes(collisions);
  return safeEncoded(fnv1a32(Uint8Array.from([...text, ...more])));
};

/**
 * Whether both have templates of the same meaning, apart from the label with the hash (W-61): lists and maps may be empty or absent,
 * and amounts be written in different ways.
 */
export const isSameTemplate = (a: Workload, b: Workload): boolean => {
  const [left, right] = [a, b].map((one) => podTemplateText(withoutHash(templateOf(one)), amountOf));
  return left === right;
};
