/** How an answer is written: what the negotiation of `Accept` came to. */
export const JSON_TYPE = 'application/json';
export const YAML_TYPE = 'application/yaml';
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

export type ContentType = typeof JSON_TYPE | typeof YAML_TYPE;

/** What an object is turned into before it is written. */
export interface Transform {
  readonly as: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** `apiVersion` of the result. */
  readonly apiVersion: 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';
}

export interface Accepted {
  readonly contentType: ContentType;
  /** `undefined`: the object as it is. */
  readonly transform?: Transform | undefined;
  /** The clause asks for indented JSON. */
  readonly isPretty: boolean;
}
