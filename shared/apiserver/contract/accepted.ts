/** Media type of JSON. */
export const JSON_TYPE = 'application/json';
/** Media type of YAML. */
export const YAML_TYPE = 'application/yaml';
/** Media type of Kubernetes' protobuf. */
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** Media types that answers are encoded in. */
export type ContentType = typeof JSON_TYPE | typeof YAML_TYPE;

/** The form that an object is converted to before it is encoded. */
export interface Transform {
  readonly as: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** `apiVersion` of the result. */
  readonly apiVersion: 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';
}

/** How an answer is encoded: the result of negotiating `Accept`. */
export interface Accepted {
  readonly contentType: ContentType;
  /** `undefined`: the object is not converted. */
  readonly transform?: Transform | undefined;
  /** Whether the client asks for indented JSON. */
  readonly isPretty: boolean;
}
