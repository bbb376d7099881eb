import type { PersistentVolume, PersistentVolumeClaim } from '../../../shared/kube/types/storage.ts';
import type { RuntimeClassObject } from '../../rules/registration/node-work.ts';
import type { DataObject } from '../../rules/volumes/payload.ts';

/** The objects that the pods of the node refer to, as the control plane last told. */
export interface PodObjects {
  /** `undefined`: there is none of that name. */
  configMap(namespace: string, name: string): DataObject | undefined;
  secret(namespace: string, name: string): DataObject | undefined;
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  /** A volume that a claim is bound to. */
  volume(name: string): PersistentVolume | undefined;
  runtimeClass(name: string): RuntimeClassObject | undefined;
}
