/** Reads a parsed KubeletConfiguration strictly. Source: kubernetes v1.34 pkg/kubelet/kubeletconfig, `SetDefaults_KubeletConfiguration`. */

import { decodeStrictly } from '../../../shared/kube/schema/strict.ts';
import { parseGoDuration } from '../../../shared/kube/text/go-duration.ts';
import { type Gates, unknownGate } from './feature-gates.ts';
import type { Nanoseconds } from './fields.ts';
import { KUBELET_CONFIGURATION, type KubeletFields } from './kubelet-fields.ts';

/** A configuration in which each field that is missing has its default, except `evictionHard`. */
export interface KubeletConfig extends KubeletFields {
  readonly featureGates: Gates;
  readonly serializeImagePulls: boolean;
  readonly enforceNodeAllocatable: readonly string[];
}

/** Why a configuration cannot be read at all. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
  readonly kind: 'gate' | 'field';
  /** Where the names stand that Kubernetes does not know. */
  readonly paths: readonly string[];

  constructor(message: string, kind: 'gate' | 'field', paths: readonly string[]) {
    super(message);
    this.kind = kind;
    this.paths = paths;
  }
}

const nanoseconds = (text: string): Nanoseconds => {
  const parsed = parseGoDuration(text);
  return typeof parsed === 'object' ? 0n : parsed;
};

/** A status that is computed at another frequency than the usual one is also reported at that, if nothing else is said. */
const frequencies = ({
  nodeStatusUpdateFrequency: update,
  nodeStatusReportFrequency: report,
}: KubeletFields) => ({
  nodeStatusUpdateFrequency: update || nanoseconds('10s'),
  nodeStatusReportFrequency: report || update || nanoseconds('5m'),
});

const withDefaults = (fields: KubeletFields): KubeletConfig => ({
  ...fields,
  ...frequencies(fields),
  featureGates: fields.featureGates ?? {},
  podPidsLimit: Math.max(-1, fields.podPidsLimit),
  serializeImagePulls: fields.serializeImagePulls ?? (fields.maxParallelImagePulls ?? 0) < 2,
  enforceNodeAllocatable: fields.enforceNodeAllocatable ?? ['pods'],
});

const UNKNOWN = /^unknown field "(.*)"$/;

/** Throws a `DecodeError` for a value of another type, and a `ConfigFault` for unknown gates and fields. */
export const decodeKubeletConfig = (document: unknown): KubeletConfig => {
  const { object, faults } = decodeStrictly(document, KUBELET_CONFIGURATION.schema);
  const config = withDefaults(KUBELET_CONFIGURATION.read(object, document));
  const gate = unknownGate(config.featureGates);
  if (gate !== undefined)
    throw new ConfigFault(
      `failed to merge global and in-flight KubeletConfiguration while setting defaults, error: unrecognized feature gate: ${gate}`,
      'gate',
      [`featureGates.${gate}`],
    );
  if (faults.length > 0)
    throw new ConfigFault(
      `strict decoding error: ${faults.join(', ')}`,
      'field',
      faults.flatMap((fault) => UNKNOWN.exec(fault)?.[1] ?? []),
    );
  return config;
};
