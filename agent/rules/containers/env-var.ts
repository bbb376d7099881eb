/** Where the environment of a container comes from: core/v1 `EnvVar`, `EnvFromSource`. */

/** A field of the pod. */
export interface FieldRef {
  readonly fieldPath: string;
}

/** A request or limit of a container; without a name, of the one that it is for. */
export interface ResourceFieldRef {
  readonly containerName?: string;
  readonly resource: string;
  readonly divisor?: string;
}

/** A ConfigMap or Secret of the pod's namespace. */
export interface ObjectRef {
  readonly name?: string;
  readonly optional?: boolean;
}

export interface KeyRef extends ObjectRef {
  readonly key: string;
}

/** One member is set. */
export interface EnvSource {
  readonly fieldRef?: FieldRef;
  readonly resourceFieldRef?: ResourceFieldRef;
  readonly configMapKeyRef?: KeyRef;
  readonly secretKeyRef?: KeyRef;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvSource;
}

/** All entries of a ConfigMap or Secret. */
export interface EnvFrom {
  readonly prefix?: string;
  readonly configMapRef?: ObjectRef;
  readonly secretRef?: ObjectRef;
}
