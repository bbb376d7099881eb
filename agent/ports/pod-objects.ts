/** Values by key; `binaryData` of a ConfigMap, and `data` of a Secret, are base64. */
export interface DataObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
}

/** The ConfigMaps and Secrets that the pods of the node refer to, as the control plane last told. */
export interface PodObjects {
  /** `undefined`: there is none of that name. */
  configMap(namespace: string, name: string): DataObject | undefined;
  secret(namespace: string, name: string): DataObject | undefined;
}
