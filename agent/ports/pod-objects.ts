import type { DataObject } from '../domain/volumes/payload.ts';

/** The ConfigMaps and Secrets that the pods of the node refer to, as the control plane last told. */
export interface PodObjects {
  /** `undefined`: there is none of that name. */
  configMap(namespace: string, name: string): DataObject | undefined;
  secret(namespace: string, name: string): DataObject | undefined;
}
